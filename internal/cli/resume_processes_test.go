package cli

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// TestProcessesResume ends random runs with checkpoints, in one or two processes, by killing one
// process or by a signal to the launcher. Resumed in other numbers of processes, they must leave
// the folders of uninterrupted runs.
func TestProcessesResume(t *testing.T) {
	someLauncher(t, func(t *testing.T, m mpirun) {
		d := drawsOfLauncher(t)
		stops := 0
		for ran := 0; ran < often(1) || stops == 0 && ran < often(10); ran++ { // more if all ended by themselves
			dir := t.TempDir()
			kind := d.IntN(4)
			text := fmt.Sprintf("seed: %d\nnetwork: {topology: {kind: torus, dims: [4, 4, 4]}}\n", d.IntN(1000)) +
				drawRecording(d, kind == 1 || kind == 2) + []string{
				"workload: {program: alltoall, algorithm: bruck, size: 8KiB, iterations: 8}\n",
				"traffic: {load: 40%, size: 1KiB, measure: {precision: 0.01%, longest: 500us}}\n",
				"jobs:\n - {name: a, ranks: 40, workload: {program: alltoall, size: 4KiB, iterations: 10}}\n" +
					" - {name: b, ranks: 20, traffic: {load: 20%, size: 1KiB}}\n",
				"",
			}[kind]
			var trace []string
			if kind == 3 {
				trace = []string{"--trace", "tasks.goal"}
				tasks := []byte(drawGOAL(d, 64, 100))
				if err := os.WriteFile(filepath.Join(dir, "tasks.goal"), tasks, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(dir, "e.yaml"), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			done(t, m, dir, 1, io.Discard, append([]string{"run", "e.yaml", "--out", "whole"}, trace...)...)
			killed := filepath.Join(dir, "killed")
			args := []string{
				"run", "e.yaml", "--out", killed, "--checkpoint", []string{"sim:60us", "sim:20us", "sim:40us", "sim:10us"}[kind], "--blocks", "2",
			}
			args = append(args, trace...)
			for stopped := 0; stopped < 2 && endedEarly(t, d, m, dir, io.Discard, args); stopped++ {
				stops++
				args = []string{"resume", killed}
			}
			if _, err := os.Stat(filepath.Join(killed, "checkpoint.fbc")); err == nil {
				done(t, m, dir, 1+d.IntN(2), io.Discard, args...)
			}
			sameResults(t, dir, text)
		}
		if stops == 0 {
			t.Error("all runs had ended before they could be stopped")
		}
		t.Logf("%d stops", stops)
	})
}

// sameResults compares the folders "whole" and "killed".
func sameResults(t *testing.T, dir, text string) {
	t.Helper()
	want, got := folderOf(t, filepath.Join(dir, "whole")), folderOf(t, filepath.Join(dir, "killed"))
	delete(want, "experiment.yaml") // contains the folder's path
	for name := range want {
		if !bytes.Equal(want[name], got[name]) {
			t.Errorf("%s is another\n%s", name, text)
		}
	}
}

// shaped returns a fabricast command in n processes.
func shaped(m mpirun, dir string, n int, args ...string) *exec.Cmd {
	if n > 1 {
		return m.command(dir, n, args...)
	}
	cmd := exec.Command("fabricast", args...)
	cmd.Dir = dir
	return cmd
}

// done executes a command in n processes. Its standard output goes to out.
func done(t *testing.T, m mpirun, dir string, n int, out io.Writer, args ...string) {
	t.Helper()
	cmd, log := shaped(m, dir, n, args...), new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = out, log
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, log)
	}
}

// endedEarly starts a command in one or two processes, and ends it some time after it has written a
// checkpoint. It returns false if the command ends before that, which must be without an error.
func endedEarly(
	t *testing.T, d *rand.Rand, m mpirun, dir string, out io.Writer, args []string,
) bool {
	t.Helper()
	n, victim, kill := 1+d.IntN(2), d.IntN(2), d.IntN(2) == 0
	after := time.Duration(d.IntN(50)) * time.Millisecond
	cmd, log := shaped(m, dir, n, args...), new(bytes.Buffer)
	if i := slices.Index(cmd.Args, "--"); i >= 0 { // a C program follows
		cmd.Args = slices.Insert(cmd.Args, i, "--workers", "1")
	} else {
		cmd.Args = append(cmd.Args, "--workers", "1")
	}
	cmd.Stdout, cmd.Stderr = out, log
	path := filepath.Join(dir, "killed", "checkpoint.fbc")
	before, _ := os.Stat(path)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	left := func() bool {
		now, err := os.Stat(path)
		return err == nil && (before == nil || !os.SameFile(before, now))
	}
	for wait := after; ; {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("%v: %v\n%s", cmd.Args, err, log)
			}
			return false
		case <-time.After(time.Millisecond):
		}
		if !left() {
			continue
		}
		if wait -= time.Millisecond; wait < 0 {
			break
		}
	}
	target, signal := cmd.Process.Pid, syscall.SIGTERM
	if kill {
		signal = syscall.SIGKILL
		if n > 1 {
			target = processOf(t, m, dir, victim%n)
		}
	}
	if target > 0 {
		_ = syscall.Kill(target, signal)
	}
	<-ended
	_, err := os.Stat(path)
	return err == nil // nil: the command had already ended
}
