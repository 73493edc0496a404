package cli

import (
	"fmt"
	"path/filepath"
	"strings"
)

// studyFolders names folders, below the one for all, for the results of studies: files' names without their endings,
// and before them, if several files have the same, as much of their paths as tells them apart.
func studyFolders(files []string) ([]string, error) {
	full := make([]string, len(files))
	for i, file := range files {
		path, err := filepath.Abs(file)
		if err != nil {
			return nil, err
		}
		full[i] = path
	}
	names := make([]string, len(files))
	for i, path := range full {
		stem := strings.TrimSuffix(path, filepath.Ext(path))
		for elements := 1; ; elements++ {
			names[i] = lastElements(stem, elements)
			twin := sharer(full, path, names[i], elements)
			if twin < 0 {
				break
			}
			if elements > strings.Count(stem, string(filepath.Separator)) {
				return nil, &usageError{fmt.Errorf("found %s and %s, expected files whose names differ before their endings: results of both would go to the same folder", files[i], files[twin])}
			}
		}
	}
	return names, nil
}

// sharer finds another file than the one of a path whose last elements are the same; -1 if there is none.
func sharer(full []string, path, name string, elements int) int {
	for i, other := range full {
		if other != path && lastElements(strings.TrimSuffix(other, filepath.Ext(other)), elements) == name {
			return i
		}
	}
	return -1
}

// lastElements are so many elements of a path from its end on; all of it, if there are no more.
func lastElements(path string, n int) string {
	at := len(path)
	for ; n > 0; n-- {
		if at = strings.LastIndexByte(path[:at], filepath.Separator); at <= 0 {
			break
		}
	}
	return path[at+1:]
}
