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

// ResultFile is the name of the file that identifies a folder as a result folder.
const ResultFile = "result.json"

// Schema is the schema name and version of result.json and of the tables in its folder.
const Schema = schemaPrefix + "2"

// schemaPrefix is Schema without the version.
const schemaPrefix = "fabricast.result/"

// ErrOccupied reports that a folder contains files other than an earlier result.
var ErrOccupied = errors.New("expected a new name, or a folder with an earlier result and nothing else")

// ErrInUse reports that another run writes checkpoints at the same path.
var ErrInUse = errors.New("found another run that leaves checkpoints there, expected it to end first")

// otherFiles lists the names of the files, other than tables, that a result folder may contain.
var otherFiles = []string{
	ResultFile, ExperimentFile, MappingFile, PartitionFile, ImbalanceFile, NoiseFile, FaultsFile, OutagesFile,
	CollectivesFile, VersionFile, NetworkFile, ProgressFile, BinsFile, watchedFile, TraceFile, TraceArchive,
	WhatHelpsFile,
}

// isFile reports whether a result folder may contain a file with this name.
func isFile(name string) bool { return rowTypes[name] != nil || slices.Contains(otherFiles, name) }

// Files of a result folder that describe the experiment and the recorded trace.
const (
	ExperimentFile  = "experiment.yaml"
	MappingFile     = "mapping.txt"
	PartitionFile   = "partition.txt"
	ImbalanceFile   = "imbalance.txt"
	NoiseFile       = "noise.txt"
	FaultsFile      = "faults.txt"
	OutagesFile     = "outages.txt" // times of random faults
	CollectivesFile = "collectives.txt"
	TraceFile       = "trace.fbt"  // recorded trace in Fabricast's native format
	TraceArchive    = "trace.otf2" // recorded trace as an OTF2 archive, a folder
	VersionFile     = "version.txt"
	WhatHelpsFile   = "what_helps.json" // changes that were measured, see fabricast why
)

// Folder is a result folder that is being written. It appears at its path only when Commit is
// called. Either Commit or Abort must be called; Abort after Commit has no effect.
type Folder struct {
	path    string
	shelter string // temporary folder next to path; "" after it is removed
	temp    string // inside shelter; renamed to path at the end
	lock    *os.File
	// the run writes checkpoints at path, or is resumed from the checkpoint at path
	checkpoints bool
}

// Create returns a Folder for a new result at path. It fails with ErrOccupied if path contains
// files that must not be replaced, and with ErrInUse if another run writes checkpoints at path.
func Create(path string) (*Folder, error) { return create(path, false) }

// Continue is like Create, for a run that is resumed from the checkpoint at path. Commit replaces
// the checkpoint.
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
	// MkdirTemp makes the folder private to this user; the folder within it gets the usual
	// permissions
	f := &Folder{
		path: target, shelter: temp, temp: filepath.Join(temp, "result"), lock: lockShelter(temp),
		checkpoints: checkpoints,
	}
	if err := os.Mkdir(f.temp, 0o777); err != nil {
		return nil, errors.Join(err, f.remove())
	}
	return f, nil
}

// shelterPrefix returns the prefix of the name of the temporary folder next to path.
func shelterPrefix(path string) string { return "." + filepath.Base(path) + ".part-" }

// cause returns err without the path of the temporary file, which is of no use to the user.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// replaceable returns nil if a new result may be moved to path: if path does not exist, is an empty
// folder, or is an earlier result without other files. own means that the run itself writes the
// checkpoints at path, and may therefore replace them.
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

// isBeside reports whether e is a file or folder that checkpoints need in their folder, or the
// folder of kept checkpoints.
func isBeside(e fs.DirEntry) bool {
	switch e.Name() {
	case checkpoint.JournalName, checkpoint.RecordedName:
		return true
	case checkpoint.KeptFolder, checkpoint.TablesFolder:
		return e.IsDir()
	}
	return false
}

// onlyBeside reports whether a folder contains only files that accompany checkpoints, and no
// checkpoint. These are useless: the run was killed before it wrote the first checkpoint, or the
// checkpoint has been removed.
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

// Beside returns the path of a file with the given name in the run's temporary folder. The file is
// not part of the result.
func (f *Folder) Beside(name string) string { return filepath.Join(f.shelter, name) }

// removeParts removes incomplete checkpoints at path, which runs leave when they are killed.
func removeParts(path string) {
	parts, _ := filepath.Glob(filepath.Join(path, "."+checkpoint.Name+".*.part"))
	for _, part := range parts {
		_ = os.Remove(part) // replaceable reports files that cannot be removed
	}
}

// Claim prevents other runs from writing checkpoints at the path of the folder until Commit or
// Abort. It fails with ErrInUse if another run already does. If two runs call Claim at the same
// time, both may fail. On systems without file locks, it does not fail with ErrInUse.
func (f *Folder) Claim() error {
	if err := os.WriteFile(filepath.Join(f.shelter, claimFile), nil, 0o666); err != nil {
		return err
	}
	return inUse(f.path, filepath.Clean(f.shelter))
}

// InUse returns ErrInUse, wrapped, if a running process writes checkpoints at path.
func InUse(path string) error { return inUse(targetOf(path), "") }

// inUse is like InUse, but ignores the run whose temporary folder is own.
func inUse(target, own string) error {
	for _, shelter := range sheltersOf(target) {
		if shelter != own && claimed(shelter) {
			return fmt.Errorf("%s: %w", target, ErrInUse)
		}
	}
	return nil
}

// targetOf returns the path of the folder to replace. If path is a symbolic link, it is the target
// of the link, so that the link is preserved.
func targetOf(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return filepath.Clean(path)
}

// Checkpoint returns the path of the run's checkpoint. It is in the folder at the path of the
// result, which the result will replace. Checkpoint creates the folder if necessary.
func (f *Folder) Checkpoint() (path string, err error) {
	f.checkpoints = true
	return filepath.Join(f.path, checkpoint.Name), os.MkdirAll(f.path, 0o777)
}

// JobTrace returns the name of the trace of a job, in a run with several jobs. file is TraceFile or
// TraceArchive; the job's name is inserted before its extension.
func JobTrace(file, job string) string {
	stem, ending := traceParts(file)
	return stem + job + ending
}

// traceOfJob reports whether JobTrace returns name for file and some job.
func traceOfJob(name, file string) bool {
	stem, ending := traceParts(file)
	return len(name) > len(stem)+len(ending) && strings.HasPrefix(name, stem) &&
		strings.HasSuffix(name, ending)
}

// traceParts returns the text before and after the job's name in the name of its trace.
func traceParts(file string) (stem, ending string) {
	ending = filepath.Ext(file)
	return strings.TrimSuffix(file, ending) + ".", ending
}

// isResult reports whether path is a result folder.
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

// Path returns the path to which Commit moves the folder.
func (f *Folder) Path() string { return f.path }

// Write writes data to a file in the folder.
func (f *Folder) Write(name string, data []byte) error {
	return os.WriteFile(filepath.Join(f.temp, name), data, 0o666)
}

// Commit moves the folder to its path and replaces the earlier result.
func (f *Folder) Commit() error {
	if err := replaceable(f.path, f.checkpoints); err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	if err := f.takeKept(); err != nil {
		return err
	}
	leftover.Drop(f.shelter) // if the process ends now, the next run restores the earlier result
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

// takeKept moves the kept checkpoints of the run into the new result.
func (f *Folder) takeKept() error {
	if !f.checkpoints {
		return nil
	}
	at := func(name string) (from, to string) { return filepath.Join(f.path, name), filepath.Join(f.temp, name) }
	err := os.Rename(at(checkpoint.KeptFolder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // without kept checkpoints, the journal is not needed
	}
	// link rather than move: the last checkpoint needs the journal until the result replaces it
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

// Abort removes the temporary folder. f may be nil.
func (f *Folder) Abort() {
	if f != nil && f.shelter != "" {
		_ = f.remove() // remaining files do no harm, and the error of the run matters more
	}
}
