package reports

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/ending"
	"fabricast/internal/leftover"
	"fabricast/record"
	"fabricast/report/data"
)

// ofFolder explains the run in a folder. With --what-helps it runs the changes that may help, and keeps what
// they gain in the folder, for the report.
func (f *whyFlags) ofFolder(cmd *cobra.Command, path string) error {
	if err := cmdline.NoneChanged(cmd, "with a folder, whose run has ended",
		"set", "seed", "what-if"); err != nil {
		return err
	}
	if !f.whatHelps {
		if err := cmdline.NoneChanged(cmd, "without --what-helps, so that little is run", "workers"); err != nil {
			return err
		}
	}
	e, err := f.inFolder(filepath.Join(path, record.ExperimentFile))
	if err != nil {
		return err
	}
	x, err := f.explain(cmd, path, path, e)
	if err != nil {
		return err
	}
	temp, remove, err := leftover.TempDir("fabricast-")
	if err != nil {
		return err
	}
	defer remove()
	if x, err = f.withRoots(cmd, x, path, temp); err != nil {
		return err
	}
	if !f.whatHelps {
		return f.show(cmd, x.path)
	}
	notes := len(x.path.Notes)
	if err := x.helps(cmd, f, temp); err != nil {
		return err
	}
	if err := x.path.KeepHelps(path, x.path.Notes[notes:]); err != nil {
		return err
	}
	return f.show(cmd, x.path)
}

// inFolder returns the experiment in a file of a result folder. Without --what-helps it may be nil: the path does
// not need it.
func (f *whyFlags) inFolder(file string) (*fabricast.Experiment, error) {
	if f.whatHelps {
		return fabricast.Load(file)
	}
	e, err := data.ExperimentOf(file)
	if err != nil {
		return nil, nil
	}
	return e, nil
}

// mostRepeated is the largest number of events of a run that is repeated to find the roots of waits. It takes
// some seconds.
const mostRepeated = 20_000_000

// withRoots repeats the run in a folder with causes=full, if messages on its path wait for others and the folder
// does not tell for whom. The run is deterministic, so what it then records is of the run in the folder. A
// long run is not repeated, nor one whose experiment cannot be: a note says how to find the roots. temp is a
// folder for files.
func (f *whyFlags) withRoots(cmd *cobra.Command, x *explained, path, temp string) (*explained, error) {
	if !x.path.Contention() || x.folder.Has(record.WaitsTable) {
		return x, nil
	}
	result, err := data.ResultOf(x.folder)
	if err != nil {
		return nil, err
	}
	reason := "it is too long, or has not ended"
	if result != nil && result.Events <= mostRepeated && x.folder.State() == record.Ended {
		again, err := f.repeated(cmd, path, filepath.Join(temp, "again"), result)
		switch {
		case err == nil:
			return again, nil
		case ending.Code(err) == ending.Interrupted:
			return nil, err
		}
		reason = err.Error()
	}
	x.path.Notes = append(x.path.Notes, fmt.Sprintf("a run with --record causes=full tells for which messages "+
		"others wait; this run is not repeated for that: %s", reason))
	return x, nil
}

// repeated repeats the run in a folder, with a result, and explains it.
func (f *whyFlags) repeated(cmd *cobra.Command, path, folder string, result *fabricast.Result) (*explained, error) {
	e, err := fabricast.Load(filepath.Join(path, record.ExperimentFile))
	if err != nil {
		return nil, err
	}
	e.Record = experiment.Recording{Causes: experiment.CausesFull}
	same, err := f.run(cmd, e, fabricast.Record(folder))
	if err != nil {
		return nil, err
	}
	if same.Hash != result.Hash {
		return nil, fmt.Errorf("another result hash, %s, than that of the folder, %s", same.Hash, result.Hash)
	}
	return f.explain(cmd, folder, path, e)
}
