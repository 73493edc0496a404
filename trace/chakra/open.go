package chakra

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"fabricast/internal/input"
	"fabricast/internal/pattern"
	"fabricast/trace"
)

// source is an opened trace.
type source struct {
	files      []string // by rank
	json       bool
	rates      trace.Rates
	groups     [][]int32
	names      map[string]int32 // index in groups by the name of the process group
	members    []map[int32]bool // members of groups[1], groups[2], ...
	groupsFile string
}

// Is reports whether begin is the start of the Chakra trace file of a rank.
func Is(begin []byte) bool {
	begin = trace.Unzipped(begin)
	if text := bytes.TrimSpace(begin); len(text) > 0 && text[0] == '{' {
		return bytes.Contains(text, []byte(`"workload_graph"`)) ||
			bytes.Contains(text, []byte(`"version"`)) && !bytes.Contains(text, []byte(`"pg_config"`)) ||
			bytes.Contains(text, []byte(`"attr"`))
	}
	return isMetadata(begin)
}

// isMetadata reports whether begin, the start of a file, contains the metadata of a trace: a
// protocol buffer message preceded by its length.
func isMetadata(begin []byte) bool {
	const version, attribute = 1, 2
	size, n := binary.Uvarint(begin)
	if n <= 0 || size < 2 || size > longest {
		return false
	}
	b := begin[n:]
	whole := uint64(len(b)) >= size
	if whole {
		b = b[:size]
	}
	for seen := 0; ; seen++ {
		if len(b) == 0 {
			return seen > 0
		}
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 || kind != protowire.BytesType || number != version && number != attribute {
			return false
		}
		v, size := protowire.ConsumeBytes(b[n:])
		// an attribute that starts with its name may extend beyond the end of begin
		if size < 0 {
			return !whole && (seen > 0 || bytes.HasPrefix(b[min(len(b), n+2):], []byte{1<<3 | 2}))
		}
		if number == version && !printable(v) {
			return false
		}
		b = b[n+size:]
	}
}

// printable reports whether v consists of printable ASCII characters, as a version number does.
func printable(v []byte) bool {
	return len(v) > 0 && !slices.ContainsFunc(v, func(c byte) bool { return c < ' ' || c > '~' })
}

// ofRank matches a file name that contains a rank. A file with another name is the only file of its
// trace.
var ofRank = pattern.Lazy(`\.\d+\.(et|json)(\.gz)?$`)

// Open opens a trace. path is the file of any rank, or the folder with the files of all ranks.
func Open(path string, o trace.Options) (trace.Graph, error) {
	info, err := input.About(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		if path, err = trace.FirstRankFile(
			path, []string{".et", ".et.gz", ".json"}, Is, "model.0.et",
		); err != nil {
			return nil, err
		}
	}
	s := &source{
		rates:  o.Operations,
		groups: [][]int32{nil},
		names:  map[string]int32{},
	}
	s.files = []string{path}
	if ofRank().MatchString(path) {
		if s.files, err = trace.RankFiles(path, 0); err != nil {
			return nil, err
		}
	}
	begin, err := s.beginning(path)
	if err != nil {
		return nil, err
	}
	s.json = strings.HasPrefix(strings.TrimSpace(begin), "{")
	return s, s.readGroups(filepath.Dir(path))
}

// beginning returns the first 64 bytes of a file, after decompression.
func (s *source) beginning(path string) (string, error) {
	in, err := trace.OpenUnzipped(path, trace.Chunk(len(s.files)))
	if err != nil {
		return "", err
	}
	const enough = 64
	b, err := in.Peek(enough)
	if err == io.EOF || !system(err) {
		err = nil
	}
	return string(b), err
}

// system reports whether err is an error in accessing a file, rather than in its contents.
func system(err error) bool {
	var of *fs.PathError
	var refused *input.Error
	return errors.As(err, &of) || errors.As(err, &refused)
}

// readGroups reads the process groups from a JSON file in the folder dir, if there is such a file.
func (s *source) readGroups(dir string) error {
	entries, err := trace.Files(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if !strings.HasSuffix(e.Name(), ".json") || slices.Contains(s.files, path) {
			continue
		}
		text, err := input.Beginning(path, input.Trace)
		if err != nil {
			return err
		}
		if Is([]byte(text[:min(len(text), 512)])) {
			continue // another trace
		}
		text, err = input.Text(path, input.TraceFiles)
		if err != nil {
			return err
		}
		var groups map[string][]int32
		if json.Unmarshal([]byte(text), &groups) != nil || len(groups) == 0 {
			continue
		}
		if s.groupsFile != "" {
			return &trace.Error{
				File:     dir,
				What:     "process groups",
				Found:    filepath.Base(s.groupsFile) + " and " + e.Name(),
				Expected: "one file that has them",
			}
		}
		s.groupsFile = path
		if err := s.setGroups(groups); err != nil {
			return err
		}
	}
	return nil
}

// setGroups stores the given process groups, which map a name to ranks. It returns an error if a
// group is empty, or if it lists a rank twice or a rank that does not exist.
func (s *source) setGroups(groups map[string][]int32) error {
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		in := map[int32]bool{}
		for _, rank := range groups[name] {
			if rank < 0 || int(rank) >= len(s.files) || in[rank] {
				return &trace.Error{
					File:     s.groupsFile,
					What:     fmt.Sprintf("process group %q", name),
					Found:    fmt.Sprintf("rank %d", rank),
					Expected: fmt.Sprintf("each rank below %d at most once", len(s.files)),
				}
			}
			in[rank] = true
		}
		if len(in) == 0 {
			return &trace.Error{
				File:     s.groupsFile,
				What:     fmt.Sprintf("process group %q", name),
				Found:    "no rank",
				Expected: "a list of ranks",
			}
		}
		s.names[name] = int32(len(s.groups))
		s.groups, s.members = append(s.groups, groups[name]), append(s.members, in)
	}
	return nil
}

// group returns the index of the process group with the given name, and whether it exists. The
// empty name means all ranks. If there is no file with process groups, the names "0" and
// "default_pg" mean all ranks too, because programs use them for the default group.
func (s *source) group(name string) (int32, bool) {
	if g, found := s.names[name]; found {
		return g, true
	}
	return 0, name == "" || s.groupsFile == "" && (name == "0" || name == "default_pg")
}

// groupsExpected describes, for error messages, where group names must be defined.
func (s *source) groupsExpected() string {
	if s.groupsFile == "" {
		return `a JSON file beside the trace with the ranks of process groups, such as {"1": [0, 2]}`
	}
	return "a process group of " + filepath.Base(s.groupsFile)
}

// member reports whether a rank is in a group, and returns the size of the group.
func (s *source) member(group, rank int32) (bool, int64) {
	if group == 0 {
		return true, int64(len(s.files))
	}
	return s.members[group-1][rank], int64(max(1, len(s.groups[group])))
}

// Format implements trace.Trace.
func (s *source) Format() string { return "Chakra" }

// Ranks implements trace.Trace.
func (s *source) Ranks() int { return len(s.files) }

// Groups implements trace.Trace.
func (s *source) Groups() [][]int32 { return s.groups }

// OpenTasks implements trace.Graph.
func (s *source) OpenTasks(rank int) (trace.TaskStream, error) {
	path := s.files[rank]
	in, err := trace.OpenUnzipped(path, trace.Chunk(len(s.files)))
	if err != nil {
		return nil, err
	}
	t := &stream{source: s, rank: int32(rank)}
	if s.json {
		t.nodes = &jsonReader{path: path, in: json.NewDecoder(in)}
	} else {
		t.nodes = &protoReader{path: path, in: in}
	}
	return t, nil
}
