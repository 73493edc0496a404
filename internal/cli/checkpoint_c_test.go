//go:build cgo && linux && (amd64 || arm64)

package cli

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fabricast/internal/cli/ending"
	"fabricast/internal/draws"
)

// TestKilledC kills C programs at random moments after their first checkpoints. Resumed, they must
// leave the folders and the output of uninterrupted runs. Output between a checkpoint and a kill is
// printed twice.
func TestKilledC(t *testing.T) {
	program := builtInC(t, "stopped")
	kills := 0
	for seed := range draws.Seeds(1, 30) {
		d := rand.New(rand.NewPCG(seed, 12))
		dir := t.TempDir()
		one := func(words ...string) string { return words[d.IntN(len(words))] }
		text := "network: " + one(
			"{topology: {dims: [4, 4]}}", "{topology: {kind: dragonfly, p: 2, a: 4, h: 1}}",
			"{topology: {dims: [4, 4]}, routing: {algorithm: adaptive}, router: {vcs: 3}}",
		) + "\nnode: {nics: " + one("1", "2") + one("", ", protocol: {eager: 1KiB, rendezvous: read}") + "}\n" +
			drawRecording(d, false)
		if err := os.WriteFile(filepath.Join(dir, "e.yaml"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		var printed bytes.Buffer
		run := func(args ...string) *exec.Cmd {
			cmd := exec.Command("fabricast", args...)
			cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &printed, new(bytes.Buffer)
			return cmd
		}
		tail := []string{"-n", "16", "--", program, "100"}
		whole := run(append([]string{"run", "e.yaml", "--out", "whole"}, tail...)...)
		if err := whole.Run(); err != nil {
			t.Fatalf("%v\n%s\n%s", err, whole.Stderr, text)
		}
		want := printed.String()
		printed.Reset()
		workers := func() string { return strconv.Itoa(1 + d.IntN(3)) }
		cmd := run(append([]string{
			"run", "e.yaml", "--out", "killed", "--checkpoint", "sim:200us", "--workers", workers(),
		}, tail...)...)
		killed := true
		for cut := 0; killed && cut < 4; cut++ {
			if killed = killLater(t, cmd, dir, time.Duration(d.IntN(60))*time.Millisecond); killed {
				kills++
				cmd = run("resume", "killed", "--workers", workers())
			}
		}
		if killed {
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v: %v\n%s", cmd.Args, err, cmd.Stderr)
			}
		}
		sameFolders(t, dir, text)
		if got := onceEach(printed.String()); got != onceEach(want) {
			t.Errorf("%d bytes of output, want %d\n%s", len(got), len(want), text)
		}
	}
	t.Logf("%d kills", kills)
}

// onceEach returns the lines of a text without duplicates.
func onceEach(text string) string {
	var list []string
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		if !seen[line] {
			seen[line] = true
			list = append(list, line)
		}
	}
	return strings.Join(list, "")
}

// TestInterruptedC checks that an interrupted C program prints nothing twice, and that a resumed
// run refuses another program.
func TestInterruptedC(t *testing.T) {
	program, dir := builtInC(t, "stopped"), t.TempDir()
	err := os.WriteFile(filepath.Join(dir, "e.yaml"), []byte("network: {topology: {dims: [4, 4]}}\n"), 0o666)
	if err != nil {
		t.Fatal(err)
	}
	tail := []string{"-n", "16", "--", program, "200"}
	want := outcomeOf(t, exec.Command("fabricast", append([]string{"run", "e.yaml"}, tail...)...), dir)
	cmd := exec.Command(
		"fabricast", append([]string{"run", "e.yaml", "--out", "out", "--checkpoint", "sim:200us"}, tail...)...,
	)
	var out, log bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitForCheckpoint(t, cmd, filepath.Join(dir, "out", "checkpoint.fbc"), nil)
	signalled(t, cmd, os.Interrupt)
	whole, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, append(slices.Clone(whole), 0), 0o777); err != nil {
		t.Fatal(err)
	}
	refused := outcomeOf(t, exec.Command("fabricast", "resume", "out"), dir)
	if refused.code != ending.Usage || !strings.Contains(refused.log, "found another program") {
		t.Errorf("another program: %+v", refused)
	}
	if err := os.WriteFile(program, whole, 0o777); err != nil {
		t.Fatal(err)
	}
	rest := outcomeOf(t, exec.Command("fabricast", "resume", "out"), dir)
	if out.String()+rest.out != want.out {
		t.Errorf("printed %d and %d bytes, want %d", out.Len(), len(rest.out), len(want.out))
	}
	if rest.code != 0 {
		t.Error(rest.log)
	}
}

// TestWindowsAndCheckpoints checks that with checkpoints, a C program is refused when it creates a
// dynamic RMA window, for which ranks exchange addresses. Other RMA windows, and runs without
// checkpoints, are accepted.
func TestWindowsAndCheckpoints(t *testing.T) {
	program, dir := builtInC(t, "windows"), t.TempDir()
	err := os.WriteFile(filepath.Join(dir, "e.yaml"), []byte("network: {topology: {dims: [4]}}\n"), 0o666)
	if err != nil {
		t.Fatal(err)
	}
	d := rand.New(rand.NewPCG(34, 11))
	for i, kind := range []string{"dynamic", "create", "allocate", "shared"} {
		for _, saved := range []bool{false, true} {
			args := []string{"run", "e.yaml", "--out", "out" + strconv.Itoa(i)}
			if saved {
				args = append(args, "--force", "--checkpoint", []string{"1h", "sim:1us"}[d.IntN(2)])
			}
			tail := []string{"-n", "4", "--", program, kind, strconv.Itoa(d.IntN(40)), strconv.Itoa(d.IntN(2))}
			got := outcomeOf(t, exec.Command("fabricast", append(args, tail...)...), dir)
			if !saved || kind != "dynamic" {
				if got.code != ending.OK {
					t.Errorf("%v %v: %+v", args, tail, got)
				}
				continue
			}
			for _, words := range []string{"MPI_Win_create_dynamic", "dynamic windows cannot be saved"} {
				if got.code != ending.Failed || !strings.Contains(got.log, words) {
					t.Errorf("%v %v: %+v, want %q", args, tail, got, words)
				}
			}
		}
	}
}

// TestKilledDuringFirstCheckpoint kills a run while it writes its first checkpoint. The run is
// resumed if the checkpoint was completed. Otherwise resume reports the missing checkpoint, and
// another run may write to the folder. With --force it may do so in any case.
func TestKilledDuringFirstCheckpoint(t *testing.T) {
	program := builtInC(t, "stopped")
	d := rand.New(rand.NewPCG(34, draws.Round()))
	for i := range often(2) {
		dir := t.TempDir()
		text := "network: {topology: {dims: [4, 4]}}\nrecord: {" + []string{"messages: true", "bins: {interval: auto}"}[d.IntN(2)] + "}\n"
		args := []string{"run", "e.yaml", "--out", "killed", "--checkpoint"}
		var tail []string
		if d.IntN(2) == 0 {
			args, tail = append(args, "sim:500us"), []string{"-n", "16", "--", program, "60"}
		} else {
			args = append(args, "sim:40us")
			text += "workload: {program: uniform, size: 1KiB, messages: 1000}\n"
		}
		if err := os.WriteFile(filepath.Join(dir, "e.yaml"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		whole := append([]string{"run", "e.yaml", "--out", "whole"}, tail...)
		if got := outcomeOf(t, exec.Command("fabricast", whole...), dir); got.code != ending.OK {
			t.Fatal(got.log)
		}
		cmd := exec.Command("fabricast", append(args, tail...)...)
		cmd.Dir = dir
		killAtBegin(t, cmd, filepath.Join(dir, "killed"), time.Duration(d.IntN(4000))*time.Microsecond)

		_, err := os.Stat(filepath.Join(dir, "killed", "checkpoint.fbc"))
		complete := err == nil
		t.Logf("run %d: completed %v, left %v", i, complete, namesIn(dir))
		do := func(code int, words string, args ...string) {
			t.Helper()
			got := outcomeOf(t, exec.Command("fabricast", args...), dir)
			if got.code != code || !strings.Contains(got.log, words) {
				t.Errorf("%v: exit code %d, want %d with %q\n%s", args, got.code, code, words, got.log)
			}
		}
		switch force := append([]string{"run", "--force"}, args[1:]...); {
		case d.IntN(3) == 0:
			do(ending.OK, "", append(force, tail...)...)
		case complete:
			do(ending.Usage, "fabricast resume goes on from there", append(args, tail...)...)
			do(ending.OK, "", "resume", "killed")
		default:
			do(ending.Usage, "killed", "resume", "killed")
			do(ending.OK, "", append(args, tail...)...)
		}
		sameFolders(t, dir, text)
	}
}

// killAtBegin starts a run and kills it the given time after it has created its checkpoint folder.
func killAtBegin(t *testing.T, cmd *exec.Cmd, folder string, after time.Duration) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	for {
		if _, err := os.Stat(folder); err == nil {
			break
		}
		select {
		case <-ended:
			t.Fatal("the run has ended before it has left anything")
		case <-time.After(200 * time.Microsecond):
		}
	}
	time.Sleep(after)
	_ = cmd.Process.Kill()
	<-ended
}

// namesIn returns the names of the files in the subfolders of a folder.
func namesIn(folder string) (names []string) {
	all, _ := filepath.Glob(filepath.Join(folder, "*", "*"))
	for _, name := range all {
		names = append(names, strings.TrimPrefix(name, folder+"/"))
	}
	return names
}
