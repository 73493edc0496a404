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

	"fabricast/experiment"
	"fabricast/internal/atomicfile"
	"fabricast/internal/checkpoint"
	"fabricast/internal/config"
	"fabricast/internal/input"
	"fabricast/internal/leftover"
	"fabricast/internal/run"
	"fabricast/internal/units"
)

// Checkpoints of runs (docs/long-runs.md).
type (
	Checkpoints      = run.Checkpoints      // when a run leaves them
	Look             = run.Look             // a period of a run that is looked at closely
	CheckpointReport = run.CheckpointReport // how long each took, and its size
)

// LookGrain divides the times at which a Look may end.
const LookGrain = run.LookGrain

// Checkpoint makes a run with a result folder (see Record) leave checkpoints there, from which
// OpenCheckpoint goes on. When the run's context ends, it leaves one more instead of the results so
// far. A run that cannot be saved is refused with a *ConfigError before it begins.
func Checkpoint(c Checkpoints) Option { return run.Checkpoint(c) }

// SavedRun is a run that has left a checkpoint.
type SavedRun struct {
	Experiment *Experiment
	Time       units.Time // simulated time that was reached
	Ranks      int
	Finished   int // ranks that had ended
	// Schedule says how often the run has left checkpoints.
	Schedule Checkpoints
	// Flags are those of Checkpoints, and Trace the absolute path of its Trace. An experiment with
	// a trace, or with a program in Go or C, needs its Launch or Program anew before Run: the same
	// program, which is run again up to the checkpoint. One with Network.Doors needs the same doors.
	Flags []byte
	Trace string

	folder string
	file   *checkpoint.File
	fresh  bool   // it begins at the beginning, as the file is later
	copies string // the folder of copies of files; "" if there are none
	remove func() // what has been made for it
}

// OpenCheckpoint opens the checkpoint in the result folder of a run that has not ended. It checks
// that the file is whole up to the state itself, which Run checks. The user must call Close.
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

// OpenBefore opens the latest checkpoint in the folder of a run, ended or not, that is not after a
// time, for a look back. If the earliest one is after that time, the run begins at the beginning.
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

// CheckpointTimes returns from which simulated times on OpenBefore finds checkpoints in the folder
// of a run, in ascending order; none if the run has left none.
func CheckpointTimes(folder string) ([]units.Time, error) { return checkpoint.Times(folder) }

// LookNames returns the names, for Recording.Set, of what can be recorded of a period of a run.
func LookNames(e *Experiment) []string {
	return slices.DeleteFunc(slices.Clone(experiment.RecordingNames), func(name string) bool {
		// a buffer's mean has to be known from its first packet on, and traffic has no timeline
		return name == "buffer-bins" || name == "timeline" && e.HasTraffic()
	})
}

// openCheckpoint opens a checkpoint of the run in a folder.
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

// copyFiles makes copies of the files that the experiment names, in a folder of their own, by the
// names that they have in the checkpoint.
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

// parse returns the experiment in the checkpoint.
func (s *SavedRun) parse(part experiment.Part) (*Experiment, error) {
	root, err := config.Parse(&config.Source{Name: s.file.Path(), Text: s.file.Experiment})
	if err != nil {
		return nil, NewConfigError(err)
	}
	return decode(root, cmp.Or(s.copies, "."), nil, part)
}

// placeFiles names the files of the experiment: those that it has named at first, if they are still
// the same, in the place of their copies.
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

// Run goes on with the run and returns its result, which is that of a run that nothing has
// interrupted. Options may select another number of workers. If they have checkpoints, the run
// leaves further ones; in any case it records its result in the folder.
func (s *SavedRun) Run(ctx context.Context, options ...Option) (*Result, error) {
	return s.Experiment.Run(ctx, append(options, Record(s.folder), run.Resume(s.file))...)
}

// Look simulates a period of the run again and records it in another folder. The result there says
// of the run up to the end of the period.
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
