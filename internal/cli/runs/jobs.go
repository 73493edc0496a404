package runs

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/cmpi"
	"fabricast/experiment"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/ending"
	"fabricast/internal/cli/traces"
	"fabricast/internal/config"
	"fabricast/node"
	"fabricast/replay"
	"fabricast/report"
)

// jobFlags holds the flags of fabricast run for several jobs.
type jobFlags struct {
	list         []string
	interference bool
}

func (f *jobFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.list, "job", nil, "run this `job` beside others, as in "+
		"name=a,trace=PATH,ranks=64,placement=random-nodes or program=alltoall,size=1KiB,ranks=64 "+
		"(repeatable)")
	cmd.Flags().BoolVar(&f.interference, "interference", false,
		"of several jobs, run each alone too, and "+
			"report its slowdown by the others, and the links that they share")
}

// parseJob parses the value of --job: comma-separated fields with their values. A key that is no
// field of a job is a field of its workload.
func parseJob(text string) (*config.Node, error) {
	name := "--job " + text
	job := &config.Node{Kind: config.Mapping, Position: config.Position{
		Source: &config.Source{Name: name, Text: text, Command: true},
		Line:   1, Column: 1, Width: len([]rune(text)),
	}}
	given := map[string]bool{}
	for _, part := range splitJob(text) {
		key, value, found := strings.Cut(part, "=")
		if key = strings.TrimSpace(key); !found || key == "" || strings.TrimSpace(value) == "" {
			return nil, fmt.Errorf(
				"found --job %s, expected fields and their values, such as name=a,program=alltoall,ranks=64",
				text,
			)
		}
		switch root, _, _ := strings.Cut(key, "."); {
		case key == "command":
			words, err := words(value)
			if err != nil {
				return nil, fmt.Errorf("found --job %s: %w", text, err)
			}
			value = "[" + strings.Join(words, ", ") + "]"
		case key == "traffic" && !strings.HasPrefix(strings.TrimSpace(value), "{"):
			key = "traffic.pattern"
		case !isJobField(root):
			key = "workload." + key
		}
		if given[key] {
			return nil, fmt.Errorf("found --job %s, expected %s once", text, key)
		}
		given[key] = true
		var err error
		if job, err = config.SetBy(name, unfold(job, key), key+"="+value); err != nil {
			return nil, err
		}
	}
	return job, nil
}

// unfold converts the short form of a trace, placement or traffic pattern in job to a mapping, so
// that the field key can be added to it.
func unfold(job *config.Node, key string) *config.Node {
	for short, field := range map[string]string{
		"trace": "file", "placement": "order", "traffic.pattern": "name",
	} {
		if strings.HasPrefix(key, short+".") {
			job = config.Unfold(job, short, field)
		}
	}
	return job
}

func isJobField(name string) bool {
	for _, known := range experiment.JobFields() {
		if known == name {
			return true
		}
	}
	return false
}

// splitJob splits a text at commas outside brackets and quotes.
func splitJob(text string) (parts []string) {
	depth, begin, quote := 0, 0, rune(0)
	for i, c := range text {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, text[begin:i])
			begin = i + 1
		}
	}
	return append(parts, text[begin:])
}

// words splits a command into words, each quoted as a YAML string. Quotes keep words together.
func words(command string) ([]string, error) {
	list, err := experiment.SplitCommand(command)
	for i := range list {
		list[i] = strconv.Quote(list[i])
	}
	return list, err
}

// loadJobs reads an experiment and adds the jobs of the command line.
func (f *runFlags) loadJobs(cmd *cobra.Command, file string) (*fabricast.Experiment, error) {
	var list []*config.Node
	for _, text := range f.jobs.list {
		job, err := parseJob(text)
		if err != nil {
			var problems config.Problems
			if errors.As(err, &problems) {
				return nil, fabricast.NewConfigError(err)
			}
			return nil, cmdline.Usage(cmd, err)
		}
		list = append(list, job)
	}
	return ending.UntilInterrupted(cmd.Context(), func() (*fabricast.Experiment, error) {
		d, err := fabricast.OpenDocument(file)
		if err != nil {
			return nil, err
		}
		d = d.WithJobs(list...)
		for _, a := range f.experiment.Assignments(cmd) {
			if d, err = d.Set(a); err != nil {
				return nil, err
			}
		}
		return d.Experiment()
	})
}

// openedJobs holds the opened traces and C programs of an experiment's jobs.
type openedJobs struct {
	programs  []*cmpi.Job
	replays   map[string]*replay.Job // by job name
	endOutput func()                 // writes the programs' remaining output
	nowhere   *os.File               // discards the output of programs that run again; nil before
}

// again discards the output of programs from now on, because they run again and have already
// printed it.
func (o *openedJobs) again() error {
	o.endOutput()
	if o.nowhere != nil {
		return nil
	}
	var err error
	o.nowhere, err = os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	return err
}

// openJobs opens the traces and C programs of an experiment's jobs.
func (f *runFlags) openJobs(e *fabricast.Experiment) (*openedJobs, error) {
	opened := &openedJobs{replays: map[string]*replay.Job{}, endOutput: func() {}}
	for i := range e.Jobs {
		j := &e.Jobs[i]
		var err error
		switch {
		case j.Replays():
			err = f.openTrace(e, i, opened)
		case len(j.Command) > 0:
			err = f.openProgram(e, i, opened)
		}
		if err != nil {
			return nil, err
		}
	}
	return opened, nil
}

// openTrace opens the trace of job i.
func (f *runFlags) openTrace(e *fabricast.Experiment, i int, opened *openedJobs) error {
	replayed, err := traces.OpenJob(e, i, f.saved == nil)
	if err == nil {
		opened.replays[e.Jobs[i].Name] = replayed
	}
	return err
}

// openProgram opens the C program of job i.
func (f *runFlags) openProgram(e *fabricast.Experiment, i int, opened *openedJobs) error {
	j := &e.Jobs[i]
	job, err := f.loadProgram(j, nil)
	if err != nil {
		return err
	}
	opened.programs = append(opened.programs, job)
	j.Launch, j.Common, j.TwoSided = job.Launcher(), job.Common(), job.TwoSided()
	j.Again = func() (node.Launcher, error) {
		if err := opened.again(); err != nil {
			return nil, err
		}
		again, err := f.loadProgram(j, opened.nowhere)
		if err != nil {
			return nil, err
		}
		return again.Launcher(), nil
	}
	return nil
}

func (f *runFlags) loadProgram(j *experiment.Job, output *os.File) (*cmpi.Job, error) {
	alone := fabricast.Experiment{
		Ranks: j.Ranks, Collectives: j.Collectives, Compute: j.Compute, Payload: j.Payload,
	}
	o, err := f.program.options(&alone)
	if err != nil {
		return nil, &ending.UsageError{Err: err}
	}
	if o.Output = output; output == nil && f.json {
		o.Output = os.Stderr
	}
	return cmpi.Load(j.Command[0], j.Command[1:], o)
}

// runJobs runs an experiment with several jobs.
func (f *runFlags) runJobs(cmd *cobra.Command, e *fabricast.Experiment) error {
	opened, err := f.openJobs(e)
	if err = f.fellows.settle(err); err != nil {
		return err
	}
	if len(opened.programs) == 0 {
		if err := cmdline.NoneChanged(cmd, noProgram, programOnly...); err != nil {
			return err
		}
	}
	if f.watch {
		prints := os.Stdout
		if len(opened.programs) == 0 {
			prints = nil
		}
		if err := watchableBeside(cmd, prints); err != nil {
			return err
		}
	}
	f.records(e)
	f.recordForView(e)
	result, err := f.simulateJobs(cmd, e, opened)
	for _, job := range opened.programs {
		for _, warning := range job.Warnings() {
			fmt.Fprintln(cmd.ErrOrStderr(), "fabricast: "+warning)
		}
	}
	for i := range e.Jobs {
		if r := opened.replays[e.Jobs[i].Name]; r != nil {
			told := newReplayReport(r.Report())
			if err == nil {
				err = told.gather(f.fellows.Processes)
			}
			told.tell(cmd)
		}
	}
	if result == nil {
		for _, job := range opened.programs {
			err = errors.Join(err, job.Mismatch())
		}
		return err
	}
	for _, job := range opened.programs {
		result.Notes = append(result.Notes, job.Notes()...)
	}
	f.tellNotes(cmd, result)
	if len(opened.programs) == 0 || f.json {
		err = errors.Join(f.print(cmd, result, err == nil), err)
	} else {
		if stray := report.Stray(result); stray != "" {
			fmt.Fprintln(cmd.ErrOrStderr(), "fabricast: "+stray)
		}
		err = errors.Join(f.text(cmd.ErrOrStderr(), result, err == nil), err)
	}
	for _, job := range opened.programs {
		err = errors.Join(err, job.Err())
	}
	return err
}

// simulateJobs is like simulate, and also prints the output of C programs in order of simulated
// time. One of the jobs orders the output of all jobs.
func (f *runFlags) simulateJobs(
	cmd *cobra.Command,
	e *fabricast.Experiment,
	opened *openedJobs,
) (*fabricast.Result, error) {
	if len(opened.programs) > 0 {
		opened.endOutput = sync.OnceFunc(opened.programs[0].InOrder())
		defer opened.endOutput()
	}
	result, err := f.simulate(cmd, e)
	if len(opened.programs) > 0 {
		dropUnlessEnded(opened.programs[0], err)
	}
	return result, err
}

// watchableBeside is like watchable. prints is nil if no program prints.
func watchableBeside(cmd *cobra.Command, prints *os.File) error {
	if prints == nil {
		return watchable(cmd, nil)
	}
	return watchable(cmd, prints)
}

// noProgram explains why flags for C programs have no effect.
const noProgram = "without a program in C, which follows -- (of programs by name --set sets what they take)"

var errNoJobs = errors.New("found --interference without jobs, expected some: jobs in the file, or --job")
