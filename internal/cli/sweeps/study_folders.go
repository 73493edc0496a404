package sweeps

import (
	"fmt"
	"path/filepath"
	"strings"

	"fabricast/internal/cli/ending"
)

// studyFolders returns the names of the studies' result folders within the common folder: the names
// of the files without their extensions. If several files have the same name, it prepends as many
// parent folders as needed to make the names distinct.
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
				return nil, &ending.UsageError{
					Err: fmt.Errorf(
						"found %s and %s, expected files whose names differ before their endings: "+
							"results of both would go to the same folder",
						files[i], files[twin],
					),
				}
			}
		}
	}
	return names, nil
}

// sharer returns the index of another file whose path ends in the same last elements, given as
// name; -1 if there is none.
func sharer(full []string, path, name string, elements int) int {
	for i, other := range full {
		if other != path && lastElements(strings.TrimSuffix(other, filepath.Ext(other)), elements) == name {
			return i
		}
	}
	return -1
}

// lastElements returns the last n elements of a path, or all if there are fewer.
func lastElements(path string, n int) string {
	at := len(path)
	for ; n > 0; n-- {
		if at = strings.LastIndexByte(path[:at], filepath.Separator); at <= 0 {
			break
		}
	}
	return path[at+1:]
}
