package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"fabricast"
	"fabricast/internal/draws"
	"fabricast/record"
)

// TestProcessesOptimistic checks that random experiments that several processes simulate in the
// optimistic mode leave the folder of a single process in the conservative mode. The reported costs
// must cover all processes: the packets of committed windows are all packets.
func TestProcessesOptimistic(t *testing.T) {
	eachLauncher(t, func(t *testing.T, m mpirun) {
		d := drawsOfLauncher(t)
		var undone uint64
		// Rollbacks depend on the machine, so more experiments are drawn until one occurs.
		for ran := 0; ran < often(1) || undone == 0 && ran < often(20); {
			rolledBack, refused := optimisticInProcesses(t, m, d)
			if undone += rolledBack; !refused {
				ran++
			}
		}
		if undone == 0 {
			t.Error("no window was rolled back, which shows nothing")
		}
	})
}

// optimisticInProcesses draws an experiment. It returns the number of windows that were rolled
// back, and whether the mode was refused.
func optimisticInProcesses(t *testing.T, m mpirun, d *rand.Rand) (undone uint64, refused bool) {
	t.Helper()
	var lines []string
	for line := range strings.Lines(drawShared(t, d)) {
		if !strings.HasPrefix(line, "engine:") {
			lines = append(lines, line)
		}
	}
	dir, n, workers := t.TempDir(), 2+d.IntN(3), 1+d.IntN(2)
	optimistic := fmt.Sprintf(
		"engine: {mode: optimistic, batch: %d, gvt_interval: %d, kp: %d, throttle: %s}\n",
		1+d.IntN(40), 1+d.IntN(40), 1+d.IntN(2), []string{"static", "static", "dynamic"}[d.IntN(3)],
	)
	text := strings.Join(lines, "")
	for name, content := range map[string]string{"alone": text, "shared": text + optimistic} {
		if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	alone := exec.Command("fabricast", "run", "alone.yaml", "--out", "alone")
	alone.Dir = dir
	shared := m.command(dir, n, "run", "shared.yaml", "--out", "shared", "--workers", strconv.Itoa(workers))
	for _, cmd := range []*exec.Cmd{shared, alone} {
		log, err := cmd.CombinedOutput()
		if bytes.Contains(log, []byte("engine.mode: found optimistic, expected conservative")) {
			return 0, true
		}
		if err != nil {
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
		return 0, false
	}
	return cost.RolledBack, false
}

// takeCost removes the parts of a folder's result that depend on the engine, and returns the costs.
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

// TestOptimisticReplay checks that traces replayed in the optimistic modes, alone and as jobs
// alongside others, in one process and in two, leave the folder of the conservative mode.
func TestOptimisticReplay(t *testing.T) {
	d := rand.New(rand.NewPCG(23, draws.Round()))
	var undone uint64
	programs := []string{"alltoall", "allreduce", "random-ring"}
	for i := range programs { // one for each commit, and more if nothing was rolled back
		if undone > 0 && !draws.Long() {
			break
		}
		program := programs[(uint64(i)+draws.Round())%uint64(len(programs))]
		dir := t.TempDir()
		machine := "network: {topology: {kind: torus, dims: [3, 4], hosts: 2}}\nnode: {ranks: 2}\n"
		recorded := machine + fmt.Sprintf("workload: {program: %s, size: 3KiB}\nranks: 20\n", program)
		jobs := "network: {topology: {kind: torus, dims: [3, 4], hosts: 2}}\njobs:\n" +
			"- {name: a, trace: {file: traced}, placement: random-nodes}\n" +
			"- {name: b, traffic: {load: 20%, size: 1KiB}, ranks: 4}\n"
		optimistic := fmt.Sprintf("engine: {mode: %s, batch: %d, kp: %d, throttle: static}\n",
			[]string{"optimistic", "optimistic", "optimistic-check"}[d.IntN(3)], 2+d.IntN(20), 2+d.IntN(4))
		for name, text := range map[string]string{
			"recorded": recorded, "plain": machine, "jobs": jobs, "plain-o": machine + optimistic, "jobs-o": jobs + optimistic,
		} {
			if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		carry := func(cmd *exec.Cmd) {
			t.Helper()
			cmd.Dir = dir
			if log, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s\n%s", cmd.Args, err, log, optimistic)
			}
		}
		carry(exec.Command("fabricast", "run", "recorded.yaml", "--record", "trace", "--out", "traced"))
		for name, flags := range map[string][]string{"plain": {"--trace", "traced"}, "jobs": nil} {
			run := func(file, out string) []string {
				return append([]string{"run", file + ".yaml", "--out", out, "--workers", "2"}, flags...)
			}
			carry(exec.Command("fabricast", run(name, name)...))
			carry(exec.Command("fabricast", run(name+"-o", name+"-o")...))
			carry(mpiruns[d.IntN(2)].command(dir, 2, run(name+"-o", name+"-shared")...))
			want := folderOf(t, filepath.Join(dir, name))
			takeCost(t, want)
			for _, out := range []string{name + "-o", name + "-shared"} {
				got := folderOf(t, filepath.Join(dir, out))
				cost := takeCost(t, got)
				if cost == nil {
					t.Fatalf("%s of %s: the mode is %s", out, program, optimistic)
				}
				undone += cost.Stragglers
				for file := range want {
					if file != record.ExperimentFile && !bytes.Equal(want[file], got[file]) {
						t.Errorf("%s of %s: %s is another\n%s", out, program, file, optimistic)
					}
				}
			}
		}
	}
	if undone == 0 {
		t.Error("nothing came too late, which shows nothing")
	}
}
