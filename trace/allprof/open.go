package allprof

import (
	"bytes"

	"fabricast/internal/input"
	"fabricast/trace"
)

// source is an opened trace.
type source struct {
	files []string // by rank
}

// banner is part of the first line that liballprof writes.
const banner = "PMPI Tracer"

// Is reports whether begin is the start of a file written by liballprof.
func Is(begin []byte) bool {
	for line := range bytes.Lines(begin) {
		switch line = bytes.TrimSpace(line); {
		case len(line) == 0:
		case line[0] == '#':
			if bytes.Contains(line, []byte(banner)) {
				return true
			}
		default:
			return bytes.HasPrefix(line, []byte("MPI_")) && bytes.Count(line, []byte(":")) >= 2
		}
	}
	return false
}

// Open opens a trace. path is the file of any rank, or the folder with the files of all ranks.
func Open(path string) (trace.Source, error) {
	info, err := input.About(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		if path, err = trace.FirstRankFile(path, []string{".txt"}, Is, "pmpi-trace-rank-0.txt"); err != nil {
			return nil, err
		}
	}
	files, err := trace.RankFiles(path, 0)
	return &source{files: files}, err
}

// Format implements trace.Source.
func (s *source) Format() string { return "liballprof" }

// Ranks implements trace.Source.
func (s *source) Ranks() int { return len(s.files) }

// Groups implements trace.Source. It returns only the world, because the trace does not contain the
// members of other communicators.
func (s *source) Groups() [][]int32 { return [][]int32{nil} }

// Open implements trace.Source.
func (s *source) Open(rank int) (trace.Stream, error) {
	return &stream{source: s, rank: int32(rank), line: newLine(s.files[rank])}, nil
}
