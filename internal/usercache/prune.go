package usercache

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"time"

	"fabricast/internal/input"
)

// most is the number of results above which the older half is removed. Those of earlier builds of the program are never
// read again.
const most = 1024

// prune removes the older half of the results if there are too many. Another process may remove them at the same time.
func (f *Folder) prune() {
	entries, err := input.Folder(f.path)
	if err != nil || len(entries) <= most {
		return
	}
	age := make(map[string]time.Time, len(entries))
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			age[e.Name()] = info.ModTime()
		}
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int {
		return cmp.Or(age[a.Name()].Compare(age[b.Name()]), cmp.Compare(a.Name(), b.Name()))
	})
	for _, e := range entries[:len(entries)/2] {
		if !ours(e.Name()) {
			continue
		}
		_ = os.Remove(filepath.Join(f.path, e.Name())) // a result that stays does no harm
	}
}

// ours reports whether a file of the folder holds a result: the user may have chosen a folder with other files.
func ours(name string) bool {
	return len(name) == 2*len(Key{}) && !slices.ContainsFunc([]byte(name), func(c byte) bool {
		return (c < '0' || c > '9') && (c < 'a' || c > 'f')
	})
}
