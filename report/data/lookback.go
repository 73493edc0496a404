package data

import (
	"path/filepath"
	"strings"

	"fabricast"
	"fabricast/internal/units"
)

// lookBack returns the periods of the run that can be simulated again; nil if there are none.
func (b *builder) lookBack() *LookBack {
	l := &LookBack{Folder: named(b.folder)}
	switch {
	case b.result != nil:
		l.End = b.result.SimulatedTime
	case b.run.Progress != nil:
		l.End = units.Time(b.run.Progress.Time)
	}
	var err error
	if l.Checkpoints, err = fabricast.CheckpointTimes(b.folder); err == nil && len(l.Checkpoints) > 0 {
		l.Records, err = b.looks()
	}
	if err != nil {
		b.problem("it cannot be looked back at a period of the run: %v", err)
	}
	if l.End <= 0 || len(l.Records) == 0 {
		return nil
	}
	return l
}

// looks returns the kinds of records that a simulation of a period can make. It reads them from the
// experiment in a checkpoint.
func (b *builder) looks() ([]string, error) {
	saved, err := fabricast.OpenBefore(b.folder, 0)
	if err != nil {
		return nil, err
	}
	defer saved.Close()
	return fabricast.LookNames(saved.Experiment), nil
}

// named returns a folder's path in a form that is valid as a command argument, and to which a
// suffix can be added to name another folder.
func named(folder string) string {
	folder = filepath.Clean(folder)
	if base := filepath.Base(folder); base != "." && base != ".." && !strings.HasPrefix(folder, "-") {
		return folder
	}
	if path, err := filepath.Abs(folder); err == nil {
		return path
	}
	return folder
}
