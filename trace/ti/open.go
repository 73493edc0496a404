package ti

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fabricast/internal/input"
	"fabricast/internal/pattern"
	"fabricast/trace"
)

// source is an opened trace.
type source struct {
	files []string // one per rank, or one for all ranks
	ranks int
	rates trace.Rates
}

// Is reports whether begin is the start of a file with actions, or of a file that lists the files
// of a trace.
func Is(begin []byte) bool {
	line := firstLine(string(begin))
	words := strings.Fields(line)
	if len(words) >= 2 {
		if _, err := strconv.Atoi(words[0]); err == nil {
			return actions[words[1]] != nil
		}
	}
	return len(words) == 1 && strings.HasSuffix(words[0], ".txt")
}

// firstLine returns the first line that is neither empty nor a comment.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return line
		}
	}
	return ""
}

// Open opens a trace. path is its file, a file that lists the files of its ranks, or its folder.
func Open(path string, o trace.Options) (trace.Source, error) {
	s := &source{rates: o.Operations}
	info, err := input.About(path)
	if err != nil {
		return nil, err
	}
	switch {
	case info.IsDir():
		s.files, err = folder(path)
	default:
		s.files, err = listed(path)
	}
	if err != nil {
		return nil, err
	}
	if s.ranks = len(s.files); s.ranks == 1 {
		s.ranks, err = ranksOf(s.files[0])
	}
	return s, err
}

// number matches the last number in a file name.
var number = pattern.Lazy(`(\d+)\D*$`)

// folder returns the .txt files of a folder, ordered by the last number in their names.
func folder(path string) ([]string, error) {
	found, err := trace.Files(path)
	if err != nil {
		return nil, err
	}
	type numbered struct {
		name string
		n    int
	}
	var list []numbered
	for _, e := range found {
		m := number().FindStringSubmatch(e.Name())
		if m == nil || !strings.HasSuffix(e.Name(), ".txt") {
			continue
		}
		n, _ := strconv.Atoi(m[1])
		list = append(list, numbered{filepath.Join(path, e.Name()), n})
	}
	slices.SortFunc(list, func(a, b numbered) int { return cmp.Compare(a.n, b.n) })
	files := make([]string, len(list))
	for i, f := range list {
		if f.n != i {
			return nil, &trace.Error{
				File:     path,
				Text:     true,
				What:     "files of ranks",
				Found:    filepath.Base(f.name),
				Expected: fmt.Sprintf("the file of rank %d", i),
			}
		}
		files[i] = f.name
	}
	if len(files) == 0 {
		return nil, &trace.Error{
			File:     path,
			Text:     true,
			What:     "files of ranks",
			Found:    "none",
			Expected: "files such as trace0.txt",
		}
	}
	return files, nil
}

// listed returns the files that the file path lists, one per line. If the file contains actions,
// listed returns only its path.
func listed(path string) ([]string, error) {
	first, err := input.Beginning(path, input.Trace)
	if err != nil {
		return nil, err
	}
	if len(strings.Fields(firstLine(first))) != 1 {
		return []string{path}, nil
	}
	text, err := input.Text(path, input.TraceFiles)
	if err != nil {
		return nil, err
	}
	var files []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		files = append(files, place(path, line))
	}
	return files, nil
}

// place returns the path of a file with the given name in a list of files. A relative name is
// relative to the folder of the list or, if no such file exists, to the working directory, as in
// SimGrid.
func place(list, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	beside := filepath.Join(filepath.Dir(list), name)
	if _, err := input.About(beside); err != nil {
		if _, err := input.About(name); err == nil {
			return name
		}
	}
	return beside
}

// ranksOf returns 1 + the highest rank that has actions in a file.
func ranksOf(path string) (int, error) {
	r := newReader(path)
	most := -1
	for {
		err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, err
		}
		rank, err := r.rank(0)
		if err != nil {
			return 0, err
		}
		most = max(most, rank)
	}
	if most < 0 {
		return 0, r.fail("trace", "no action", "at least one, such as 0 init")
	}
	return most + 1, nil
}

// Format implements trace.Source.
func (s *source) Format() string { return "time-independent" }

// Ranks implements trace.Source.
func (s *source) Ranks() int { return s.ranks }

// Groups implements trace.Source: all communication is in the world.
func (s *source) Groups() [][]int32 { return [][]int32{nil} }

// Open implements trace.Source.
func (s *source) Open(rank int) (trace.Stream, error) {
	file := s.files[0]
	if len(s.files) > 1 {
		file = s.files[rank]
	}
	return &stream{source: s, me: rank, reader: newReader(file), element: sizes[byteType]}, nil
}

// longest is the maximum length of a line in MiB. It is enough for an all-to-all with a count for
// each of a million ranks.
const longest = 64

// reader reads the words of the lines of a file.
type reader struct{ *trace.Lines }

func newReader(path string) *reader { return &reader{trace.NewLines(path, longest)} }

// fail returns an error at the current line.
func (r *reader) fail(what, found, expected string) error {
	return r.Fail(what, trace.Quoted(found), expected)
}

// rank parses word i of the current line as a rank.
func (r *reader) rank(i int) (int, error) {
	if i >= len(r.Words) {
		return 0, r.fail("action", strings.Join(r.Words, " "), "a rank")
	}
	n, err := strconv.Atoi(r.Words[i])
	if err != nil || n < 0 || n >= maxRanks {
		return 0, r.fail("rank", r.Words[i], "a number from 0")
	}
	return n, nil
}

// maxRanks is the maximum number of ranks of a trace.
const maxRanks = 1 << 26
