package runs

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/cmpi"
	"fabricast/collective"
	"fabricast/collective/tables"
	"fabricast/experiment"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/console"
	"fabricast/internal/cli/ending"
	"fabricast/internal/cli/traces"
	"fabricast/internal/units"
	"fabricast/report"
)

// programFlags holds the flags of fabricast run for C programs.
type programFlags struct {
	ranks      int
	stack      string
	prefix     bool
	omit       bool
	algorithms []string
	compute    string
	factor     string
	table      string
	types      string
	strict     bool
}

// programOnly lists the flags that have no effect on built-in programs.
var programOnly = []string{
	"stack",
	"prefix",
	"omit-payload",
	"compute",
	"compute-factor",
	"types",
	"collective",
}

func (f *programFlags) register(cmd *cobra.Command) {
	cmd.Flags().VarP(cmdline.CountOf(&f.ranks, 1), "ranks", "n", "run on so many ranks")
	cmd.Flags().StringVar(&f.stack, "stack", "",
		"the `size` to which the stack of a rank of a program in C "+
			"may grow (default 8MiB, or 1MiB on more than 16384 ranks)")
	cmd.Flags().BoolVar(&f.prefix, "prefix", false,
		"begin the lines that a program in C prints with their rank")
	cmd.Flags().BoolVar(&f.omit, "omit-payload", false, "messages of a program in C carry sizes only")
	cmd.Flags().StringVar(&f.compute, "compute", "",
		"what computation of a program in C costs, a `mode`: "+
			"none, measured or sampled (default none)")
	cmd.Flags().StringVar(&f.factor, "compute-factor", "",
		"what measured processor time is multiplied by "+
			"(default 1)")
	cmd.Flags().StringVar(&f.table, "collectives", "",
		"which algorithms collectives run, a `table`: "+
			"default, mpich, openmpi, one of a version, such as openmpi-4.1, or a file")
	cmd.Flags().StringVar(&f.types, "types", "warn",
		"what to do where a rank of a program in C receives "+
			"bytes as something else than they were sent as, a `mode`: warn, error or ignore")
	cmd.Flags().BoolVar(&f.strict, "strict", false,
		"fail because of what is otherwise a warning about a "+
			"program in C, such as a rank that never calls MPI_Finalize")
	cmd.Flags().StringArrayVar(&f.algorithms, "collective", nil,
		"`name=algorithm` of a collective of a "+
			"program in C, such as allreduce=ring, and its pacing, as in alltoall=pairwise,pacing=mod "+
			"(repeatable)")
	cmdline.Completes(cmd, "compute", experiment.Words("compute.mode")...)
	cmdline.Completes(cmd, "types", "warn", string(cmpi.TypesFail), string(cmpi.TypesIgnored))
	_ = cmd.RegisterFlagCompletionFunc("collectives", cmdline.OrFile(tables.Names()...))
	_ = cmd.RegisterFlagCompletionFunc("collective", cmdline.CompleteCollective)
}

// assignments converts flags that set fields of the experiment to assignments, path=value.
func (f *programFlags) assignments() []string {
	var list []string
	if f.ranks > 0 {
		list = append(list, fmt.Sprintf("ranks=%d", f.ranks))
	}
	if f.compute != "" {
		list = append(list, "compute.mode="+f.compute)
	}
	if f.factor != "" {
		list = append(list, "compute.factor="+f.factor)
	}
	if f.table != "" {
		list = append(list, "collectives.table="+tableOrFile(f.table))
	}
	for _, a := range f.algorithms {
		if kind, _, pacing, paced := cutCollective(a); paced {
			list = append(list, "collectives."+kind+".pacing="+pacing)
		}
	}
	if f.omit {
		list = append(list, "payload="+experiment.PayloadOmit)
	}
	return list
}

// tableOrFile makes a file name absolute; the name of a built-in table is unchanged.
func tableOrFile(name string) string {
	if path, err := filepath.Abs(name); err == nil && tables.Named(name) == nil {
		return path
	}
	return name
}

// options converts the experiment and the flags to options of package cmpi.
func (f *programFlags) options(e *fabricast.Experiment) (cmpi.Options, error) {
	o, err := traces.CommandOptions(e)
	if err != nil {
		return o, err
	}
	o.Prefix, o.Strict, o.Algorithms = f.prefix, f.strict, map[collective.Kind]collective.Algorithm{}
	switch f.types {
	case "", "warn":
	case string(cmpi.TypesFail), string(cmpi.TypesIgnored):
		o.Types = cmpi.Types(f.types)
	default:
		return o, fmt.Errorf("found --types %s, expected warn, error or ignore", f.types)
	}
	if f.stack != "" {
		n, err := units.ParseBytes(f.stack)
		if err != nil {
			return o, fmt.Errorf("--stack: %w", err)
		}
		o.Stack = int(n)
	}
	for _, a := range f.algorithms {
		kind, algorithm, _, paced := cutCollective(a)
		if algorithm != "" {
			o.Algorithms[collective.Kind(kind)] = collective.Algorithm(algorithm)
		} else if !paced {
			return o, fmt.Errorf("found --collective %s, expected a collective and its algorithm, "+
				"its pacing or both, as in allreduce=ring or alltoall=pairwise,pacing=mod", a)
		}
	}
	return o, nil
}

// cutCollective splits the value of --collective: name=algorithm, name=pacing=PACING or
// name=algorithm,pacing=PACING.
func cutCollective(text string) (kind, algorithm, pacing string, paced bool) {
	const key = "pacing="
	kind, rest, _ := strings.Cut(text, "=")
	if pacing, paced = strings.CutPrefix(rest, key); paced {
		return kind, "", pacing, true
	}
	algorithm, pacing, paced = strings.Cut(rest, ","+key)
	return kind, algorithm, pacing, paced
}

// tellNotes prints those notes of a result that were not printed before the run.
func (f *runFlags) tellNotes(cmd *cobra.Command, r *fabricast.Result) {
	for _, note := range r.Notes {
		if !slices.Contains(f.told, note) {
			console.TellNote(cmd, note)
		}
	}
}

// simulateInOrder is like simulate, and also prints the output of a C program's ranks in order of
// simulated time.
func (f *runFlags) simulateInOrder(
	cmd *cobra.Command,
	e *fabricast.Experiment,
	job *cmpi.Job,
) (*fabricast.Result, error) {
	defer job.InOrder()()
	result, err := f.simulate(cmd, e)
	dropUnlessEnded(job, err)
	return result, err
}

// dropUnlessEnded discards buffered output if the run ended with a checkpoint, because the resumed
// run will print it.
func dropUnlessEnded(job *cmpi.Job, err error) {
	var interrupted *fabricast.InterruptedError
	if errors.As(err, &interrupted) && interrupted.Checkpoint != "" {
		job.DropOutput()
	}
}

// runProgram runs a C program on the network of an experiment. The program's output goes to
// standard output and the report to standard error; --json exchanges the two.
func (f *runFlags) runProgram(cmd *cobra.Command, file string, command []string) error {
	e, err := f.experiment.LoadMachine(cmd, file)
	if err = f.fellows.settle(err); err != nil {
		return err
	}
	f.records(e)
	if f.checkpoint != "" {
		if f.command, err = f.keepCommand(command); err != nil {
			return &ending.UsageError{Err: err}
		}
	}
	return f.runCommand(cmd, e, command)
}

// runNamed runs the C program that the experiment names in workload.command.
func (f *runFlags) runNamed(cmd *cobra.Command, e *fabricast.Experiment) error {
	command := e.Workload.Command.Words()
	err := e.FindCommand()
	if err == nil && f.checkpoint != "" {
		f.command, err = f.keepCommand(command)
	}
	if err = f.fellows.settle(err); err != nil {
		return err
	}
	f.records(e)
	return f.runCommand(cmd, e, command)
}

// runCommand runs a C program on the network of an experiment that has been loaded.
func (f *runFlags) runCommand(cmd *cobra.Command, e *fabricast.Experiment, command []string) error {
	o, err := f.program.options(e)
	if err != nil {
		return cmdline.Usage(cmd, err)
	}
	if f.json {
		o.Output = os.Stderr
	}
	if f.watch {
		if err := watchable(cmd, cmp.Or(o.Output, os.Stdout)); err != nil {
			return err
		}
	}
	job, err := cmpi.Load(command[0], command[1:], o)
	if err = f.fellows.settle(err); err != nil {
		return err
	}
	f.recordForView(e)
	e.Launch, e.Common = job.Launcher(), job.Common()
	e.TwoSided, e.Command = job.TwoSided(), f.again(e, command)
	result, err := f.simulateInOrder(cmd, e, job)
	for _, warning := range job.Warnings() {
		fmt.Fprintln(cmd.ErrOrStderr(), "fabricast: "+warning)
	}
	if result == nil {
		return errors.Join(err, job.Mismatch())
	}
	result.Notes = append(result.Notes, job.Notes()...)
	f.tellNotes(cmd, result)
	if stray := report.Stray(result); stray != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), "fabricast: "+stray)
	}
	if f.json {
		err = errors.Join(f.print(cmd, result, err == nil), err)
	} else {
		err = errors.Join(f.text(cmd.ErrOrStderr(), result, err == nil), err)
	}
	return errors.Join(err, job.Err())
}
