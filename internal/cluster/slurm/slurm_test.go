package slurm

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestStates(t *testing.T) {
	f := func(out, want string, active bool) {
		t.Helper()
		s := parse(out)
		if s.String() != want || s.Active() != active {
			t.Errorf("%q: %s, active %t, expected %s, %t", out, &s, s.Active(), want, active)
		}
	}
	f("", "no longer known", false)
	f(
		"PENDING|Resources\nPENDING|Priority\nRUNNING|None\nCOMPLETING|None\n",
		"2 running, 2 waiting (Resources)",
		true,
	)
	f("PENDING|None\n", "1 waiting", true)
	f(
		"COMPLETED|None\nTIMEOUT|TimeLimit\nFAILED|NonZeroExitCode\nTIMEOUT|TimeLimit\n",
		"1 ended, 1 FAILED, 2 TIMEOUT",
		false,
	)
	f("OUT_OF_MEMORY|None\nSUSPENDED|None\n", "1 running, 1 OUT_OF_MEMORY", true)
}

// command puts a command of Slurm on the path that prints and returns what a test says.
func command(t *testing.T, name, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// TestErrors: what Slurm says is reported without what stands before each line.
func TestErrors(t *testing.T) {
	f := func(script, want string) {
		t.Helper()
		command(t, "sbatch", script)
		if id, err := Submit(context.Background(), Request{}); err == nil || err.Error() != want {
			t.Errorf("%s: %s, %v, expected %s", script, id, err, want)
		}
	}
	f("echo 'sbatch: error: invalid partition specified: x' >&2; echo 'sbatch: fatal: y' >&2; exit 1",
		"sbatch: invalid partition specified: x; y")
	f("exit 3", "sbatch: exit status 3")
	f("echo hello", `sbatch: found "hello", expected the number of a job`)
	t.Setenv("PATH", t.TempDir())
	_, err := Submit(context.Background(), Request{})
	if err == nil || !strings.HasPrefix(err.Error(), "found no program sbatch, expected that of Slurm") {
		t.Error(err)
	}
}

// TestJobs: a federation's name after a job's number is cut off, a job that Slurm has forgotten has
// no tasks, and other errors are errors.
func TestJobs(t *testing.T) {
	ctx := context.Background()
	command(t, "sbatch", "cat > /dev/null; echo '12;west'")
	if id, err := Submit(ctx, Request{Script: "exit"}); id != "12" || err != nil {
		t.Error(id, err)
	}
	command(t, "squeue", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1")
	if s, err := Tasks(ctx, "12"); err != nil || s.Active() {
		t.Error(s, err)
	}
	command(
		t,
		"squeue",
		"echo 'slurm_load_jobs error: Unable to contact slurm controller (connect failure)' >&2; exit 1",
	)
	var said *Error
	if _, err := Tasks(ctx, "12"); !errors.As(err, &said) || !strings.Contains(said.Said, "Unable to contact") {
		t.Error(err)
	}
}
