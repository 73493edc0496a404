package cli

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Number of kills in each round of TestSweepKilled, and the seed that selects their moments.
var (
	sweepKills = flag.Int("sweep.kills", 6, "kills in each round of TestSweepKilled")
	sweepSeed  = flag.Uint64("sweep.seed", 0x737765, "of TestSweepKilled")
)

// sharedSweep is a sweep whose points take a fifth of a second each. Its table has no figures that
// depend on the machine.
const sharedSweep = `
experiment: {network: {topology: {dims: [8, 8]}}, traffic: {load: 20%, measure: {longest: 30us}}}
axes:
  - {field: network.router.vcs, values: [2, 4]}
  - {field: traffic.load, values: [10%, 20%, 30%, 40%, 50%, 60%, 70%, 80%, 90%]}
`

// sweepAlone runs the shared sweep in one process. It returns the path of its file and its table.
func sweepAlone(t *testing.T) (path string, table []byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "shared.yaml")
	if err := os.WriteFile(path, []byte(sharedSweep), 0o666); err != nil {
		t.Fatal(err)
	}
	table, err := exec.Command("fabricast", "sweep", path, "--keep=false", "--csv").Output()
	if err != nil || len(table) == 0 {
		t.Fatal(err)
	}
	return path, table
}

// shared starts a process of the shared sweep in a folder. Its standard output goes to out.
func shared(t *testing.T, path, folder string, out *bytes.Buffer) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("fabricast", "sweep", path, "--csv", "--workers", "1", "--out", folder)
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// sameTable compares the table in a folder with want, and checks that no claims remain in the
// folder.
func sameTable(t *testing.T, folder string, want []byte) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(folder, "table.csv"))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("found the table %s, %v, expected %s", got, err, want)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "points", "*.claim.*")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// TestSweepKilled kills processes that share a sweep at random moments and starts others. In the
// end all points must be done, and all processes that have ended must have the table of a single
// process.
func TestSweepKilled(t *testing.T) {
	path, want := sweepAlone(t)
	d := rand.New(rand.NewPCG(*sweepSeed, 0))
	folder := filepath.Join(t.TempDir(), "out")
	var living []*exec.Cmd
	printed := map[*exec.Cmd]*bytes.Buffer{}
	start := func() {
		out := &bytes.Buffer{}
		cmd := shared(t, path, folder, out)
		printed[cmd] = out
		living = append(living, cmd)
	}
	for range 3 {
		start()
	}
	for range *sweepKills {
		time.Sleep(time.Duration(d.IntN(250)) * time.Millisecond)
		victim := d.IntN(len(living))
		cmd := living[victim]
		if cmd.Process.Signal(syscall.SIGKILL) == nil && d.IntN(2) == 0 {
			_ = cmd.Wait() // it was killed
			living = append(living[:victim], living[victim+1:]...)
			start()
		} else { // a killed process stays a zombie for a while
			living = append(living[:victim], living[victim+1:]...)
			start()
			defer func() { _ = cmd.Wait() }()
		}
	}
	for _, cmd := range living {
		if err := cmd.Wait(); err != nil || !bytes.Equal(printed[cmd].Bytes(), want) {
			t.Errorf("%v: %v, printed %s", cmd.Args, err, printed[cmd])
		}
	}
	sameTable(t, folder, want)
}

// TestSweepInterrupted checks that an interrupted process releases its points, and another runs
// them.
func TestSweepInterrupted(t *testing.T) {
	path, want := sweepAlone(t)
	folder := filepath.Join(t.TempDir(), "out")
	first := shared(t, path, folder, &bytes.Buffer{})
	waitForFile(t, filepath.Join(folder, "points", "*.json"))
	second := shared(t, path, folder, &bytes.Buffer{})
	waitForFile(t, filepath.Join(folder, "points", "process-*-*.claim.1"))
	signalled(t, first, os.Interrupt)
	if err := second.Wait(); err != nil {
		t.Error(err)
	}
	sameTable(t, folder, want)
	entries, err := filepath.Glob(filepath.Join(folder, "points", ".*"))
	if err != nil || len(entries) > 0 {
		t.Errorf("left %v, %v", entries, err)
	}
}
