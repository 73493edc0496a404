package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fabricast/internal/checkpoint"
	"fabricast/internal/input"
	"fabricast/internal/leftover"
)

// ResultFile is the file by which a folder is recognized as a result.
const ResultFile = "result.json"

// Schema is the schema name and version of result files, and of the tables beside them.
const Schema = schemaPrefix + "2"

// schemaPrefix is the schema of result files without the version.
const schemaPrefix = "fabricast.result/"

// ErrOccupied reports that a folder holds something other than an earlier result.
var ErrOccupied = errors.New("expected a new name, or a folder with an earlier result and nothing else")

// ErrInUse reports that another run writes checkpoints at the same path.
var ErrInUse = errors.New("found another run that leaves checkpoints there, expected it to end first")

// otherFiles lists the names of the files that a result folder may hold, except tables.
var otherFiles = []string{
	ResultFile, ExperimentFile, MappingFile, PartitionFile, ImbalanceFile, CollectivesFile,
	VersionFile, NetworkFile, ProgressFile, BinsFile, watchedFile, TraceFile, TraceArchive,
}

// isFile reports whether a result folder may hold a file with this name.
func isFile(name string) bool { return rowTypes[name] != nil || slices.Contains(otherFiles, name) }

// Files of a result folder that record what was run.
const (
	ExperimentFile  = "experiment.yaml"
	MappingFile     = "mapping.txt"
	PartitionFile   = "partition.txt"
	ImbalanceFile   = "imbalance.txt"
	CollectivesFile = "collectives.txt"
	TraceFile       = "trace.fbt"  // what the ranks did, to be replayed
	TraceArchive    = "trace.otf2" // likewise, as a folder
	VersionFile     = "version.txt"
)

// Folder is a result folder that is being written. Nothing appears at its path until Commit. Either
// Commit or Abort must be called; Abort after Commit does nothing.
type Folder struct {
	path    string
	shelter string // temporary folder beside path; "" once it is gone
	temp    string // inside shelter; renamed to path at the end
	lock    *os.File
	// the run leaves checkpoints at path, or goes on from the one there
	checkpoints bool
}

// Create starts a result folder at path. It fails with ErrOccupied if path holds something that
// must not be replaced, and with ErrInUse if another run writes checkpoints there.
func Create(path string) (*Folder, error) { return create(path, false) }

// Continue is like Create for a run that is resumed from the checkpoint at path. The checkpoint
// stays until Commit.
func Continue(path string) (*Folder, error) { return create(path, true) }

func create(path string, checkpoints bool) (*Folder, error) {
	target := targetOf(path)
	if err := inUse(target, ""); err != nil {
		return nil, err
	}
	removeLeft(target)
	removeParts(target)
	if err := replaceable(target, checkpoints); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	parent := filepath.Dir(target)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return nil, fmt.Errorf("%s: a folder cannot be made there: %w", path, err)
	}
	var temp string
	err := leftover.Make(func() (string, error) {
		var err error
		temp, err = os.MkdirTemp(parent, shelterPrefix(target))
		return temp, err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: a folder cannot be made there: %w", path, cause(err))
	}
	// the temporary folder is private to this user; a plain folder in it gets the usual permissions
	f := &Folder{
		path: target, shelter: temp, temp: filepath.Join(temp, "result"), lock: lockShelter(temp),
		checkpoints: checkpoints,
	}
	if err := os.Mkdir(f.temp, 0o777); err != nil {
		return nil, errors.Join(err, f.remove())
	}
	return f, nil
}

// shelterPrefix returns the beginning of the name of the temporary folder beside a path.
func shelterPrefix(path string) string { return "." + filepath.Base(path) + ".part-" }

// cause returns an error without the name of its temporary file, which the user does not know.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// replaceable returns nil if a new result may replace what is at the path: nothing, an empty
// folder, or an earlier result without other files. A checkpoint may be replaced by the run that
// leaves it, which is given as `own`.
func replaceable(path string, own bool) error {
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		if about, failed := os.Stat(path); failed == nil && !about.IsDir() {
			return fmt.Errorf("found a file, %w", ErrOccupied)
		}
		return fmt.Errorf("a folder cannot be made there: %w", cause(err))
	case len(entries) == 0:
		return nil
	}
	if !own && slices.ContainsFunc(entries, isCheckpoint) {
		return fmt.Errorf("found the checkpoint of a run that has not ended (fabricast resume goes on "+
			"from there), %w", ErrOccupied)
	}
	if onlyBeside(path, entries) {
		return nil
	}
	foreign := func(e fs.DirEntry) bool { return !isCheckpoint(e) && !isBeside(e) }
	if !isResult(path) && (!own || slices.ContainsFunc(entries, foreign)) {
		return fmt.Errorf("found something that is not an earlier result, %w", ErrOccupied)
	}
	for _, e := range entries {
		name := e.Name()
		isFolder := name == TraceArchive || traceOfJob(name, TraceArchive) ||
			isBeside(e) && e.IsDir()
		known := isFile(name) || isFolder || traceOfJob(name, TraceFile) ||
			isCheckpoint(e) || isBeside(e)
		if !known || !e.Type().IsRegular() && !isFolder {
			return fmt.Errorf("found %s beside an earlier result, %w", e.Name(), ErrOccupied)
		}
	}
	return nil
}

// isCheckpoint reports whether a file is a checkpoint.
func isCheckpoint(e fs.DirEntry) bool { return e.Name() == checkpoint.Name }

// isBeside reports whether a file is what checkpoints need beside them, or the folder of those that
// are kept.
func isBeside(e fs.DirEntry) bool {
	switch e.Name() {
	case checkpoint.JournalName, checkpoint.RecordedName:
		return true
	case checkpoint.KeptFolder, checkpoint.TablesFolder:
		return e.IsDir()
	}
	return false
}

// onlyBeside reports whether a folder with some entries holds nothing but what checkpoints need beside
// them, which is of no use alone: of a run that was killed before it had left the first one, or of one
// whose checkpoint has been removed.
func onlyBeside(path string, entries []fs.DirEntry) bool {
	return !slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		name := filepath.Join(path, e.Name())
		switch {
		case !isBeside(e):
			return true
		case e.Name() == checkpoint.TablesFolder:
			return !onlyOurs(name)
		case e.Name() == checkpoint.KeptFolder:
			return !checkpoint.OnlyKept(name)
		}
		return !e.Type().IsRegular()
	})
}

// Beside returns the path of a file in the run's temporary folder, which is not part of the result.
func (f *Folder) Beside(name string) string { return filepath.Join(f.shelter, name) }

// removeParts removes checkpoints that have been written in part, by runs that were killed.
func removeParts(path string) {
	parts, _ := filepath.Glob(filepath.Join(path, "."+checkpoint.Name+".*.part"))
	for _, part := range parts {
		_ = os.Remove(part) // what is left is found by replaceable
	}
}

// Claim prevents other runs from writing checkpoints at the path until Commit or Abort. It fails
// with ErrInUse if one does already. If two runs claim the path at the same time, both may fail.
// Where files cannot be locked it never fails.
func (f *Folder) Claim() error {
	if err := os.WriteFile(filepath.Join(f.shelter, claimFile), nil, 0o666); err != nil {
		return err
	}
	return inUse(f.path, filepath.Clean(f.shelter))
}

// InUse returns an ErrInUse if a running process writes checkpoints at the path.
func InUse(path string) error { return inUse(targetOf(path), "") }

// inUse does what InUse does, without regard to the run whose shelter is given.
func inUse(target, own string) error {
	for _, shelter := range sheltersOf(target) {
		if shelter != own && claimed(shelter) {
			return fmt.Errorf("%s: %w", target, ErrInUse)
		}
	}
	return nil
}

// targetOf returns the folder that a path stands for: a link to a folder stays one.
func targetOf(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return filepath.Clean(path)
}

// Checkpoint returns the path of the run's checkpoint, in the folder that the result will replace.
// It makes that folder if there is none.
func (f *Folder) Checkpoint() (path string, err error) {
	f.checkpoints = true
	return filepath.Join(f.path, checkpoint.Name), os.MkdirAll(f.path, 0o777)
}

// JobTrace returns the name of the trace of one of several jobs: that of TraceFile or TraceArchive,
// with the job's name in it.
func JobTrace(file, job string) string {
	stem, ending := traceParts(file)
	return stem + job + ending
}

// traceOfJob reports whether a name is one that JobTrace returns.
func traceOfJob(name, file string) bool {
	stem, ending := traceParts(file)
	return len(name) > len(stem)+len(ending) && strings.HasPrefix(name, stem) &&
		strings.HasSuffix(name, ending)
}

// traceParts returns what precedes and what follows the name of a job in the name of its trace.
func traceParts(file string) (stem, ending string) {
	ending = filepath.Ext(file)
	return strings.TrimSuffix(file, ending) + ".", ending
}

// isResult reports whether a folder holds a result.
func isResult(path string) bool {
	text, err := input.Bytes(filepath.Join(path, ResultFile), input.Result)
	if err != nil {
		return false
	}
	var r struct {
		Schema string `json:"schema"`
	}
	return json.Unmarshal(text, &r) == nil && strings.HasPrefix(r.Schema, schemaPrefix)
}

// Path returns the path at which the folder will appear.
func (f *Folder) Path() string { return f.path }

// Write adds a file to the folder.
func (f *Folder) Write(name string, data []byte) error {
	return os.WriteFile(filepath.Join(f.temp, name), data, 0o666)
}

// Commit moves the folder to its path, in place of what was there.
func (f *Folder) Commit() error {
	if err := replaceable(f.path, f.checkpoints); err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	if err := f.takeKept(); err != nil {
		return err
	}
	leftover.Drop(f.shelter) // if the process ends now, the next run puts the earlier result back
	old := filepath.Join(f.shelter, oldFolder)
	err := os.Rename(f.path, old)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(f.temp, f.path); err != nil {
		return errors.Join(err, os.Rename(old, f.path))
	}
	return f.remove()
}

// takeKept moves the checkpoints that the run has kept into the new result.
func (f *Folder) takeKept() error {
	if !f.checkpoints {
		return nil
	}
	at := func(name string) (from, to string) { return filepath.Join(f.path, name), filepath.Join(f.temp, name) }
	err := os.Rename(at(checkpoint.KeptFolder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // without kept checkpoints nobody needs the journal
	}
	// the last checkpoint needs it until the result is in its place
	if _, absent := os.Lstat(filepath.Join(f.path, checkpoint.JournalName)); err != nil || absent != nil {
		return err
	}
	return linkOrMove(at(checkpoint.JournalName))
}

func (f *Folder) remove() error {
	shelter := f.shelter
	f.shelter = ""
	err := os.RemoveAll(shelter)
	leftover.Drop(shelter)
	if f.lock != nil {
		err = errors.Join(err, f.lock.Close())
	}
	return err
}

// Abort removes everything written so far. f may be nil.
func (f *Folder) Abort() {
	if f != nil && f.shelter != "" {
		_ = f.remove() // what is left can do no harm, and the run's own error matters more
	}
}
