package dumpi

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fabricast/internal/input"
	"fabricast/trace"
)

// source is an opened trace.
type source struct {
	files []string // by rank
	comms communicators
}

// Is reports whether begin is the start of a rank's file or of a metadata file.
func Is(begin []byte) bool {
	if len(begin) >= len(magic) && string(begin[:len(magic)]) == magic {
		return true
	}
	keys := metadata(string(begin))
	return keys["numprocs"] != "" && keys["fileprefix"] != ""
}

// metadata parses the contents of a metadata file: lines of the form key=value.
func metadata(text string) map[string]string {
	keys := map[string]string{}
	for line := range strings.Lines(text) {
		if key, value, found := strings.Cut(strings.TrimSpace(line), "="); found {
			keys[key] = value
		}
	}
	return keys
}

// Open opens a trace. path is its metadata file, the file of any rank, or the folder that contains
// them.
func Open(path string) (trace.Source, error) {
	info, err := input.About(path)
	if err != nil {
		return nil, err
	}
	s := &source{}
	if info.IsDir() {
		s.files, err = folder(path)
	} else {
		s.files, err = siblings(path)
	}
	if err != nil {
		return nil, err
	}
	s.comms, err = s.communicators()
	return s, err
}

// folder returns the files of all ranks in a folder. It uses the metadata file or, if there is
// none, the first file of a rank.
func folder(path string) ([]string, error) {
	entries, err := trace.Files(path)
	if err != nil {
		return nil, err
	}
	for _, ending := range []string{".meta", ".bin"} {
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ending) {
				return siblings(filepath.Join(path, e.Name()))
			}
		}
	}
	return nil, &trace.Error{
		File:     path,
		What:     "files of ranks",
		Found:    "none",
		Expected: "files such as dumpi-0000.bin",
	}
}

// maxRanks is the maximum number of ranks of a trace.
const maxRanks = 1 << 26

// siblings returns the files of all ranks of a trace. path is its metadata file or the file of any
// rank.
func siblings(path string) ([]string, error) {
	const ending = ".bin"
	text, err := input.Beginning(path, input.Trace)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(path, ending) || strings.HasPrefix(text, magic) {
		return trace.RankFiles(path, 0)
	}
	keys := metadata(text)
	n, err := strconv.Atoi(keys["numprocs"])
	if err != nil || n < 1 || n > maxRanks {
		return nil, &trace.Error{
			File:     path,
			What:     "numprocs",
			Found:    strconv.Quote(keys["numprocs"]),
			Expected: "the number of ranks",
		}
	}
	// Use only the base name: the folder of a trace may have been moved since the recording.
	first := filepath.Join(filepath.Dir(path), filepath.Base(keys["fileprefix"])+"-0000"+ending)
	return trace.RankFiles(first, n)
}

// Format implements trace.Source.
func (s *source) Format() string { return "DUMPI" }

// Ranks implements trace.Source.
func (s *source) Ranks() int { return len(s.files) }

// Groups implements trace.Source.
func (s *source) Groups() [][]int32 { return s.comms.groups }

// Open implements trace.Source.
func (s *source) Open(rank int) (trace.Stream, error) {
	l, err := readLayout(s.files[rank])
	if err != nil {
		return nil, err
	}
	t := &stream{
		source: s, rank: int32(rank), layout: l, records: s.records(rank, l), sizes: slices.Clone(l.sizes),
		created: s.comms.created[rank], comms: map[uint16]int32{commWorld: 0, commSelf: trace.Self},
	}
	return t, nil
}

// records returns a reader of the body of a rank's file.
func (s *source) records(rank int, l *layout) records {
	r := records{Window: trace.Window{Path: s.files[rank], Chunk: trace.Chunk(len(s.files))}, end: l.header}
	// Skip the two base times, in seconds, to which the times of records are relative.
	const offsets = 8
	r.Goto(l.body + offsets)
	return r
}
