package record

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// What is in a shelter beside the result.
const (
	oldFolder = "old"  // what the result replaces
	lockFile  = "lock" // locked while the process that writes is there

	linksSpill, buffersSpill = "links.bins", "buffers.bins" // bins that do not fit in memory
)

// besides are the names of files in a shelter that no result has.
var besides = []string{lockFile, linksSpill, buffersSpill}

// lockShelter has a shelter known for one that is being written in. Where files cannot be locked it returns nil, and nobody
// takes the shelter for left behind.
func lockShelter(shelter string) *os.File {
	name := filepath.Join(shelter, lockFile)
	file, err := os.Create(name + ".new")
	if err != nil {
		return nil
	}
	if !lock(file) {
		_ = file.Close()
		return nil
	}
	_ = os.Rename(file.Name(), name) // nobody sees it before it is locked
	return file
}

// removeLeft removes what processes have left beside a path that were ended while they wrote there. What else is found
// there stays.
func removeLeft(path string) {
	shelters, _ := filepath.Glob(filepath.Join(globLiteral(filepath.Dir(path)), globLiteral(shelterPrefix(path))+"*"))
	for _, shelter := range shelters {
		if file, err := os.Open(filepath.Join(shelter, lockFile)); err == nil {
			if lock(file) && onlyOurs(shelter) {
				removeShelter(shelter, path)
			}
			_ = file.Close()
		}
	}
}

// removeShelter removes a shelter. If the process ended while it replaced an earlier result, that comes back.
func removeShelter(shelter, path string) {
	old := filepath.Join(shelter, oldFolder)
	if _, err := os.Lstat(old); err == nil {
		if _, err := os.Lstat(path); err != nil && os.Rename(old, path) != nil {
			return
		}
	}
	_ = os.RemoveAll(shelter) // what is left can do no harm
}

// onlyOurs tells whether a shelter holds nothing but what runs write there.
func onlyOurs(shelter string) bool {
	err := filepath.WalkDir(shelter, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if !e.Type().IsRegular() || !ours(name) {
			return fs.ErrExist
		}
		return nil
	})
	return err == nil
}

// ours tells whether runs write files of such a name.
func ours(name string) bool {
	base := filepath.Base(name)
	part := filepath.Base(filepath.Dir(name)) == partsFolder && filepath.Ext(base) == ".parquet"
	return part || slices.Contains(files, base) || slices.Contains(besides, base)
}
