// Package slurm submits array jobs to the batch system Slurm, monitors them and cancels them, by
// means of Slurm's commands.
package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// Request describes an array job.
type Request struct {
	Name      string
	Script    string // shell script that every task runs
	Folder    string // working directory of the tasks
	Log       string // file for the output of a task; %A and %a are Slurm's
	Tasks     int
	Cores     int    // for each task
	Partition string // "": Slurm's default
	Time      string // as for sbatch --time; "": Slurm's default
	Extra     []string
}

// arguments returns the arguments of sbatch.
func (r *Request) arguments() []string {
	args := []string{
		"--parsable", "--job-name=" + r.Name, "--array=1-" + strconv.Itoa(r.Tasks), "--ntasks=1",
		"--cpus-per-task=" + strconv.Itoa(r.Cores), "--chdir=" + r.Folder, "--output=" + r.Log,
	}
	if r.Partition != "" {
		args = append(args, "--partition="+r.Partition)
	}
	if r.Time != "" {
		args = append(args, "--time="+r.Time)
	}
	return append(args, r.Extra...)
}

// Submit submits a job and returns its job ID.
func Submit(ctx context.Context, r Request) (string, error) {
	out, err := call(ctx, r.Script, "sbatch", r.arguments()...)
	if err != nil {
		return "", err
	}
	id, _, _ := strings.Cut(strings.TrimSpace(out), ";") // the name of the cluster may follow
	if _, err := strconv.ParseUint(id, 10, 64); err != nil {
		return "", fmt.Errorf("sbatch: found %q, expected the number of a job", strings.TrimSpace(out))
	}
	return id, nil
}

// Find returns the job ID of a pending or running job with the given name; "" if there is none.
func Find(ctx context.Context, name string) (string, error) {
	out, err := call(ctx, "", "squeue", "--noheader", "--name="+name, "--format=%F")
	if err != nil {
		return "", err
	}
	id, _, _ := strings.Cut(out, "\n")
	return strings.TrimSpace(id), nil
}

// Tasks counts the tasks of a job by state. Slurm forgets jobs some minutes after their end; the
// counts are then zero.
func Tasks(ctx context.Context, id string) (States, error) {
	out, err := call(ctx, "", "squeue", "--noheader", "--array", "--states=all", "--jobs="+id, "--format=%T|%r")
	var failed *Error
	if errors.As(err, &failed) && strings.Contains(failed.Said, "Invalid job id") {
		return States{}, nil
	}
	if err != nil {
		return States{}, err
	}
	return parse(out), nil
}

// Cancel cancels a job. If waiting is true, it cancels only the tasks that have not started.
func Cancel(ctx context.Context, id string, waiting bool) error {
	args := []string{id}
	if waiting {
		args = []string{"--state=PENDING", id}
	}
	_, err := call(ctx, "", "scancel", args...)
	return err
}

// Partitions lists the names of the cluster's partitions.
func Partitions(ctx context.Context) ([]string, error) {
	out, err := call(ctx, "", "sinfo", "--noheader", "--format=%R")
	return strings.Fields(out), err
}

// Error reports that a command of Slurm failed.
type Error struct {
	Command string
	Said    string // its standard error, without the command's name
	Err     error
}

func (e *Error) Error() string {
	if errors.Is(e.Err, exec.ErrNotFound) {
		return fmt.Sprintf(
			"found no program %s, expected that of Slurm, as on the login node of a cluster", e.Command,
		)
	}
	if e.Said == "" {
		return fmt.Sprintf("%s: %v", e.Command, e.Err)
	}
	return e.Command + ": " + e.Said
}

// Unwrap returns the error from running the command.
func (e *Error) Unwrap() error { return e.Err }

// call runs a command and returns its output.
func call(ctx context.Context, input, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdin = strings.NewReader(input)
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	err := cmd.Run()
	if err == nil {
		return out.String(), nil
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return "", &Error{name, said(name, log.String()), err}
}

// said joins the lines that a command has written to standard error, without their prefixes.
func said(name, log string) string {
	var lines []string
	for line := range strings.Lines(log) {
		line = strings.TrimSpace(line)
		for _, head := range []string{name + ": ", "error: ", "fatal: "} {
			line = strings.TrimPrefix(line, head)
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "; ")
}
