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
	oldFolder = "old"   // the earlier result, while it is being replaced
	lockFile  = "lock"  // locked while the writing process runs
	claimFile = "claim" // exists if the run writes checkpoints at the path of the result

	linksSpill, buffersSpill = "links.bins", "buffers.bins" // spill files of bins
)

// besides lists the files in a shelter that are not part of a result.
var besides = []string{
	lockFile, claimFile, linksSpill, buffersSpill, checkpoint.JournalName, checkpoint.RecordedName,
}

// lockShelter creates and locks the lock file in a shelter, which marks the shelter as in use. It
// returns nil if the file cannot be locked. Other processes never remove such a shelter.
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
	_ = os.Rename(file.Name(), name) // the file appears under its final name only after it is locked
	return file
}

// sheltersOf returns the shelters of all runs that write a result at path.
func sheltersOf(path string) []string {
	shelters, _ := filepath.Glob(
		filepath.Join(globLiteral(filepath.Dir(path)), globLiteral(shelterPrefix(path))+"*"),
	)
	return shelters
}

// removeLeft removes the shelters of runs at path whose process has ended, for example because it
// was killed. It removes nothing else.
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

// claimed reports whether the run of a shelter is still running and writes checkpoints.
func claimed(shelter string) bool {
	_, err := os.Stat(filepath.Join(shelter, claimFile))
	locked, _ := held(shelter)
	return err == nil && locked
}

// held reports whether a process that is running holds the lock of a shelter. Without a lock file, as on
// systems that have no locks, it is not known.
func held(shelter string) (locked, known bool) {
	file, _, err := input.Open(filepath.Join(shelter, lockFile), input.Lock)
	if err != nil {
		return false, false
	}
	defer file.Close()
	return !lock(file), true
}

// removeShelter removes a shelter. If its process ended while it replaced an earlier result,
// removeShelter restores the earlier result at path.
func removeShelter(shelter, path string) {
	old := filepath.Join(shelter, oldFolder)
	if _, err := os.Lstat(old); err == nil {
		if _, err := os.Lstat(path); err != nil && os.Rename(old, path) != nil {
			return
		}
	}
	_ = os.RemoveAll(shelter) // remaining files do no harm
}

// onlyOurs reports whether a folder contains only files that runs write.
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

// ours reports whether a run writes files with this name.
func ours(name string) bool {
	base := filepath.Base(name)
	part := filepath.Base(filepath.Dir(name)) == partsFolder && filepath.Ext(base) == ".parquet"
	return part || isFile(base) || slices.Contains(besides, base)
}
