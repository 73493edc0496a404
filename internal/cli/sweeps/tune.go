package sweeps

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/collective"
	"fabricast/collective/libraries"
	"fabricast/collective/tables"
	"fabricast/internal/atomicfile"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/console"
	"fabricast/internal/cli/ending"
	"fabricast/internal/config"
	"fabricast/internal/input"
	"fabricast/sweep"
	"fabricast/tune"
)

// tuneFlags holds the flags of fabricast tune.
type tuneFlags struct {
	sweepFlags
	kind, sizes, ranks, shapes          string
	algorithms                          []string
	segments, fanouts, radixes, windows string
	compare                             []string
	all                                 bool
}

func NewTune() *cobra.Command {
	f := tuneFlags{sweepFlags: sweepFlags{ending: ".tune"}}
	cmd := &cobra.Command{
		Use:   "tune FILE.yaml --collective NAME",
		Short: "Find the fastest algorithm of a collective for every size and number of ranks",
		Long: `Find the fastest algorithm of a collective for every size and number of ranks, on the network, nodes
and placement of an experiment, with its noise and imbalance. The program of the file is replaced
by calls of the collective; iterations are kept. Algorithms are tried with several segments,
fanouts, radixes and windows. What cannot win is skipped: an algorithm whose software
overheads, or whose bytes at the links of a host, take longer than another one took.

The folder gets the decisions as a picture, as JSON, as a table for "collectives:" in an experiment,
and as files for Open MPI, MPICH and NCCL, in a folder for each shape if shapes are given. Files of
all these kinds can be compared. A tune that was interrupted goes on where it stopped; several
processes share the points.`,
		Example: `  fabricast tune examples/tune/fat-tree.yaml --collective allreduce --sizes 8B:1MiB:8 --ranks 16:64
  fabricast tune torus.yaml --collective alltoall --sizes 1KiB:64KiB --shapes 8x8x4,16x16
  fabricast tune cluster.yaml --collective broadcast --ranks 64 --compare openmpi --compare rules.conf`,
		Args:              cmdline.OneFile,
		ValidArgsFunction: cmdline.ExperimentFiles,
		RunE:              func(cmd *cobra.Command, args []string) error { return f.tune(cmd, args[0]) },
	}
	var kinds []string
	for _, k := range collective.Kinds() {
		kinds = append(kinds, string(k))
	}
	flags := cmd.Flags()
	flags.StringVar(&f.kind, "collective", "", "the `collective`: "+strings.Join(kinds, ", "))
	cmdline.Completes(cmd, "collective", kinds...)
	flags.StringVar(&f.sizes, "sizes", "8B:1MiB:4", "`sizes`: a list, or a range with a factor (2 if none is given)")
	flags.StringVar(&f.ranks, "ranks", "", "`numbers` of ranks, in the same form (default that of the file)")
	flags.StringVar(&f.shapes, "shapes", "", "`shapes` of the machine, or dims of the topology, such as 8x8x8,16x8x4; each with all its ranks unless --ranks is given")
	flags.StringSliceVar(&f.algorithms, "algorithms", nil, "try these `algorithms` only")
	flags.StringVar(&f.segments, "segments", "8KiB,64KiB,1MiB", "`sizes` of segments to try besides the default and none")
	flags.StringVar(&f.fanouts, "fanouts", "2,8", "`numbers` of chains to try besides the default")
	flags.StringVar(&f.radixes, "radixes", "2,8", "`radixes` to try besides the default")
	flags.StringVar(&f.windows, "windows", "8,32", "`windows` to try besides the default")
	flags.StringArrayVar(&f.compare, "compare", nil, "price what this built-in table, or `file` of a library, chooses; may be repeated")
	_ = cmd.RegisterFlagCompletionFunc("compare", cmdline.OrFile(tables.Names()...)) // the flag has just been defined
	flags.BoolVar(&f.all, "all", false, "run also what cannot win, for its exact cost")
	flags.BoolVar(&f.json, "json", false, "print the result as JSON")
	f.registerPoints(cmd)
	return cmd
}

func (f *tuneFlags) tune(cmd *cobra.Command, path string) error {
	spec, notes, err := f.spec(cmd)
	if err != nil {
		return err
	}
	if err := f.check(cmd, path); err != nil {
		return err
	}
	t, err := ending.UntilInterrupted(cmd.Context(), func() (*tune.Tune, error) {
		return tune.New(cmd.Context(), path, spec)
	})
	if err != nil {
		return err
	}
	if !f.cluster.task {
		for _, n := range notes {
			console.TellNote(cmd, n)
		}
	}
	r, err := f.rounds(cmd, path, t)
	if r == nil || f.cluster.task {
		return withoutPoints(err)
	}
	return errors.Join(f.leaveTune(cmd, path, r), console.Show(cmd, f.json, r, func(w io.Writer, r *tune.Result) error {
		return r.Text(w)
	}), err)
}

// spec returns the specification that the flags give, and notes about the files to compare.
func (f *tuneFlags) spec(cmd *cobra.Command) (spec *tune.Spec, notes []string, err error) {
	spec = &tune.Spec{Kind: collective.Kind(f.kind), All: f.all}
	for _, a := range f.algorithms {
		spec.Algorithms = append(spec.Algorithms, collective.Algorithm(a))
	}
	fail := func(flag string, err error) (*tune.Spec, []string, error) {
		return nil, nil, cmdline.Usage(cmd, fmt.Errorf("--%s: %w", flag, err))
	}
	if f.kind == "" {
		return fail("collective", errors.New("found nothing, expected the name of a collective"))
	}
	if spec.Sizes, err = tune.ParseSizes(f.sizes); err != nil {
		return fail("sizes", err)
	}
	segments, err := tune.ParseSizes(f.segments)
	if err != nil {
		return fail("segments", err)
	}
	for _, n := range segments {
		spec.Segments = append(spec.Segments, int(n))
	}
	for _, list := range []struct {
		flag, text string
		to         *[]int
	}{
		{"ranks", f.ranks, &spec.Ranks},
		{"fanouts", f.fanouts, &spec.Fanouts},
		{"radixes", f.radixes, &spec.Radixes},
		{"windows", f.windows, &spec.Windows},
	} {
		if list.text == "" {
			continue
		}
		if *list.to, err = tune.ParseNumbers(list.text); err != nil {
			return fail(list.flag, err)
		}
	}
	if f.shapes != "" {
		if spec.Shapes, err = tune.ParseShapes(f.shapes); err != nil {
			return fail("shapes", err)
		}
	}
	if err := spec.Check(); err != nil {
		return nil, nil, cmdline.Usage(cmd, err)
	}
	for _, name := range f.compare {
		t := tune.Table{Name: name, Table: tables.Named(name)}
		if t.Table == nil {
			var said []string
			if t.Table, said, err = readRules(name); err != nil {
				return nil, nil, err
			}
			notes = append(notes, said...)
		}
		spec.Compare = append(spec.Compare, t)
	}
	return spec, notes, nil
}

// rounds runs all rounds of a tune, on this machine or in an array job.
func (f *tuneFlags) rounds(cmd *cobra.Command, path string, t *tune.Tune) (r *tune.Result, err error) {
	options := sweep.Options{
		Workers: f.workers, Folder: f.folder(path), Isolate: isolate, ExitCode: ending.Code, Join: f.cluster.task,
		Damaged: f.tellDamaged(cmd),
	}
	round := 1
	all := func(o sweep.Options) (err error) {
		r, err = t.Run(func(n int, file *sweep.File) (*sweep.Table, error) {
			round = n
			return file.Run(cmd.Context(), o)
		})
		return err
	}
	if f.cluster.launcher == slurmLauncher {
		f.again = f.words()
		err = f.onSlurm(cmd, path, options, all)
	} else {
		options.Progress = f.progress(cmd, func(p sweep.Progress) string {
			return describeSweep(filepath.Base(path)+", round "+strconv.Itoa(round), p)
		})
		err = all(options)
		f.line.Clear()
	}
	return r, err
}

// words returns the words by which a task of an array job runs the same tune.
func (f *tuneFlags) words() []string {
	words := []string{
		"tune", "--collective", f.kind, "--sizes", f.sizes, "--segments", f.segments, "--fanouts", f.fanouts,
		"--radixes", f.radixes, "--windows", f.windows, "--all=" + strconv.FormatBool(f.all),
	}
	if f.ranks != "" {
		words = append(words, "--ranks", f.ranks)
	}
	if f.shapes != "" {
		words = append(words, "--shapes", f.shapes)
	}
	if f.algorithms != nil {
		words = append(words, "--algorithms", strings.Join(f.algorithms, ","))
	}
	for _, name := range f.compare {
		if path, err := filepath.Abs(name); err == nil && tables.Named(name) == nil {
			name = path
		}
		words = append(words, "--compare", name)
	}
	return words
}

// readRules reads a file of rules, and returns notes about what has no counterpart.
func readRules(name string) (*tables.Table, []string, error) {
	text, err := input.Text(name, input.Collectives)
	if err != nil {
		return nil, nil, fabricast.NewConfigError(err)
	}
	c, err := libraries.Convert(name, text)
	if err != nil {
		return nil, nil, fabricast.NewConfigError(err)
	}
	t, err := libraries.Read(name, text)
	if err != nil {
		return nil, nil, fabricast.NewConfigError(err)
	}
	if t.Empty() {
		return nil, nil, fabricast.NewConfigError(config.Problems{{
			Position: config.Position{Source: &config.Source{Name: name, Text: text}, Line: 1, Column: 1, Width: 1},
			Found:    "no rule", Expected: "at least one, such as allreduce ring",
		}})
	}
	notes := c.Notes
	for i := range notes {
		notes[i] = name + ": " + notes[i]
	}
	return t, notes, nil
}

func tellNotes(cmd *cobra.Command, r *tune.Result) {
	for _, n := range r.Notes {
		console.TellNote(cmd, n)
	}
}

// leaveTune writes the result to the folder in all forms, and adds the notes about them to it.
func (f *tuneFlags) leaveTune(cmd *cobra.Command, path string, r *tune.Result) error {
	folder := f.folder(path)
	if folder == "" {
		tellNotes(cmd, r)
		return nil
	}
	var errs []error
	for i, shape := range r.Shapes {
		of := filepath.Join(folder, shape)
		errs = append(errs, os.MkdirAll(of, 0o777))
		for _, format := range libraries.Formats() {
			var b bytes.Buffer
			notes, err := format.Write(&b, r.Decisions(i))
			errs = append(errs, err, atomicfile.WriteBytes(filepath.Join(of, format.File), b.Bytes()))
			r.Notes = append(r.Notes, notes...)
		}
	}
	slices.Sort(r.Notes)
	r.Notes = slices.Compact(r.Notes)
	tellNotes(cmd, r)
	errs = append(
		errs, atomicfile.WriteBytes(filepath.Join(folder, "map.svg"), r.SVG()),
		atomicfile.Write(filepath.Join(folder, "tune.json"), r.JSON),
	)
	return errors.Join(errs...)
}
