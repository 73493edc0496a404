package torch

import (
	"fmt"
	"path/filepath"

	"fabricast/internal/input"
	"fabricast/trace"
)

// Siblings returns the files of a trace: those in a folder, or in that of a file, that are of the
// format, in the order of their names.
func Siblings(path string, is func(begin []byte) bool) (files []string, err error) {
	info, err := input.About(path)
	if err != nil {
		return nil, err
	}
	folder := path
	if !info.IsDir() {
		folder = filepath.Dir(path)
	}
	entries, err := trace.Files(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := filepath.Join(folder, e.Name())
		text, err := input.Beginning(name, input.Trace)
		if err != nil {
			return nil, err
		}
		if is([]byte(text[:min(len(text), begins)])) {
			files = append(files, name)
		}
	}
	if len(files) == 0 {
		return nil, &trace.Error{
			File: path, What: "trace", Found: "no file of the format", Expected: "one for each rank",
		}
	}
	return files, nil
}

// begins is the number of bytes by which a format is detected.
const begins = 512

// SameRank returns the error for two files of one rank.
func SameRank(file, other string, rank int) error {
	return &trace.Error{
		File: file, What: "rank", Found: fmt.Sprintf("%d, as in %s", rank, filepath.Base(other)),
		Expected: "another one in each file of a folder",
	}
}

// ByRank orders the files of a trace by rank. ranks has the rank of each, and there must be one for
// each of so many ranks.
func ByRank(files []string, ranks []int, world int) ([]string, error) {
	of := map[int]string{}
	for i, rank := range ranks {
		if rank >= world {
			return nil, &trace.Error{
				File: files[i], What: "rank", Found: fmt.Sprint(rank), Expected: fmt.Sprintf("one below %d", world),
			}
		}
		if other, known := of[rank]; known {
			return nil, SameRank(files[i], other, rank)
		}
		of[rank] = files[i]
	}
	var list []string
	for rank := range world {
		file, known := of[rank]
		if !known {
			return nil, &trace.Error{
				File: files[0], What: "files of the trace", Found: fmt.Sprintf("none of rank %d", rank),
				Expected: fmt.Sprintf("one for each of %d ranks, in one folder", world),
			}
		}
		list = append(list, file)
	}
	return list, nil
}
