package sweeps

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/console"
	"fabricast/internal/cli/ending"
	"fabricast/sweep"
)

// clusterFlags holds the flags for running a sweep on a cluster.
type clusterFlags struct {
	launcher  string
	tasks     int
	partition string
	time      string
	sbatch    []string
	detach    bool
	// whether this process is a task of an array job
	task bool
}

// slurmLauncher is the value of --launcher for Slurm.
const slurmLauncher = "slurm"

// defaultTasks is the maximum number of tasks of an array job without --tasks.
const defaultTasks = 16

func (f *clusterFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.launcher, "launcher", "", "have the points run by an array job of this batch "+
		"`system`: slurm")
	cmdline.Count(cmd.Flags(), &f.tasks, "tasks", 1, fmt.Sprintf(
		"how many tasks the array job has, each with --workers cores, 1 by default (default as many as there are "+
			"points to run, at most %d)", defaultTasks,
	))
	cmd.Flags().StringVar(&f.partition, "partition", "",
		"the `partition` that the job runs in (default Slurm's)")
	cmd.Flags().StringVar(&f.time, "time", "", "the job's `limit` of time, such as 2:00:00 (default Slurm's)")
	cmd.Flags().StringArrayVar(&f.sbatch, "sbatch", nil, "one more `argument` of sbatch, such as "+
		"--account=physics; may be repeated")
	cmd.Flags().BoolVar(&f.detach, "detach", false, "submit the job and end; the same command without this "+
		"flag collects the results")
	cmd.Flags().BoolVar(&f.task, "task", false, "run points as a task of a job")
	_ = cmd.Flags().MarkHidden("task") // cannot fail: the flag has just been defined
	_ = cmd.RegisterFlagCompletionFunc(
		"launcher",
		cobra.FixedCompletions([]string{slurmLauncher}, cobra.ShellCompDirectiveNoFileComp),
	)
}

// checkCluster returns an error for flags that are invalid or have no effect.
func (f *sweepFlags) checkCluster(cmd *cobra.Command, path string) error {
	c := &f.cluster
	switch {
	case c.launcher == "":
		return cmdline.NoneChanged(cmd, "without --launcher", "tasks", "partition", "time", "sbatch", "detach")
	case c.launcher != slurmLauncher:
		return cmdline.Usage(cmd, fmt.Errorf("found --launcher %s, expected %s", c.launcher, slurmLauncher))
	case !f.keep:
		return cmdline.Usage(
			cmd,
			errors.New("found --keep=false with --launcher, expected a folder that all machines share"),
		)
	case path == "-":
		return cmdline.Usage(cmd, errors.New("found - with --launcher, expected a file that all machines can read"))
	}
	for _, argument := range c.sbatch {
		if !strings.HasPrefix(argument, "-") {
			return cmdline.Usage(
				cmd,
				fmt.Errorf("found --sbatch %q, expected an argument such as --account=physics", argument),
			)
		}
	}
	return nil
}

// script returns the shell script that each task of an array job executes: this command with the
// same sweep.
func (f *sweepFlags) script(path, folder string) (string, error) {
	file, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	words := []string{"exec", console.Quoted(ending.Self())}
	if f.again == nil {
		words = append(words, "sweep")
	}
	for _, word := range f.again {
		words = append(words, console.Quoted(word))
	}
	words = append(
		words, console.Quoted(file), "--task", "--out", console.Quoted(folder),
		"--workers", fmt.Sprint(max(1, f.workers)),
	)
	if f.quick {
		words = append(words, "--quick")
	}
	if f.large {
		words = append(words, "--large")
	}
	return "#!/bin/sh\n" + strings.Join(words, " ") + "\n", nil
}

// describeCluster describes the progress of a sweep that an array job runs.
func describeCluster(path string, p sweep.Progress, job string) string {
	waiting := max(0, p.Points-p.Done-p.Running)
	text := fmt.Sprintf(
		"%s: %d of %d points, %d running, %d waiting",
		filepath.Base(path),
		p.Done,
		p.Points,
		p.Running,
		waiting,
	)
	if p.Failed > 0 {
		text += fmt.Sprintf(", %d failed", p.Failed)
	}
	if job != "" {
		text += "; " + job
	}
	return text + leftOfSweep(p)
}
