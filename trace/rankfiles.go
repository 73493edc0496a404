package trace

import (
	"cmp"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fabricast/internal/input"
	"fabricast/internal/pattern"
)

// rankFile splits the file name of a rank into three parts: the text before the last number, the
// number, and the text after it.
var rankFile = pattern.Lazy(`^(.*?)(\d+)(\D*)$`)

// Entries returns the entries of the folder dir, sorted by name. It omits the ._NAME files in which
// macOS stores attributes of the file NAME. The error is an *input.Error.
func Entries(dir string) ([]fs.DirEntry, error) {
	entries, err := input.Folder(dir)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return strings.HasPrefix(e.Name(), "._")
	}), nil
}

// Files returns the regular files among the Entries of the folder dir. The error is an
// *input.Error.
func Files(dir string) ([]fs.DirEntry, error) {
	entries, err := Entries(dir)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !e.Type().IsRegular() }), nil
}

// RankFiles returns the paths of the files of all ranks of a trace, given the path of one of them.
// The file names differ only in their last number, which is the rank. If the file name has no
// number, the trace has a single rank. want is the required number of files; 0 means any number.
// The error is an *Error or an *input.Error.
func RankFiles(path string, want int) ([]string, error) {
	dir, name := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	m := rankFile().FindStringSubmatch(name)
	if m == nil {
		if want <= 1 {
			return []string{path}, nil
		}
		return nil, &Error{
			File:     path,
			What:     "name of the file",
			Found:    "no rank in it",
			Expected: "a number before its ending",
		}
	}
	entries, err := Files(dir)
	if err != nil {
		return nil, err
	}
	type file struct {
		name string
		rank int
	}
	var found []file
	for _, e := range entries {
		o := rankFile().FindStringSubmatch(e.Name())
		if o == nil || o[1] != m[1] || o[3] != m[3] {
			continue
		}
		if rank, err := strconv.Atoi(o[2]); err == nil {
			found = append(found, file{filepath.Join(dir, e.Name()), rank})
		}
	}
	slices.SortFunc(
		found,
		func(a, b file) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.name, b.name)) },
	)
	if want == 0 {
		want = max(1, len(found))
	}
	files := make([]string, 0, len(found))
	for rank := range want {
		if rank >= len(found) || found[rank].rank != rank {
			expected := fmt.Sprintf("%s%0*d%s", m[1], len(m[2]), rank, m[3])
			return nil, &Error{
				File:     filepath.Clean(dir),
				What:     "files of ranks",
				Found:    fmt.Sprintf("none of rank %d", rank),
				Expected: expected,
			}
		}
		files = append(files, found[rank].name)
	}
	return files, nil
}

// FirstRankFile returns the path of the file of some rank in the folder dir. It tries the given
// file name endings in order, and for each ending the files in order of their names. It returns the
// first file for which is, given the first bytes of the file, reports that they match the format.
// If there is none, it returns an *Error that gives example as an expected file name.
func FirstRankFile(dir string, endings []string, is func(begin []byte) bool, example string) (string, error) {
	entries, err := Files(dir)
	if err != nil {
		return "", err
	}
	for _, ending := range endings {
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), ending) {
				continue
			}
			path := filepath.Join(dir, e.Name())
			begin, err := input.Beginning(path, input.Trace)
			if err != nil {
				return "", err
			}
			if is([]byte(begin)) {
				return path, nil
			}
		}
	}
	return "", &Error{File: dir, What: "files of ranks", Found: "none", Expected: "files such as " + example}
}
