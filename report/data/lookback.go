package data

import (
	"path/filepath"
	"strings"

	"fabricast"
	"fabricast/internal/units"
)

// lookBack returns which periods of the run can be simulated again; nil if none can.
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

// looks returns the kinds of records that can be made of a period, according to the experiment in a
// checkpoint.
func (b *builder) looks() ([]string, error) {
	saved, err := fabricast.OpenBefore(b.folder, 0)
	if err != nil {
		return nil, err
	}
	defer saved.Close()
	return fabricast.LookNames(saved.Experiment), nil
}

// named returns the path of a folder in a form that can be passed to a command and extended to the
// name of another folder.
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
