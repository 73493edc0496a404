//go:build !race

// The race detector needs additional memory for all memory that a run touches.

package cli

import (
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

	"fabricast/internal/built"
	"fabricast/internal/needed"
)

var (
	peakDraws = flag.Int("peak-draws", 3, "random experiments whose peak of memory is held against what check expects")
	peakSeed  = flag.Uint64("peak-seed", 1, "number of the first of them")
	peakLarge = flag.Bool("peak-large", false, "draw networks of up to 16,384 hosts")
)

// TestExpectedMemory compares the memory that fabricast check forecasts with the peak memory of the
// fabricast run process, for experiments of all kinds. With -peak-large -peak-draws 200 it computes
// the count stated in docs/performance.md. With small networks, most of the memory is the process
// itself.
func TestExpectedMemory(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		needed.Missing(t, "the peak of a process is measured by Python: ", err)
	}
	dir := t.TempDir()
	bin := built.Command(t)
	out := 0
	for i := range *peakDraws {
		seed := *peakSeed + uint64(i)
		d := rand.New(rand.NewPCG(seed, 30))
		text := drawAnyKind(d, *peakLarge)
		if err := os.WriteFile(filepath.Join(dir, "e.yaml"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		checked, err := exec.Command(bin, "check", filepath.Join(dir, "e.yaml"), "--json").Output()
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		var forecast struct {
			Memory struct {
				Expected int64 `json:"expected_bytes"`
			} `json:"memory_forecast"`
		}
		if err := json.Unmarshal(checked, &forecast); err != nil {
			t.Fatal(err)
		}
		peak := peakOf(t, bin, "run", filepath.Join(dir, "e.yaml"), "--workers", strconv.Itoa(1+d.IntN(2)), "--json")
		ratio := float64(forecast.Memory.Expected) / float64(peak)
		t.Logf("seed %d: expected %d KiB, peak %d KiB: %.2f", seed, forecast.Memory.Expected>>10, peak>>10, ratio)
		if ratio < 0.8 || ratio > 1.5 {
			out++
			t.Logf("out of range:\n%s", text)
		}
	}
	// Of 200 experiments, 2 are outside: how many messages a program leaves unreceived is not known
	// before the run.
	if out > *peakDraws/50 {
		t.Errorf("%d of %d are not within 0.8 to 1.5 of the peak", out, *peakDraws)
	}
}

// peakOf runs a command and returns its peak memory (bytes). The peak of a child process includes
// that of its parent at the time of the fork, so a small process starts the command.
func peakOf(t *testing.T, command ...string) int64 {
	t.Helper()
	const measure = `import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10)
sys.exit(code)`
	out, err := exec.Command("python3", append([]string{"-c", measure}, command...)...).Output()
	if err != nil {
		t.Fatalf("%v: %v", command, err)
	}
	peak, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return peak
}

// drawAnyKind draws an experiment of any kind: networks, switches, nodes, programs, traffic, jobs
// and abstract networks, small or with several thousand hosts.
func drawAnyKind(d *rand.Rand, large bool) string {
	text := fmt.Sprintf("seed: %d\n", d.IntN(1000))
	if d.IntN(10) == 0 {
		return text + drawAnyModel(d)
	}
	hosts := []string{
		"{kind: torus, dims: [8, 8]}",
		"{kind: torus, dims: [4, 4, 4, 4]}",
		"{kind: torus, dims: [32, 32]}",
		"{kind: mesh, dims: [24, 24]}",
		"{kind: mesh, dims: [16, 16], hosts: 4}",
		"{kind: fat-tree, radix: 8, levels: 3}",
		"{kind: fat-tree, radix: 16, levels: 3}",
		"{kind: fat-tree, radix: 36, levels: 2}",
		"{kind: dragonfly, p: 2, a: 4, h: 2}",
		"{kind: slim-fly, q: 5, hosts: 4}",
		"{kind: hyperx, dims: [8, 8], hosts: 8}",
		"{kind: fully-connected, routers: 16, hosts: 4}",
		"{kind: twisted-torus, dims: [8, 8, 16]}",
		"{kind: hammingmesh, board: [4, 4], boards: [8, 8]}",
	}
	if large {
		hosts = append(
			hosts,
			"{kind: torus, dims: [16, 16, 16]}",
			"{kind: torus, dims: [64, 64, 4]}",
			"{kind: dragonfly, p: 4, a: 8, h: 4}",
		)
	}
	router := pick(
		d, "{}", "{}", "{}", "{buffer: 1KiB}", "{buffer: 64KiB}", "{queues: voq}", "{vcs: 4, buffer: 4KiB}",
		"{queues: input, output_buffer: 4KiB, bandwidth: 12GB/s}", "{queues: voq, buffer: 32KiB}",
	)
	if router != "{}" {
		router = strings.TrimSuffix(router, "}") + pick(d, "", ", arbiter: round-robin", ", arbiter: age") + "}"
	}
	text += fmt.Sprintf(
		"network: {topology: %s, router: %s, packet: %s}\n", pick(d, hosts...), router,
		pick(d, "{}", "{}", "{mtu: 2KiB, header: 16B}", "{mtu: 64B}"),
	)
	if d.IntN(8) == 0 {
		text += "record: {bins: {interval: 5us, buffers: true}}\n"
	}
	if d.IntN(6) == 0 {
		return text + drawAnyJobs(d)
	}
	if d.IntN(4) == 0 {
		return text + pick(
			d,
			fmt.Sprintf(
				"traffic: {load: %d%%, size: %s, measure: {longest: 8us, bin: 400ns}}\n", 5+d.IntN(60),
				pick(d, "64B", "256B", "1KiB", "8KiB"),
			),
			fmt.Sprintf(
				"traffic: {window: %d, size: %s, reply: %s, measure: {longest: 8us, bin: 400ns}}\n",
				1+d.IntN(8), pick(d, "1B", "256B"), pick(d, "64B", "2KiB"),
			),
		)
	}
	text += fmt.Sprintf(
		"node: {nics: %s, ranks: %s, overhead: %s%s}\n", pick(d, "1", "1", "2"), pick(d, "1", "1", "2"),
		pick(d, "0ns", "100ns"), pick(d, "", "", ", protocol: {eager: 4KiB, rendezvous: write}"),
	)
	return text + drawAnyProgram(d)
}

// drawAnyProgram draws the program of the ranks.
func drawAnyProgram(d *rand.Rand) string {
	size := pick(d, "8B", "100B", "1KiB", "8KiB", "64KiB")
	small := pick(d, "8B", "100B", "500B")
	return pick(
		d,
		"workload: {program: barrier}\n",
		fmt.Sprintf("workload: {program: %s, size: %s}\n", pick(
			d, "broadcast", "reduce", "allreduce", "halo2d", "halo3d", "random-ring",
		), size),
		fmt.Sprintf("workload: {program: %s, size: %s}\n", pick(
			d, "gather", "scatter", "allgather",
		), small),
		fmt.Sprintf(
			"workload: {program: alltoall, algorithm: %s, size: %s}\n",
			pick(d, "simple-spread", "ring", "bruck", "pairwise"), small,
		),
		fmt.Sprintf(
			"workload: {program: uniform, size: %s, messages: %d, window: %d}\n", size, 8+d.IntN(8), 1+d.IntN(8),
		),
	)
}

// drawAnyJobs draws jobs for the hosts of a network, which has at least 64 hosts.
func drawAnyJobs(d *rand.Rand) string {
	text := "jobs:\n"
	for range 1 + d.IntN(3) {
		text += fmt.Sprintf(
			"  - {%s, ranks: %d, placement: %s}\n", strings.TrimSpace(drawAnyProgram(d)), 4<<d.IntN(3),
			pick(d, "linear", "random-nodes"),
		)
	}
	return text
}

// drawAnyModel draws an experiment on a network without packets.
func drawAnyModel(d *rand.Rand) string {
	return fmt.Sprintf(
		"network: {model: %s, topology: %s}\n", pick(d, "alpha-beta", "loggp", "contention-free"),
		pick(d, "{dims: [8, 8]}", "{dims: [32, 32]}", "{kind: fat-tree, radix: 16, levels: 3}"),
	) + drawAnyProgram(d)
}

// pick returns one of the values.
func pick(d *rand.Rand, values ...string) string { return values[d.IntN(len(values))] }
