package sweeps

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fabricast/internal/atomicfile"
	"fabricast/internal/cli/ending"
	"fabricast/internal/cluster/slurm"
	"fabricast/internal/input"
	"fabricast/sweep"
)

// slurmJob is an array job that runs the points of a sweep. It is stored in a file in the sweep's
// folder, where later commands find it.
type slurmJob struct {
	Schema string `json:"schema"`
	Name   string `json:"name"`
	ID     string `json:"id,omitempty"` // set once Slurm has accepted the job

	flags  *sweepFlags
	path   string // path of the sweep's file
	folder string // absolute path of the sweep's folder
	states slurm.States
	asked  time.Time // time of the last query of the states
	silent error     // error of the last query
}

// slurmSchema is the schema name and version of a slurmJob's file.
const slurmSchema = "fabricast.slurm-job/1"

// askInterval is the minimum interval between queries of task states. It limits the load on Slurm.
const askInterval = 3 * time.Second

// errDetached ends a command while its job continues.
var errDetached = errors.New("the job goes on")

// onSlurm runs the points of sweeps in an array job. run collects the results, by the options. If the
// command ends while the job goes on, onSlurm returns nil although run has failed.
func (f *sweepFlags) onSlurm(
	cmd *cobra.Command, path string, o sweep.Options, run func(sweep.Options) error,
) error {
	folder, err := filepath.Abs(o.Folder)
	if err != nil {
		return err
	}
	job := &slurmJob{flags: f, path: path, folder: folder}
	job.read()
	o.Part, o.Join = sweep.Collect, job.Name != ""
	o.Active = func(left int) (bool, error) { return job.active(cmd, left) }
	o.Progress = f.progress(
		cmd,
		func(p sweep.Progress) string { return describeCluster(path, p, job.describe()) },
	)
	err = run(o)
	f.line.Clear()
	var points *sweep.PointsError
	var unfinished *sweep.UnfinishedError
	var interrupted *sweep.InterruptedError
	switch {
	case errors.Is(err, errDetached):
		return job.left(cmd)
	case errors.As(err, &interrupted) && job.ID != "":
		return job.cancel(err)
	case errors.As(err, &unfinished):
		return job.unfinished(err)
	case err == nil, errors.As(err, &points):
		job.collected()
	}
	return err
}

// file returns the path of a file in the folder for jobs.
func (j *slurmJob) file(name string) string { return filepath.Join(j.folder, "slurm", name) }

// read reads the job of an earlier command, if there is one, so that this command continues it.
func (j *slurmJob) read() {
	text, err := input.Bytes(j.file("job.json"), input.Result)
	if err != nil {
		return
	}
	var found slurmJob
	if json.Unmarshal(text, &found) == nil && found.Schema == slurmSchema {
		j.Name, j.ID = found.Name, found.ID
	}
}

// write writes the job's file for later commands.
func (j *slurmJob) write() error {
	j.Schema = slurmSchema
	text, err := json.Marshal(j)
	if err == nil {
		err = atomicfile.WriteBytes(j.file("job.json"), append(text, '\n'))
	}
	return err
}

// forget removes the job's file.
func (j *slurmJob) forget() { _ = os.Remove(j.file("job.json")) }

// active reports whether tasks of the job may still run points. left is the number of points not
// yet done. The first call finds the job of an earlier command, or submits a new one.
func (j *slurmJob) active(cmd *cobra.Command, left int) (bool, error) {
	ctx := cmd.Context()
	if j.asked.IsZero() {
		if err := j.begin(cmd, left); err != nil {
			return false, err
		}
		if j.flags.cluster.detach {
			return false, errDetached
		}
		return true, nil
	}
	if time.Since(j.asked) < askInterval {
		return true, nil
	}
	j.asked = time.Now()
	states, err := slurm.Tasks(ctx, j.ID)
	if j.silent = err; err != nil {
		return true, nil // Slurm may be restarting; its tasks continue meanwhile
	}
	if states.Active() || len(states.Failed)+states.Ended > 0 {
		j.states = states
		return states.Active(), nil
	}
	return false, nil // Slurm no longer knows the job, so it has ended
}

// begin finds the job of an earlier command, or submits a new one.
func (j *slurmJob) begin(cmd *cobra.Command, left int) error {
	ctx := cmd.Context()
	var err error
	if j.Name != "" && j.ID == "" { // the earlier command ended while it was submitting the job
		if j.ID, err = slurm.Find(ctx, j.Name); err != nil {
			return err
		}
	}
	if j.ID != "" {
		if j.states, err = slurm.Tasks(ctx, j.ID); err != nil {
			return err
		}
		if j.states.Active() {
			j.asked = time.Now()
			fmt.Fprintf(cmd.ErrOrStderr(), "job %s is there from before: tasks %s\n", j.ID, &j.states)
			return nil
		}
	}
	return j.submit(cmd, left)
}

// submit submits an array job.
func (j *slurmJob) submit(cmd *cobra.Command, left int) error {
	c := &j.flags.cluster
	script, err := j.flags.script(j.path, j.folder)
	if err != nil {
		return err
	}
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(j.file(""), 0o777); err != nil {
		return err
	}
	tasks := min(left, defaultTasks)
	if c.tasks > 0 {
		tasks = c.tasks
	}
	// the name identifies the job if this process ends before it knows the job ID
	j.Name, j.ID = "fabricast-"+strconv.FormatInt(time.Now().UnixNano(), 36), ""
	if err := j.write(); err != nil {
		return err
	}
	// after an interruption, it must still become known whether Slurm has accepted the job
	ctx, stop := context.WithTimeout(context.WithoutCancel(cmd.Context()), submitPatience)
	defer stop()
	j.ID, err = slurm.Submit(ctx, slurm.Request{
		Name: j.Name, Script: script, Folder: here, Log: j.file("%A_%a.log"),
		Tasks: tasks, Cores: max(1, j.flags.workers), Partition: c.partition, Time: c.time, Extra: c.sbatch,
	})
	if err != nil {
		if ctx.Err() == nil {
			j.forget()
		}
		return j.refused(ctx, err)
	}
	j.asked = time.Now()
	j.states = slurm.States{Waiting: tasks}
	fmt.Fprintf(cmd.ErrOrStderr(), "job %s has %d tasks\n", j.ID, tasks)
	return j.write()
}

// submitPatience is the time that Slurm has to accept a job.
const submitPatience = time.Minute

// refused adds a hint, the available partitions, to an error of sbatch about a partition.
func (j *slurmJob) refused(ctx context.Context, err error) error {
	var said *slurm.Error
	if !errors.As(err, &said) || !strings.Contains(strings.ToLower(said.Said), "partition") {
		return err
	}
	if list, wrong := slurm.Partitions(ctx); wrong == nil && len(list) > 0 {
		return fmt.Errorf("%w (the cluster's partitions: %s)", err, strings.Join(list, ", "))
	}
	return err
}

// describe describes the job for the progress line.
func (j *slurmJob) describe() string {
	switch {
	case j.ID == "":
		return ""
	case j.silent != nil:
		return fmt.Sprintf("job %s: %v", j.ID, j.silent)
	}
	return fmt.Sprintf("job %s: tasks %s", j.ID, &j.states)
}

// left prints how to collect the results of the job later.
func (j *slurmJob) left(cmd *cobra.Command) error {
	_, err := fmt.Fprintf(
		cmd.ErrOrStderr(), "it goes on; the same command without --detach collects the results in %s\n",
		j.flags.folder(j.path),
	)
	return err
}

// endPatience is the time that Slurm has to cancel a job.
const endPatience = ending.Orderly / 2

// cancel cancels the job after an interruption. err is the error of the interruption.
func (j *slurmJob) cancel(err error) error {
	ctx, stop := context.WithTimeout(context.Background(), endPatience)
	defer stop()
	if wrong := slurm.Cancel(ctx, j.ID, false); wrong != nil {
		return fmt.Errorf("%w; job %s goes on, because it could not be ended: %w", err, j.ID, wrong)
	}
	j.forget()
	return fmt.Errorf("%w; job %s is ended", err, j.ID)
}

// collected removes the job's file and cancels waiting tasks after all points are done.
func (j *slurmJob) collected() {
	j.forget()
	if j.ID != "" && j.states.Waiting > 0 {
		ctx, stop := context.WithTimeout(context.Background(), endPatience)
		defer stop()
		_ = slurm.Cancel(ctx, j.ID, true) // tasks that start anyway find no work
	}
}

// unfinished adds the states of the tasks to the error of a job that has not run all points.
func (j *slurmJob) unfinished(err error) error {
	j.forget()
	text := fmt.Sprintf("all tasks of job %s have ended: %s", j.ID, &j.states)
	if log := j.lastWords(); log != "" {
		text += "; one has said: " + log
	}
	return fmt.Errorf("%w: %s; the logs are in %s; the same command runs the rest", err, text, j.file(""))
}

// lastWords returns the last line that a task of the job has printed; "" if there is none.
func (j *slurmJob) lastWords() string {
	logs, _ := filepath.Glob(j.file(j.ID + "_*.log"))
	for _, path := range logs {
		text, err := input.Text(path, input.Result)
		lines := strings.Split(strings.TrimSpace(text), "\n")
		if last := lines[len(lines)-1]; err == nil && last != "" {
			return last
		}
	}
	return ""
}
