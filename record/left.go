package record

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"fabricast/internal/checkpoint"
	"fabricast/internal/input"
)

// Names of files and folders in a run's shelter: the temporary folder in which it writes the new
// result.
const (
	oldFolder = "old"   // what the result replaces
	lockFile  = "lock"  // locked while the process that writes is there
	claimFile = "claim" // there if the run leaves checkpoints at the path of the result

	linksSpill, buffersSpill = "links.bins", "buffers.bins" // bins that do not fit in memory
)

// besides lists the files of a shelter that are not part of a result.
var besides = []string{
	lockFile, claimFile, linksSpill, buffersSpill, checkpoint.JournalName, checkpoint.RecordedName,
}

// lockShelter marks a shelter as in use, by a locked file in it. It returns nil where files cannot
// be locked: such a shelter is never removed by other processes.
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

// sheltersOf returns the shelters beside a path.
func sheltersOf(path string) []string {
	shelters, _ := filepath.Glob(
		filepath.Join(globLiteral(filepath.Dir(path)), globLiteral(shelterPrefix(path))+"*"),
	)
	return shelters
}

// removeLeft removes the shelters beside a path that belong to processes that ended before they
// finished. It leaves everything else there alone.
func removeLeft(path string) {
	for _, shelter := range sheltersOf(path) {
		if file, _, err := input.Open(filepath.Join(shelter, lockFile), input.Lock); err == nil {
			if lock(file) && onlyOurs(shelter) {
				removeShelter(shelter, path)
			}
			_ = file.Close()
		}
	}
}

// claimed reports whether a shelter is of a run that goes on and leaves checkpoints.
func claimed(shelter string) bool {
	if _, err := os.Stat(filepath.Join(shelter, claimFile)); err != nil {
		return false
	}
	file, _, err := input.Open(filepath.Join(shelter, lockFile), input.Lock)
	if err != nil {
		return false
	}
	defer file.Close()
	return !lock(file)
}

// removeShelter removes a shelter. If its process ended while it replaced an earlier result, the
// earlier result is restored.
func removeShelter(shelter, path string) {
	old := filepath.Join(shelter, oldFolder)
	if _, err := os.Lstat(old); err == nil {
		if _, err := os.Lstat(path); err != nil && os.Rename(old, path) != nil {
			return
		}
	}
	_ = os.RemoveAll(shelter) // what is left can do no harm
}

// onlyOurs reports whether a shelter holds only files that runs write there.
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

// ours reports whether runs write files with this name.
func ours(name string) bool {
	base := filepath.Base(name)
	part := filepath.Base(filepath.Dir(name)) == partsFolder && filepath.Ext(base) == ".parquet"
	return part || isFile(base) || slices.Contains(besides, base)
}
