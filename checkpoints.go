package fabricast

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fabricast/experiment"
	"fabricast/internal/atomicfile"
	"fabricast/internal/checkpoint"
	"fabricast/internal/config"
	"fabricast/internal/input"
	"fabricast/internal/leftover"
	"fabricast/internal/run"
	"fabricast/internal/units"
)

// Types for checkpoints of runs (see docs/long-runs.md).
type (
	Checkpoints      = run.Checkpoints      // says when a run saves checkpoints
	Look             = run.Look             // a period of a run to be simulated again with more recorded
	CheckpointReport = run.CheckpointReport // how long a checkpoint took, and its size
)

// LookGrain is the granularity of the end of a Look, which is rounded up to a multiple of it.
const LookGrain = run.LookGrain

// Checkpoint makes a run with a result folder (see Record) save checkpoints there, from which
// OpenCheckpoint resumes it. When the run's context is cancelled, the run saves one more checkpoint
// instead of partial results. A run that cannot be saved returns a *ConfigError before it starts.
func Checkpoint(c Checkpoints) Option { return run.Checkpoint(c) }

// SavedRun is a run that has saved a checkpoint.
type SavedRun struct {
	Experiment *Experiment
	Time       units.Time // simulated time of the checkpoint
	Ranks      int
	Finished   int // number of ranks that had ended
	// Schedule says how often the run has saved checkpoints.
	Schedule Checkpoints
	// Flags and Trace are those passed to the run in Checkpoints; the path Trace is absolute. If
	// the experiment replays a trace or runs a Go or C program, Launch or Program must be set again
	// before Run, to the same program. Run executes it again up to the checkpoint. If the
	// experiment has Network.Doors, they must be set again too.
	Flags []byte
	Trace string

	folder string
	file   *checkpoint.File
	fresh  bool   // run from the start, since the checkpoint is later than wanted
	copies string // folder of copies of files; "" if there are none
	remove func() // removes the folder `copies`
}

// OpenCheckpoint opens the checkpoint in the result folder of a run that has not ended. It checks
// that the file is intact except for the state itself, which Run checks. The caller must call
// Close.
func OpenCheckpoint(folder string) (*SavedRun, error) {
	path := filepath.Join(folder, checkpoint.Name)
	if _, err := os.Stat(folder); err == nil {
		if _, err = os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, NewConfigError(fmt.Errorf(
				"%s: found no checkpoint, expected one that fabricast run --checkpoint has completed: it is gone "+
					"when the run has ended, and a run that was killed before may have completed none", folder,
			))
		}
	}
	return openCheckpoint(folder, path)
}

// OpenBefore opens the latest checkpoint at or before time t in the folder of a run, ended or not,
// for use by SavedRun.Look. If even the earliest checkpoint is later than t, the returned run
// starts from the beginning.
func OpenBefore(folder string, t units.Time) (*SavedRun, error) {
	latest, earliest, err := checkpoint.Before(folder, t)
	if err == nil && earliest == "" {
		err = errors.New(folder + ": found no checkpoints, expected those that fabricast run --checkpoint " +
			"--keep leaves")
	}
	if err != nil {
		return nil, NewConfigError(err)
	}
	if latest != "" {
		return openCheckpoint(folder, latest)
	}
	s, err := openCheckpoint(folder, earliest)
	if err == nil {
		s.fresh, s.Time, s.Finished = true, 0, 0
	}
	return s, err
}

// CheckpointTimes returns the simulated times of the checkpoints that OpenBefore can open in the
// folder of a run, in ascending order. It returns none if the run has saved none.
func CheckpointTimes(folder string) ([]units.Time, error) { return checkpoint.Times(folder) }

// LookNames returns the names, for Recording.Set, of the data that a Look can record.
func LookNames(e *Experiment) []string {
	return slices.DeleteFunc(slices.Clone(experiment.RecordingNames), func(name string) bool {
		// The mean use of a buffer must be tracked from its first packet on, a critical path leads back
		// to the beginning of the run, traffic has no timeline, and flows have windows only where packets are lost or
		// paused.
		return name == "buffer-bins" || strings.HasPrefix(name, "causes") || name == "timeline" && e.HasTraffic() ||
			name == "flows" && !e.Network.Ethernet()
	})
}

// openCheckpoint opens the checkpoint file at path of the run recorded in folder.
func openCheckpoint(folder, path string) (*SavedRun, error) {
	file, err := checkpoint.Open(path)
	if err != nil {
		return nil, NewConfigError(err)
	}
	s := &SavedRun{
		Time: file.Time, Ranks: file.Ranks, Finished: file.Finished,
		Schedule: Checkpoints{Every: file.Every, EveryTime: file.EveryTime, Keep: file.Keep},
		folder:   folder, file: file, remove: func() {},
	}
	s.Flags, s.Trace = file.Flags, file.Trace.Name
	s.Schedule.Flags, s.Schedule.Trace = s.Flags, s.Trace
	part := experiment.WholeFile
	if s.Trace != "" || file.Launched {
		part = experiment.MachineOnly
	}
	if err = s.copyFiles(); err == nil {
		s.Experiment, err = s.parse(part)
	}
	if err == nil {
		err = s.placeFiles()
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// copyFiles writes the files stored in the checkpoint to a temporary folder, under the names that
// the experiment in the checkpoint uses for them.
func (s *SavedRun) copyFiles() (err error) {
	if len(s.file.Files) == 0 {
		return nil
	}
	if s.copies, s.remove, err = leftover.TempDir("fabricast-"); err != nil {
		return err
	}
	for i, f := range s.file.Files {
		path := filepath.Join(s.copies, strconv.Itoa(i)+filepath.Ext(f.Name))
		if err := atomicfile.WriteBytes(path, []byte(f.Text)); err != nil {
			return err
		}
	}
	return nil
}

// parse returns the experiment stored in the checkpoint, or only the given part of it.
func (s *SavedRun) parse(part experiment.Part) (*Experiment, error) {
	root, err := config.Parse(&config.Source{Name: s.file.Path(), Text: s.file.Experiment})
	if err != nil {
		return nil, NewConfigError(err)
	}
	return decode(root, cmp.Or(s.copies, "."), nil, part)
}

// placeFiles replaces the path of a copied file in the experiment by the original path, if the
// original is unchanged.
func (s *SavedRun) placeFiles() error {
	i := 0
	return s.Experiment.form().EachFile(func(path *string) error {
		if i >= len(s.file.Files) {
			return NewConfigError(errors.New(s.file.Path() + ": found fewer files than the experiment names"))
		}
		saved := s.file.Files[i]
		i++
		if text, err := input.Text(saved.Name, input.Copied); err == nil && text == saved.Text {
			*path = saved.Name
			return nil
		}
		return nil
	})
}

// Run resumes the run and returns its result, which equals that of an uninterrupted run. The
// options may select another number of workers. If they include Checkpoint, the run saves further
// checkpoints. It always records its result in its folder.
func (s *SavedRun) Run(ctx context.Context, options ...Option) (*Result, error) {
	return s.Experiment.Run(ctx, append(options, Record(s.folder), run.Resume(s.file))...)
}

// Look simulates a period of the run again and records it in another folder. The result there
// covers the run up to the end of the period.
func (s *SavedRun) Look(ctx context.Context, folder string, l Look, options ...Option) (*Result, error) {
	checked := *s.Experiment
	checked.Record = l.Record
	if err := checked.Resolve(); err != nil {
		return nil, err
	}
	options = append(options, Record(folder), run.LookAt(l))
	if s.fresh {
		return s.Experiment.Run(ctx, options...)
	}
	return s.Experiment.Run(ctx, append(options, run.Resume(s.file))...)
}

// Close releases the checkpoint.
func (s *SavedRun) Close() {
	s.remove()
	s.file.Close()
}
