package runs

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/console"
	"fabricast/internal/cli/ending"
	"fabricast/internal/humanize"
)

// keptFlags holds the flags of a run that are stored in its checkpoints because the experiment does
// not contain them.
type keptFlags struct {
	Trace        string   `json:"trace,omitempty"` // path as given
	Partial      bool     `json:"partial,omitempty"`
	Sets         bool     `json:"task_sets,omitempty"`
	Operations   string   `json:"operation_rates,omitempty"` // as given
	Compute      []string `json:"scale_compute,omitempty"`
	Messages     float64  `json:"scale_messages,omitempty"`
	Algorithms   []string `json:"collective,omitempty"`
	Interference bool     `json:"interference,omitempty"`
	Record       []string `json:"record,omitempty"` // values that request traces
	// the C program of the run, or the C programs of its jobs
	Command  *keptCommand   `json:"command,omitempty"`
	Commands []*keptCommand `json:"commands,omitempty"`
}

// keptCommand describes how a C program was started.
type keptCommand struct {
	Words  []string `json:"words"`
	Folder string   `json:"folder"` // working directory
	Hash   string   `json:"hash"`   // hash of the program file
	Stack  string   `json:"stack,omitempty"`
	Types  string   `json:"types,omitempty"`
	Prefix bool     `json:"prefix,omitempty"`
	Strict bool     `json:"strict,omitempty"`
}

// flagsToKeep returns the flags to store in a checkpoint, as JSON; nil if there are none.
func (f *runFlags) flagsToKeep() []byte {
	if f.trace.path == "" && !f.jobs.interference && f.command == nil && len(f.commands) == 0 &&
		!f.recordsTrace() {
		return nil
	}
	t := &f.trace
	text, err := json.Marshal(keptFlags{
		t.path, t.partial, t.sets, t.operations.Text, t.compute, t.scale.Messages, f.program.algorithms,
		f.jobs.interference, f.tracesRecorded(), f.command, f.commands,
	})
	if err != nil {
		panic(err) // cannot fail: the fields are plain data
	}
	return text
}

// tracesRecorded returns the values of --record that request traces.
func (f *runFlags) tracesRecorded() []string {
	return slices.DeleteFunc(slices.Clone(f.record), func(name string) bool {
		return name != recordTrace && name != recordOTF2
	})
}

// takeFlags sets the flags from those stored in a checkpoint.
func (f *runFlags) takeFlags(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	var k keptFlags
	if err := json.Unmarshal(text, &k); err != nil {
		return err
	}
	t := &f.trace
	t.path = k.Trace
	t.partial, t.sets, t.operations.Text = k.Partial, k.Sets, k.Operations
	t.compute, t.scale.Messages = k.Compute, k.Messages
	f.program.algorithms, f.jobs.interference, f.command = k.Algorithms, k.Interference, k.Command
	f.commands, f.record = k.Commands, k.Record
	return t.scales()
}

// resumeFlags holds the flags of fabricast resume.
type resumeFlags struct {
	workers    int
	checkpoint string
	keep       int
	json       bool
}

func NewResume() *cobra.Command {
	var f resumeFlags
	cmd := &cobra.Command{
		Use:   "resume FOLDER",
		Short: "Go on with a run from its checkpoint, and print the result",
		Long: `Go on with a run from the checkpoint that fabricast run --checkpoint has left in a folder. The
result, and all that is recorded of it, is that of a run that nothing has interrupted, also with
another number of workers, or of processes. The run goes on to leave checkpoints as often as before.`,
		Example: `  fabricast run examples/quickstart.yaml --checkpoint 10m --blocks 8 --out results/long
  fabricast resume results/long --workers 8
  mpirun -n 4 fabricast resume results/long --workers 2`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return cmdline.WrongArguments(cmd, args, "the folder of one run that has left a checkpoint")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.resume(cmd, args[0]) },
	}
	cmdline.Count(cmd.Flags(), &f.workers, "workers", 1, "how many cores simulate at once; does not change the "+
		"result (default all)")
	cmd.Flags().StringVar(&f.checkpoint, "checkpoint", "", "leave a checkpoint every so often, other "+
		"than before: 10m of the wall clock, sim:1.2ms of simulated time")
	cmdline.Count(cmd.Flags(), &f.keep, "keep", leastKept, "keep up to so many checkpoints, other than before")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
	return cmd
}

func (f *resumeFlags) resume(cmd *cobra.Command, folder string) error {
	schedule, err := scheduleOf(cmd, f.checkpoint)
	if err != nil {
		return err
	}
	r := runFlags{workers: f.workers, out: folder, json: f.json, schedule: schedule}
	return r.together(cmd, func() error { return r.resume(cmd, f.keep) })
}

// resume resumes the run in the folder f.out.
func (f *runFlags) resume(cmd *cobra.Command, keep int) error {
	saved, err := fabricast.OpenCheckpoint(f.out)
	if err = f.fellows.settle(err); err != nil {
		if saved != nil {
			saved.Close()
		}
		return err
	}
	defer saved.Close()
	if f.schedule == nil {
		f.schedule = &saved.Schedule
	}
	if f.schedule.Keep = saved.Schedule.Keep; keep > 0 {
		f.schedule.Keep = keep
	}
	f.schedule.Flags, f.schedule.Trace = saved.Flags, saved.Trace
	f.saved = saved
	tellBegin(cmd, saved)
	return f.goOn(cmd)
}

// tellBegin prints the time at which a saved run resumes. Errors in its checkpoint may be found
// later.
func tellBegin(cmd *cobra.Command, saved *fabricast.SavedRun) {
	where := "begins where the run began"
	if saved.Time > 0 {
		where = "reads the checkpoint of " + humanize.Time(saved.Time) + " of simulated time"
	}
	console.TellNote(cmd, where)
}

// goOn resumes a saved run.
func (f *runFlags) goOn(cmd *cobra.Command) error {
	if err := f.takeFlags(f.saved.Flags); err != nil {
		return fabricast.NewConfigError(err)
	}
	e := f.saved.Experiment
	if e.HasJobs() {
		return f.goOnWithJobs(cmd)
	}
	if f.command != nil {
		return f.goOnWithProgram(cmd)
	}
	if f.saved.Trace != "" {
		// Use the path that the user gave, if it still leads to the trace.
		if path, err := filepath.Abs(f.trace.path); err != nil || path != f.saved.Trace {
			f.trace.path = f.saved.Trace
		}
		source, err := f.trace.open()
		if err != nil {
			return &ending.UsageError{Err: err}
		}
		return f.replay(cmd, source, e)
	}
	result, err := f.simulate(cmd, e)
	if result == nil {
		return err
	}
	f.tellNotes(cmd, result)
	return errors.Join(f.print(cmd, result, err == nil), err)
}
