package cli

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"fabricast/internal/cli/ending"
	"fabricast/record"
)

// reads starts a command that reads an experiment from an endless pipe, and returns once the
// command is reading.
func reads(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil { // a pipe's buffer is smaller, so the command is reading once this is written
		_, err = io.WriteString(in, strings.Repeat("#\n", 100_000))
	}
	if err != nil {
		t.Fatal(err)
	}
	return cmd
}

// signalled sends a signal to a command, which must end as if interrupted.
func signalled(t *testing.T, cmd *exec.Cmd, s os.Signal) {
	t.Helper()
	if err := cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != ending.Interrupted {
		t.Errorf("%v with %v: %v, want exit code %d", cmd.Args, s, err, ending.Interrupted)
	}
}

// every lists the signals that interrupt a command.
var every = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// TestSignalsWhileReading checks that every signal ends every command that waits for its
// experiment.
func TestSignalsWhileReading(t *testing.T) {
	for i, command := range []string{"run", "check", "topo", "sweep", "saturate", "study"} {
		s := every[i%len(every)]
		signalled(t, reads(t, "fabricast", command, "-"), s)
	}
}

// TestSignalsWhileRunning checks that every signal ends a run, in the conservative or an optimistic
// mode, which leaves its folder and nothing else.
func TestSignalsWhileRunning(t *testing.T) {
	example, err := filepath.Abs("../../examples/bruck-4k-1024B.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range every {
		mode := []string{"--set", "engine.mode=optimistic", "--set", "engine.kp=3"}[:i%2*4]
		dir := t.TempDir()
		cmd := exec.Command("fabricast", append([]string{"run", example, "--out", "out"}, mode...)...)
		cmd.Dir = dir
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waitForFile(t, filepath.Join(dir, ".out.part-*/result/progress.json"))
		signalled(t, cmd, s)
		left, err := os.ReadDir(dir)
		if err != nil || len(left) != 1 || left[0].Name() != "out" {
			t.Errorf("%v leaves %v, %v", s, left, err)
		}
	}
}

// TestSignalOfGroup: timeout signals the command and then its process group. That must count as one
// interruption, after which the run records its results so far.
func TestSignalOfGroup(t *testing.T) {
	example, err := filepath.Abs("../../examples/bruck-4k-1024B.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd := exec.Command("timeout", "--signal=INT", "60", "fabricast", "run", example, "--out", "out")
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitForFile(t, filepath.Join(dir, ".out.part-*/result/progress.json"))
	signalled(t, cmd, os.Interrupt)
	if r, err := record.Open(filepath.Join(dir, "out")); err != nil || r.State() != record.Interrupted {
		t.Errorf("left %v, %v", r, err)
	}
}

// TestSecondSignal checks that a second signal ends the process at once and removes unfinished
// files.
func TestSecondSignal(t *testing.T) {
	example, err := filepath.Abs("../../examples/nsim-bruck-64k.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd := exec.Command("fabricast", "run", example, "--out", "out")
	cmd.Dir = dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitForFile(t, filepath.Join(dir, ".out.part-*/result"))
	for range 2 {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			break // the first signal has ended it
		}
		time.Sleep(300 * time.Millisecond) // two signals in quick succession count as one
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != ending.Interrupted {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// TestIgnoredSignals checks that signals that were ignored at the start, as with nohup, stay
// ignored.
func TestIgnoredSignals(t *testing.T) {
	cmd := reads(t, "sh", "-c", `trap "" HUP; exec fabricast run -`)
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond) // time in which it would end
	signalled(t, cmd, syscall.SIGTERM)
}

// waitForFile waits until a file matches the pattern.
func waitForFile(t *testing.T, pattern string) {
	t.Helper()
	for {
		if found, err := filepath.Glob(pattern); err != nil || len(found) > 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
