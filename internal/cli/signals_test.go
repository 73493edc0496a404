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

// reads starts a command that reads an experiment from a pipe with no end, and returns once it does
// so.
func reads(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil { // pipes hold less: when this is written, much of it has been read
		_, err = io.WriteString(in, strings.Repeat("#\n", 100_000))
	}
	if err != nil {
		t.Fatal(err)
	}
	return cmd
}

// signalled sends a signal to a command, which must end as one that is interrupted does.
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

// TestSignalsWhileReading: every signal ends every command that waits for its experiment.
func TestSignalsWhileReading(t *testing.T) {
	for i, command := range []string{"run", "check", "topo", "sweep", "saturate", "study"} {
		s := every[i%len(every)]
		signalled(t, reads(t, "fabricast", command, "-"), s)
	}
}

// TestSignalsWhileRunning: every signal ends a run, in the conservative mode or an optimistic one,
// which leaves its folder and nothing else.
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

// TestSignalOfGroup: timeout signals the command, and then its group. That is one interruption: the
// run keeps what it has.
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

// TestSecondSignal: a second one ends the process at once, and it removes what is unfinished.
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
			break // it has ended with the first one
		}
		time.Sleep(300 * time.Millisecond) // two signals at once are one
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != ending.Interrupted {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// TestIgnoredSignals: what whoever started the command wants ignored, as nohup does, is.
func TestIgnoredSignals(t *testing.T) {
	cmd := reads(t, "sh", "-c", `trap "" HUP; exec fabricast run -`)
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond) // it would end
	signalled(t, cmd, syscall.SIGTERM)
}

// waitForFile waits until there is a file.
func waitForFile(t *testing.T, pattern string) {
	t.Helper()
	for {
		if found, err := filepath.Glob(pattern); err != nil || len(found) > 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
