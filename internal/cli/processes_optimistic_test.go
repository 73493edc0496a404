package cli

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"fabricast"
	"fabricast/record"
)

var optimisticDraws = flag.Int(
	"processes.optimistic", 4, "random experiments of TestProcessesOptimistic for each launcher",
)

// TestProcessesOptimistic: experiments drawn at random that processes simulate in the optimistic mode
// leave the folder that one process leaves in the conservative mode. What the mode has cost is that of
// all processes together: the packets of the windows that stand are all there are.
func TestProcessesOptimistic(t *testing.T) {
	eachLauncher(t, func(t *testing.T, m mpirun) {
		d := rand.New(rand.NewPCG(uint64(len(m.name)), *sharedSeed))
		var undone uint64
		// What arrives too late depends on the machine: a few more are drawn where nothing did.
		for draw := 0; draw < *optimisticDraws || undone == 0 && draw < 5**optimisticDraws; draw++ {
			undone += optimisticInProcesses(t, m, d)
		}
		if undone == 0 {
			t.Error("no window was rolled back, which shows nothing")
		}
	})
}

// optimisticInProcesses draws an experiment, and returns how many windows were rolled back.
func optimisticInProcesses(t *testing.T, m mpirun, d *rand.Rand) (undone uint64) {
	t.Helper()
	text := "pacing"
	for strings.Contains(text, "pacing") { // keeps tables that ranks share
		text = drawShared(d)
	}
	var lines []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "record:") {
			lines = append(lines, line)
		}
	}
	dir, n, workers := t.TempDir(), 2+d.IntN(3), 1+d.IntN(2)
	optimistic := fmt.Sprintf(
		"engine: {mode: optimistic, batch: %d, gvt_interval: %d, kp: %d}\n", 1+d.IntN(40), 1+d.IntN(40), 1+d.IntN(2),
	)
	text = strings.Join(lines, "")
	for name, content := range map[string]string{"alone": text, "shared": text + optimistic} {
		if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	alone := exec.Command("fabricast", "run", "alone.yaml", "--out", "alone")
	alone.Dir = dir
	shared := m.command(dir, n, "run", "shared.yaml", "--out", "shared", "--workers", strconv.Itoa(workers))
	for _, cmd := range []*exec.Cmd{alone, shared} {
		if log, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s\n%s%s", cmd.Args, err, log, text, optimistic)
		}
	}
	want, got := folderOf(t, filepath.Join(dir, "alone")), folderOf(t, filepath.Join(dir, "shared"))
	cost := takeCost(t, got)
	takeCost(t, want)
	for name := range want {
		if name != record.ExperimentFile && !bytes.Equal(want[name], got[name]) {
			t.Errorf("%d processes of %d workers: %s is another\n%s%s", n, workers, name, text, optimistic)
		}
	}
	var r fabricast.Result
	if err := json.Unmarshal(got[record.ResultFile], &r); err != nil {
		t.Fatal(err)
	}
	if cost == nil || cost.Parts%n != 0 || int64(cost.CommittedPackets) != r.PacketHops || cost.Synchronizations == 0 {
		t.Errorf("%d processes of %d workers, %d packet-hops: %+v\n%s%s", n, workers, r.PacketHops, cost, text, optimistic)
		return 0
	}
	return cost.RolledBack
}

// takeCost removes from a folder what its result tells of the engine, and returns it.
func takeCost(t *testing.T, folder map[string][]byte) *fabricast.OptimisticResult {
	t.Helper()
	var r fabricast.Result
	if err := json.Unmarshal(folder[record.ResultFile], &r); err != nil {
		t.Fatal(err)
	}
	cost := r.Optimistic
	r.Engine, r.Optimistic = "", nil
	var err error
	if folder[record.ResultFile], err = r.JSON(); err != nil {
		t.Fatal(err)
	}
	return cost
}
