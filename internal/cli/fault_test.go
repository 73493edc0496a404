//go:build invariants || race

package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"fabricast/internal/cli/ending"
	"fabricast/internal/panics"
)

// provoked returns a command in which a goroutine of the given kind panics.
func provoked(t *testing.T, goroutine, trace string, args ...string) (cmd *exec.Cmd) {
	t.Helper()
	cmd = exec.Command("fabricast", args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), panics.Provoked+"="+goroutine, ending.TraceVariable+"="+trace)
	for name, text := range map[string]string{
		"torus.yaml":   "network: {topology: {dims: [4, 4]}}\nworkload: {program: alltoall, size: 64B}\n",
		"updown.yaml":  "network: {topology: {dims: [4, 4]}, routing: up-down}\nworkload: {program: barrier}\n",
		"slim.yaml":    "network: {topology: {kind: dragonfly, p: 1, a: 2, h: 1}, routing: shortest}\nworkload: {program: barrier}\n",
		"traffic.yaml": "network: {topology: {dims: [4, 4]}}\ntraffic: {load: 10%}\n",
		"sweep.yaml":   "base: torus.yaml\naxes: [{field: seed, values: [1, 2, 3]}]\n",
		"alone.yaml":   "base: torus.yaml\naxes: [{field: seed, values: [1, 2]}]\nisolated: true\n",
		"odd name.yaml": "network: {topology: {dims: [2, 2]}}\n" +
			"workload: {program: barrier}\n",
	} {
		if err := os.WriteFile(filepath.Join(cmd.Dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return cmd
}

// faulty checks that a command has ended with a fault of Fabricast, which its log reports, and has
// left no unfinished files.
func faulty(t *testing.T, cmd *exec.Cmd, goroutine, log string, traced bool, end error) {
	t.Helper()
	var exit *exec.ExitError
	if !errors.As(end, &exit) || exit.ExitCode() != ending.Internal {
		t.Errorf(
			"%v with a panic of %q: %v, want exit code %d\n%s",
			cmd.Args, goroutine, end, ending.Internal, log,
		)
		return
	}
	for _, want := range []string{"internal error", "provoked for " + goroutine, ending.ReportHead, "version  fabricast ", "command  fabricast " + cmd.Args[1], "attach   "} {
		if strings.Count(log, want) != 1 {
			t.Errorf(
				"%v with a panic of %q: %q is there %d times in\n%s",
				cmd.Args, goroutine, want, strings.Count(log, want), log,
			)
		}
	}
	if strings.Contains(log, "runtime/debug.Stack") != traced ||
		!traced && (strings.Contains(log, "goroutine ") || strings.Count(log, "\n") > 8) {
		t.Errorf("%v with a panic of %q and a trace (%v):\n%s", cmd.Args, goroutine, traced, log)
	}
	if left, _ := filepath.Glob(filepath.Join(cmd.Dir, ".*")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// TestPanicsAreFaults checks that a panic of any goroutine ends the command with exit code 4 and
// instructions for reporting it.
func TestPanicsAreFaults(t *testing.T) {
	traces, err := filepath.Abs("../../trace/testdata")
	if err != nil {
		t.Fatal(err)
	}
	run := []string{"run", "torus.yaml", "--workers", "2", "--out", "out"}
	for i, test := range []struct {
		goroutine string
		args      []string
	}{
		{"main", []string{"version"}},
		{"signals", []string{"run", "torus.yaml", "--view"}},
		{"task that may be abandoned", run},
		{"engine", run},
		{"model", run},
		{"model", []string{"run", "odd name.yaml", "--workers", "1"}},
		{"model", []string{"run", "traffic.yaml"}},
		{"model", []string{"sweep", "sweep.yaml", "--keep=false"}},
		{"model", []string{"study", "alone.yaml", "--keep=false"}},
		{"model", []string{"run", "torus.yaml", "--view"}},
		{"worker of the engine", run},
		{"progress of a run", run},
		{"progress of a run", []string{"run", "traffic.yaml", "--out", "out"}},
		{"points of a sweep", []string{"sweep", "sweep.yaml", "--out", "out"}},
		{"server of reports", []string{"run", "torus.yaml", "--view"}},
		{"news of reports", []string{"run", "torus.yaml", "--view"}},
		{"reader of a trace", []string{"trace", "info", traces + "/ti/actions_waitall.txt"}},
		{"distances", []string{"check", "slim.yaml"}},
		{"check for deadlock", []string{"check", "updown.yaml"}},
		{"arrays of a report", []string{"run", "torus.yaml", "--view"}},
		{"lengths of ways", []string{"check", "updown.yaml"}},
	} {
		traced := i%2 == 1
		cmd := provoked(t, test.goroutine, map[bool]string{true: "1"}[traced], test.args...)
		var log strings.Builder
		cmd.Stderr = &log
		err := cmd.Run()
		faulty(t, cmd, test.goroutine, log.String(), traced, err)
	}
}

// TestPanicOfARequest checks that a panic in a request ends the server of the report, like any
// other panic.
func TestPanicOfARequest(t *testing.T) {
	const goroutine = "request for a report"
	cmd := provoked(t, goroutine, "", "run", "torus.yaml", "--view")
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stderr)
	var log strings.Builder
	for site := ""; site == ""; {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err, log.String())
		}
		log.WriteString(line)
		site = regexp.MustCompile(`http://[^ ]*/`).FindString(line)
		if site != "" {
			if answer, err := http.Get(site); err == nil {
				answer.Body.Close()
			}
		}
	}
	rest, _ := io.ReadAll(lines)
	fmt.Fprintf(&log, "%s", rest)
	faulty(t, cmd, goroutine, log.String(), false, cmd.Wait())
}
