package sweeps

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"fabricast/internal/atomicfile"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/console"
	"fabricast/internal/cli/ending"
	"fabricast/internal/filename"
	"fabricast/sweep"
)

// sweepFlags holds the flags of commands that run a sweep.
type sweepFlags struct {
	workers int
	out     string
	keep    bool
	quick   bool
	large   bool
	json    bool
	csv     bool
	partial bool
	cluster clusterFlags

	// again are the words by which each task of an array job runs the sweep, without its file
	again []string
	// ending of the name of the folder that is used if the user names none; "": .sweep
	ending string

	line *console.ProgressLine // nil unless points are running
}

func (f *sweepFlags) register(cmd *cobra.Command) {
	f.registerPoints(cmd)
	cmd.Flags().BoolVar(&f.quick, "quick", false, "cut the sweep down as its quick section says")
	cmd.Flags().BoolVar(&f.large, "large", false, "run also the points that the sweep calls large")
	cmd.Flags().BoolVar(&f.partial, "partial", false, "run nothing: print what is done so far, also while "+
		"another process runs the sweep, and renew the tables and plots in the folder")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the table as JSON")
}

// registerPoints registers the flags of every command that runs points.
func (f *sweepFlags) registerPoints(cmd *cobra.Command) {
	cmdline.Count(cmd.Flags(), &f.workers, "workers", 1,
		"how many points run at once, on one core each (default all cores)")
	cmd.Flags().StringVar(&f.out, "out", "",
		"leave results, tables and plots in this `folder` (default: "+
			"the file's name with "+f.folderEnding()+", here)")
	cmd.Flags().BoolVar(&f.keep, "keep", true, "write to the folder, and take from it what was done before")
	f.cluster.register(cmd)
}

func NewSweep() *cobra.Command {
	var f sweepFlags
	cmd := &cobra.Command{
		Use:   "sweep FILE.yaml",
		Short: "Run an experiment at every combination of its axes' values; print a table, draw plots",
		Long: `Run an experiment at every combination of its axes' values, several points at once. The table goes
to standard output; a folder keeps it as CSV and Parquet, with the plots and the result of
every point. A sweep that was interrupted goes on where it stopped.

Processes with the same folder share the points, also on several machines. With --launcher slurm
an array job runs them; Ctrl-C ends the job, and the same command goes on from there.`,
		Example: `  fabricast sweep examples/sweeps/torus-loads.yaml
  fabricast sweep examples/sweeps/torus-loads.yaml --launcher slurm --partition batch --time 1:00:00
  fabricast sweep examples/sweeps/torus-loads.yaml --csv > table.csv`,
		Args:              cmdline.OneFile,
		ValidArgsFunction: cmdline.ExperimentFiles,
		RunE:              func(cmd *cobra.Command, args []string) error { return f.sweep(cmd, args[0]) },
	}
	f.register(cmd)
	cmd.Flags().BoolVar(&f.csv, "csv", false, "print the table as CSV, with all digits")
	return cmd
}

func (f *sweepFlags) sweep(cmd *cobra.Command, path string) error {
	if f.json && f.csv {
		return cmdline.Usage(cmd, errors.New("found both --json and --csv, expected one of them"))
	}
	file, err := openSweep(cmd, path)
	if err != nil {
		return err
	}
	t, err := f.run(cmd, file, path)
	if t == nil {
		return err
	}
	if sweepInterrupted(err) {
		return errors.Join(f.leave(t, path, nil), err)
	}
	return errors.Join(f.print(cmd, t), f.leave(t, path, nil), err)
}

// sweepInterrupted reports whether err means that a sweep was interrupted.
func sweepInterrupted(err error) bool {
	var of *sweep.InterruptedError
	return errors.As(err, &of)
}

// openSweep reads a sweep. It can be interrupted.
func openSweep(cmd *cobra.Command, path string) (*sweep.File, error) {
	return ending.UntilInterrupted(cmd.Context(), func() (*sweep.File, error) { return sweep.Open(path) })
}

// run runs the sweep. If points fail, or if the sweep is interrupted, it returns both a table and
// an error. The folder contains a table from the start.
func (f *sweepFlags) run(cmd *cobra.Command, file *sweep.File, path string) (*sweep.Table, error) {
	if err := f.checkPartial(cmd, path); err != nil {
		return nil, err
	}
	if err := f.check(cmd, path); err != nil {
		return nil, err
	}
	options := sweep.Options{
		Workers:  f.workers,
		Quick:    f.quick,
		Large:    f.large,
		Folder:   f.folder(path),
		Isolate:  isolate,
		ExitCode: ending.Code,
		Begun:    func(t *sweep.Table) error { return f.leave(t, path, nil) },
		Damaged:  f.tellDamaged(cmd),
	}
	if f.partial {
		options.Part, options.Begun = sweep.Read, nil
	}
	var t *sweep.Table
	var err error
	if f.cluster.launcher == slurmLauncher {
		err = f.onSlurm(cmd, path, options, func(o sweep.Options) (err error) {
			t, err = file.Run(cmd.Context(), o)
			return err
		})
		var points *sweep.PointsError
		if err != nil && !errors.As(err, &points) {
			t = nil
		}
	} else {
		if f.cluster.task {
			options.Part, options.Join = sweep.Task, true
		}
		options.Progress = f.progress(cmd, func(p sweep.Progress) string { return describeSweep(filepath.Base(path), p) })
		t, err = file.Run(cmd.Context(), options)
		f.line.Clear()
	}
	if f.cluster.task {
		return nil, withoutPoints(err)
	}
	var unfinished *sweep.UnfinishedError
	if f.partial && errors.As(err, &unfinished) {
		console.TellNote(cmd, unfinished.Error()+"; without --partial the command runs them")
		err = nil
	}
	if t != nil {
		tellSweepNotes(cmd, t)
	}
	return t, err
}

// checkPartial returns an error for flags that have no effect with --partial, and if there is no
// folder to read.
func (f *sweepFlags) checkPartial(cmd *cobra.Command, path string) error {
	if !f.partial {
		return nil
	}
	if !f.keep {
		return cmdline.Usage(cmd, errors.New("found --partial with --keep=false, expected a folder to read"))
	}
	if err := cmdline.NoneChanged(cmd, "with --partial, which runs nothing", "workers", "launcher"); err != nil {
		return err
	}
	if about, err := os.Stat(f.folder(path)); err != nil || !about.IsDir() {
		return &ending.UsageError{Err: fmt.Errorf(
			"%s: found no folder of a sweep, expected one that has begun (--out DIR: another folder)", f.folder(path),
		)}
	}
	return nil
}

// tellDamaged returns a function that names points whose files are damaged.
func (f *sweepFlags) tellDamaged(cmd *cobra.Command) func(file, point, damage string) {
	then := "it is simulated again"
	if f.partial {
		then = "it counts as not run"
	}
	return func(file, point, damage string) {
		if point == "" {
			point = "a run that points are compared with"
		}
		f.line.Clear()
		console.TellNote(cmd, fmt.Sprintf("%s: %s is damaged (%s); %s", point, file, damage, then))
	}
}

// check returns an error for flags that are invalid or have no effect.
func (f *sweepFlags) check(cmd *cobra.Command, path string) error {
	if !f.keep {
		if err := cmdline.NoneChanged(cmd, "with --keep=false, which keeps no folder", "out"); err != nil {
			return err
		}
	}
	if about, err := os.Stat(f.folder(path)); err == nil && !about.IsDir() {
		return &ending.UsageError{Err: fmt.Errorf(
			"%s: found a file, expected a new folder or one of this sweep (--out DIR: another folder)", f.folder(path),
		)}
	}
	return f.checkCluster(cmd, path)
}

// withoutPoints returns nil instead of the failed points of a task, because the process that
// collects the results reports them.
func withoutPoints(err error) error {
	var points *sweep.PointsError
	if errors.As(err, &points) {
		return nil
	}
	return err
}

// progress returns a function that shows the progress of a sweep on the terminal, or once per
// minute in a log.
func (f *sweepFlags) progress(cmd *cobra.Command, text func(sweep.Progress) string) func(sweep.Progress) {
	if f.line = console.NewProgressLine(cmd.ErrOrStderr()); f.line != nil {
		return func(p sweep.Progress) { f.line.Show(text(p)) }
	}
	log := console.NewProgressLog(cmd.ErrOrStderr())
	return func(p sweep.Progress) { log.Show(p.Elapsed, text(p)) }
}

// tellSweepNotes prints each distinct note of the points' results.
func tellSweepNotes(cmd *cobra.Command, t *sweep.Table) {
	for _, n := range t.Notes() {
		text := n.Text
		if n.Points < len(t.Rows) {
			text += fmt.Sprintf(" (%d of %d points)", n.Points, len(t.Rows))
		}
		console.TellNote(cmd, text)
	}
}

// describeSweep describes the progress of a sweep with a name.
func describeSweep(name string, p sweep.Progress) string {
	text := fmt.Sprintf("%s: %d of %d points", name, p.Done, p.Points)
	if p.Kept > 0 {
		text += fmt.Sprintf(", %d from before", p.Kept)
	}
	if p.Elsewhere > 0 {
		text += fmt.Sprintf(", %d by other processes", p.Elsewhere)
	}
	return text + leftOfSweep(p)
}

// leftOfSweep formats the remaining time of a sweep; "" if unknown.
func leftOfSweep(p sweep.Progress) string {
	if p.Fresh == 0 {
		return ""
	}
	left := p.Elapsed.Seconds() / p.Fresh * (1 - p.Work)
	return ", " + console.Remaining(left)
}

// folder returns the result folder; "" if results are not stored.
func (f *sweepFlags) folder(path string) string {
	switch {
	case !f.keep:
		return ""
	case f.out != "":
		return f.out
	}
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) + f.folderEnding()
}

func (f *sweepFlags) folderEnding() string { return cmp.Or(f.ending, ".sweep") }

func (f *sweepFlags) print(cmd *cobra.Command, t *sweep.Table) error {
	switch w := cmd.OutOrStdout(); {
	case f.json:
		report, err := t.Report()
		if err != nil {
			return err
		}
		return report.JSON(w)
	case f.csv:
		return t.CSV(w)
	default:
		return t.Text(w)
	}
}

// leave writes the tables and plots to the folder.
func (f *sweepFlags) leave(t *sweep.Table, path string, findings []sweep.Verdict) error {
	folder := f.folder(path)
	if folder == "" {
		return nil
	}
	return leaveTable(folder, t, findings)
}

// leaveTable writes a table with its findings and plots to a folder.
func leaveTable(folder string, t *sweep.Table, findings []sweep.Verdict) error {
	report, err := t.Report()
	if err != nil {
		return err
	}
	report.Findings = findings
	pictures, err := t.Pictures()
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{{"table.csv", t.CSV}, {"table.parquet", t.Parquet}, {sweep.ReportFile, report.JSON}} {
		err = errors.Join(err, atomicfile.Write(filepath.Join(folder, file.name), file.write))
	}
	for _, p := range pictures {
		path, wrong := filename.Within(folder, p.Name)
		if wrong == nil {
			wrong = atomicfile.WriteBytes(path, p.SVG)
		}
		err = errors.Join(err, wrong)
	}
	return err
}
