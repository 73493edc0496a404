package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/cluster/transport"
	"fabricast/internal/draws"
	"fabricast/internal/needed"
	"fabricast/internal/partition"
	"fabricast/internal/resulttest"
	"fabricast/record"
)

// mpirun is a launcher, with the environment variable that holds a process's rank.
type mpirun struct {
	name string
	args []string
	rank string
	// patient are arguments with which a launcher that is interrupted does not kill its processes
	// before a slow machine has run them.
	patient []string
}

var mpiruns = []mpirun{
	{"mpirun.mpich", nil, "PMI_RANK", nil},
	{
		"mpirun.openmpi",
		[]string{"--oversubscribe", "--bind-to", "none"},
		"OMPI_COMM_WORLD_RANK",
		[]string{"--mca", "odls_base_sigkill_timeout", "3"},
	},
}

// eachLauncher runs a test with the launcher of each MPI library.
func eachLauncher(t *testing.T, f func(*testing.T, mpirun)) {
	for _, m := range mpiruns {
		t.Run(m.name, func(t *testing.T) {
			if _, err := exec.LookPath(m.name); err != nil {
				needed.Missing(t, err)
			}
			f(t, m)
		})
	}
}

// someLauncher runs a test with the launcher of one MPI library, which changes from commit to
// commit. Long tests use every library.
func someLauncher(t *testing.T, f func(*testing.T, mpirun)) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(t.Name()))
	chosen := (h.Sum64() + draws.Round()) % uint64(len(mpiruns))
	eachLauncher(t, func(t *testing.T, m mpirun) {
		if m.name != mpiruns[chosen].name && !draws.Long() {
			t.Skip("in another commit")
		}
		f(t, m)
	})
}

// command returns the command that runs fabricast in n processes, in the folder dir.
func (m mpirun) command(dir string, n int, args ...string) *exec.Cmd {
	cmd := exec.Command(
		m.name,
		append(append(append([]string{}, m.args...), "-n", strconv.Itoa(n), "fabricast"), args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	return cmd
}

// drawsOfLauncher returns random numbers for a test with a launcher, different for each commit.
func drawsOfLauncher(t *testing.T) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(t.Name()))
	return rand.New(rand.NewPCG(h.Sum64(), draws.Round()))
}

// often returns the number of repetitions: n, or 40 times n in long tests.
func often(n int) int {
	if draws.Long() {
		return 40 * n
	}
	return n
}

// TestProcessesOfMPI checks that random experiments leave the same result and folder in one process
// and in up to four, with one or two workers.
func TestProcessesOfMPI(t *testing.T) {
	eachLauncher(t, func(t *testing.T, m mpirun) {
		d := drawsOfLauncher(t)
		for range often(1) {
			text := drawShared(t, d)
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "e.yaml"), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			var flags []string
			if !strings.Contains(text, "\ntraffic") {
				flags = []string{"--record", "trace,otf2"}
			}
			alone := exec.Command("fabricast", append([]string{"run", "e.yaml", "--out", "alone"}, flags...)...)
			alone.Dir = dir
			n, workers := 2+d.IntN(3), strconv.Itoa(1+d.IntN(2))
			shared := m.command(dir, n, append(
				[]string{"run", "e.yaml", "--out", "shared", "--workers", workers}, flags...)...)
			for _, cmd := range []*exec.Cmd{alone, shared} {
				if log, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v: %v\n%s\n%s", cmd.Args, err, log, text)
				}
			}
			want, got := folderOf(t, filepath.Join(dir, "alone")), folderOf(t, filepath.Join(dir, "shared"))
			for name := range want {
				if !bytes.Equal(want[name], got[name]) {
					t.Errorf("%d processes of %s workers: %s is another\n%s", n, workers, name, text)
				}
			}
		}
	})
}

// TestTenProcesses checks the result of more processes than reach agreements by direct messages
// between all pairs.
func TestTenProcesses(t *testing.T) {
	const text = "network: {topology: {kind: torus, dims: [4, 4]}}\n" +
		"workload: {program: alltoall, algorithm: bruck, size: 300B}\n"
	someLauncher(t, func(t *testing.T, m mpirun) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "e.yaml"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		alone := exec.Command("fabricast", "run", "e.yaml", "--out", "alone")
		alone.Dir = dir
		shared := m.command(dir, 10, "run", "e.yaml", "--out", "shared", "--workers", "1")
		for _, cmd := range []*exec.Cmd{alone, shared} {
			if log, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", cmd.Args, err, log)
			}
		}
		want, got := folderOf(t, filepath.Join(dir, "alone")), folderOf(t, filepath.Join(dir, "shared"))
		for name := range want {
			if !bytes.Equal(want[name], got[name]) {
				t.Errorf("%s is another", name)
			}
		}
	})
}

// TestProcessesInterference checks that several processes also run jobs alone, with the same
// result.
func TestProcessesInterference(t *testing.T) {
	sameInProcesses(t, `"slowdown"`, "network: {topology: {kind: torus, dims: [4, 4]}}\njobs:\n"+
		"- {name: a, workload: {program: alltoall, size: 2KiB}, ranks: 8, placement: random-nodes}\n"+
		"- {name: b, workload: {program: random-ring, size: 5KiB}, ranks: 6, placement: random-nodes}\n",
		"--interference")
}

// TestProcessesPaceCollectives checks that several processes pace collectives of a program and of
// jobs as one process does, and report the same gaps.
func TestProcessesPaceCollectives(t *testing.T) {
	program := "workload: {program: alltoall, size: 3KiB}\n"
	network := "network: {topology: {kind: torus, dims: [3, 2], hosts: 2}}\n" +
		"collectives: {alltoall: {algorithm: pairwise, pacing: mod}}\n"
	sameInProcesses(t, `"collective_pacing"`, network+program)
	sameInProcesses(t, `"collective_pacing"`, network+"jobs:\n"+
		"- {name: a, workload: {program: alltoall, size: 2KiB}, ranks: 5, placement: random-nodes}\n"+
		"- {name: b, workload: {program: alltoall, size: 1KiB}, ranks: 7, placement: random-nodes}\n")
}

// sameInProcesses runs an experiment in one process and in three processes of a launcher, and
// compares the folders. The result must contain the text expected.
func sameInProcesses(t *testing.T, expected, text string, flags ...string) {
	t.Helper()
	someLauncher(t, func(t *testing.T, m mpirun) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "e.yaml"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		into := func(folder string) []string {
			return append([]string{"run", "e.yaml", "--out", folder}, flags...)
		}
		alone := exec.Command("fabricast", into("alone")...)
		alone.Dir = dir
		for _, cmd := range []*exec.Cmd{alone, m.command(dir, 3, into("shared")...)} {
			if log, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", cmd.Args, err, log)
			}
		}
		want, got := folderOf(t, filepath.Join(dir, "alone")), folderOf(t, filepath.Join(dir, "shared"))
		if !bytes.Contains(want[record.ResultFile], []byte(expected)) {
			t.Errorf("the result has no %s:\n%s", expected, want[record.ResultFile])
		}
		for name := range want {
			if !bytes.Equal(want[name], got[name]) {
				t.Errorf("3 processes: %s is another:\n%s\nof one:\n%s", name, got[name], want[name])
			}
		}
	})
}

// TestProcessesBalance checks that routers move between processes if some nodes send nearly all
// traffic, and that the folder is that of one process.
func TestProcessesBalance(t *testing.T) {
	const text = "network: {topology: {kind: torus, dims: [8, 8, 8]}}\njobs:\n" +
		"- {name: hot, traffic: {load: 40%, size: 4KiB}, ranks: 51, placement: linear, duration: 100us}\n" +
		"- {name: cold, workload: {program: alltoall, size: 300B}, ranks: 64, placement: linear}\n" +
		"engine: {balance: dynamic}\npartition: linear\n"
	someLauncher(t, func(t *testing.T, m mpirun) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "e.yaml"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		alone := exec.Command("fabricast", "run", "e.yaml", "--out", "alone", "--workers", "1")
		alone.Dir = dir
		shared := m.command(dir, 3, "run", "e.yaml", "--out", "shared", "--workers", "1")
		for _, cmd := range []*exec.Cmd{alone, shared} {
			if log, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", cmd.Args, err, log)
			}
		}
		result, err := os.ReadFile(filepath.Join(dir, "shared", record.ResultFile))
		if err != nil || !bytes.Contains(result, []byte(`"moves"`)) {
			t.Errorf("nothing has moved: %v\n%s", err, result)
		}
		want, got := folderOf(t, filepath.Join(dir, "alone")), folderOf(t, filepath.Join(dir, "shared"))
		for name := range want {
			if !bytes.Equal(want[name], got[name]) {
				t.Errorf("%s is another:\n%s\nof one process:\n%s", name, got[name], want[name])
			}
		}
	})
}

// TestProcessesView checks that the first of several processes serves the report until it is
// interrupted, while the other processes end with the run.
func TestProcessesView(t *testing.T) {
	quickstart, err := filepath.Abs("../../examples/quickstart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	someLauncher(t, func(t *testing.T, m mpirun) {
		dir, log := t.TempDir(), &resulttest.Output{}
		cmd := m.command(dir, 3, "run", quickstart, "--view", "--json")
		cmd.Stderr, cmd.Stdout = log, io.Discard
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		seen := false
		for begin := time.Now(); !seen && time.Since(begin) < time.Minute; time.Sleep(20 * time.Millisecond) {
			site := regexp.MustCompile(`http://[^ ]*/`).FindString(log.String())
			if site == "" {
				continue
			}
			if answer, err := http.Get(site + "data/manifest"); err == nil {
				body, _ := io.ReadAll(answer.Body)
				_ = answer.Body.Close()
				seen = strings.Contains(string(body), `"predicted_ps"`)
			}
		}
		if !seen {
			t.Errorf("no report of the result:\n%s", log)
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		_ = endsSoon(t, cmd) // the launcher chooses the status
	})
}

// TestProcessesReplay checks that traces of calls and of tasks are replayed with the same result in
// one process and in several.
func TestProcessesReplay(t *testing.T) {
	someLauncher(t, func(t *testing.T, m mpirun) {
		dir := t.TempDir()
		text := "network: {topology: {kind: torus, dims: [3, 2], hosts: 2}}\nnode: {ranks: 2}\n" +
			"workload: {program: %s, size: 3KiB}\nranks: 16\n"
		carry := func(cmd *exec.Cmd) {
			t.Helper()
			cmd.Dir = dir
			if log, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", cmd.Args, err, log)
			}
		}
		tasks := &strings.Builder{}
		fmt.Fprintln(tasks, "num_ranks 7")
		for rank := range 7 {
			fmt.Fprintf(tasks, "rank %d {\nl1: calc %d\nl2: send 5000b to %d tag 1\nl3: recv 5000b from %d tag 1\n"+
				"l2 requires l1\nl4: send 1b to %d tag 2\nl5: recv 1b from %d tag 2\nl4 requires l3\n}\n",
				rank, 100+300*rank, (rank+1)%7, (rank+6)%7, (rank+3)%7, (rank+4)%7)
		}
		files := map[string]string{
			"alltoall.yaml":  fmt.Sprintf(text, "alltoall"),
			"allreduce.yaml": fmt.Sprintf(text, "allreduce"),
			"tasks.goal":     tasks.String(),
		}
		for name, content := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		for _, program := range []string{"alltoall", "allreduce"} {
			carry(exec.Command("fabricast", "run", program+".yaml", "--record", "trace", "--out", program))
		}
		d := drawsOfLauncher(t)
		for _, path := range []string{"alltoall", "allreduce", "tasks.goal"} {
			carry(exec.Command("fabricast", "run", "alltoall.yaml", "--trace", path, "--out", "alone"+path))
			want := folderOf(t, filepath.Join(dir, "alone"+path))
			delete(want, record.ExperimentFile) // contains the folder's path
			n, out := 2+d.IntN(3), "shared"+path
			carry(m.command(dir, n, "run", "alltoall.yaml", "--trace", path, "--out", out))
			for name, got := range folderOf(t, filepath.Join(dir, out)) {
				if name != record.ExperimentFile && !bytes.Equal(want[name], got) {
					t.Errorf("%s in %d processes: %s is another", path, n, name)
				}
			}
		}
	})
}

// mostWindows limits the number of windows of an experiment in short tests. If many processes and
// workers share two cores, a window takes milliseconds.
const mostWindows = 1500

// drawShared draws an experiment that several processes can share; in short tests one of few
// windows.
func drawShared(t *testing.T, d *rand.Rand) string {
	t.Helper()
	for {
		text := drawOfAnyLength(d)
		if draws.Long() {
			return text
		}
		e, err := fabricast.Parse("e.yaml", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		r, err := e.Run(t.Context(), fabricast.Workers(1))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if r.Windows <= mostWindows {
			return text
		}
	}
}

func drawOfAnyLength(d *rand.Rand) string {
	one := func(values ...string) string { return values[d.IntN(len(values))] }
	load, protocol := one(
		"workload: {program: alltoall, algorithm: simple-spread, size: 700B}",
		"workload: {program: alltoall, algorithm: bruck, size: 5KiB}\nnoise: {every: 5us, lose: 1us}",
		"workload: {program: random-ring, size: 3KiB}",
		"workload: {program: alltoall, size: 2KiB}\ncollectives: {alltoall: {algorithm: pairwise, pacing: mod}}",
		"workload: {program: allgather, size: 300B, algorithm: ring}",
		"workload: {program: allreduce, size: 4KiB}\nimbalance: {distribution: uniform, width: 2us}",
		"traffic: {load: 60%, size: 200B, measure: {longest: 2us, bin: 100ns}}",
		"traffic: {window: 3, size: 1B, reply: 2KiB, measure: {longest: 2us, bin: 100ns}}"), ""
	if !strings.HasPrefix(load, "traffic") {
		protocol = one(
			"",
			"",
			", protocol: {rendezvous: write, eager: 1KiB}",
			", protocol: {rendezvous: read, eager: 300B}",
		)
	}
	records := one(
		"", "record: {bins: auto, messages: true}", "record: {bins: {interval: 200ns, buffers: true}}",
		"record: {buffers: {routers: [0, 3, 5]}, messages: true}",
	)
	if records != "" && !strings.HasPrefix(load, "traffic") {
		records = one(records, "record: {timeline: true, causes: path, bins: 1us}")
	}
	return fmt.Sprintf(
		"network: {topology: %s, router: {queues: %s, buffer: %s, vcs: 6, arbiter: %s}}\npartition: %s\n"+
			"engine: {sync: %s}\nnode: {nics: %s%s}\n%s\n%s\n",
		one(
			"{kind: torus, dims: [4, 4]}",
			"{kind: torus, dims: [3, 2, 5], hosts: 2}",
			"{kind: mesh, dims: [4, 3]}",
			"{kind: dragonfly, p: 2, a: 4, h: 2}",
			"{kind: fat-tree, radix: 4, levels: 2}, routing: nca",
			"{kind: hyperx, dims: [3, 4]}",
			"{kind: torus, dims: [4, 5]}, routing: adaptive",
			"{kind: dragonfly, p: 2, a: 4, h: 2}, routing: ugal-l",
			"{kind: slim-fly, q: 3}",
		),
		one("input", "voq"),
		one("1KiB", "8KiB"),
		one("fcfs", "round-robin", "age"),
		one(partitions()...),
		one("all", "neighbours"),
		one("1", "1", "2"),
		protocol,
		load,
		records,
	)
}

// partitions returns the kinds of partitions, except those by libraries that are not installed.
func partitions() []string {
	return slices.DeleteFunc(experiment.Partitions(), func(by string) bool {
		return partition.Method(by).Missing() != nil
	})
}

// folderOf returns the prediction in a result folder: the contents of its files.
func folderOf(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(folder, path)
		all[name], err = os.ReadFile(path)
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("%s: %v", folder, err)
	}
	var r fabricast.Result
	if err := json.Unmarshal(all[record.ResultFile], &r); err != nil {
		t.Fatal(err)
	}
	r.Processes, r.Workers, r.Balance, r.Moves, r.Windows, r.Host = 0, 0, 0, 0, 0, fabricast.Host{}
	r.Streams = nil
	if all[record.ResultFile], err = r.JSON(); err != nil {
		t.Fatal(err)
	}
	delete(all, record.ProgressFile)
	return all
}

// TestProcessKilled kills a process at a random moment. The launcher must end all processes, and
// there must be no result.
func TestProcessKilled(t *testing.T) {
	eachLauncher(t, func(t *testing.T, m mpirun) {
		d := drawsOfLauncher(t)
		for i := range often(1) {
			victim, dir := d.IntN(4), t.TempDir()
			cmd := longShared(t, m, dir, []string{"all", "neighbours"}[i%2])
			time.Sleep(time.Duration(d.IntN(300)) * time.Millisecond)
			if err := syscall.Kill(processOf(t, m, dir, victim), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			if endsSoon(t, cmd) == nil {
				t.Errorf("process %d is killed, and the run ends well", victim)
			}
			if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
				t.Errorf("process %d is killed, and there is a result", victim)
			}
		}
	})
}

// TestProcessesInterrupted checks that a signal to the launcher ends a run of several processes in
// an orderly way: the results so far are recorded.
func TestProcessesInterrupted(t *testing.T) {
	someLauncher(t, func(t *testing.T, m mpirun) {
		m.args = slices.Concat(m.args, m.patient)
		for i, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
			dir := t.TempDir()
			cmd := longShared(t, m, dir, []string{"all", "neighbours"}[i%2])
			if err := cmd.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			if endsSoon(t, cmd) == nil {
				t.Errorf("%v: the run ends as if nothing had happened", s)
			}
			result, err := os.ReadFile(filepath.Join(dir, "out", record.ResultFile))
			if err != nil || !strings.Contains(string(result), `"state": "interrupted"`) {
				t.Errorf("%v leaves %v:\n%s", s, err, result)
			}
		}
	})
}

// TestProcessesRefused checks that runs that require a single process are refused with the reason,
// printed by one process only.
func TestProcessesRefused(t *testing.T) {
	someLauncher(t, func(t *testing.T, m mpirun) {
		f := func(want string, args ...string) {
			t.Helper()
			log, err := m.command(t.TempDir(), 3, append([]string{"run"}, args...)...).CombinedOutput()
			if err == nil || strings.Count(string(log), want) != 1 {
				t.Errorf("%v: %v, want %q once in\n%s", args, err, want, log)
			}
		}
		quickstart, err := filepath.Abs("../../examples/quickstart.yaml")
		if err != nil {
			t.Fatal(err)
		}
		f("--watch in a run of several processes", quickstart, "--watch")
		f(
			"at most one process a router",
			quickstart,
			"--set",
			"network.topology={kind: torus, dims: [2], hosts: 2}",
			"--set",
			"ranks=4",
		)
		f("found 9 dimensions", quickstart, "--set", "network.topology.dims=[1, 2, 3, 4, 5, 6, 7, 8, 9]")
	})
}

// longShared starts a long run of four processes, and returns once the simulation has started.
func longShared(t *testing.T, m mpirun, dir, sync string) *exec.Cmd {
	t.Helper()
	example, err := filepath.Abs("../../examples/bruck-4k-1024B.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "e.yaml")
	if err := os.WriteFile(file, append(text, "\nengine: {sync: "+sync+"}\n"...), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := m.command(dir, 4, "run", file, "--out", filepath.Join(dir, "out"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitForFile(t, filepath.Join(dir, ".out.part-*/result/progress.json"))
	return cmd
}

// endsSoon waits for a launcher to end by itself, and returns its error.
func endsSoon(t *testing.T, cmd *exec.Cmd) error {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(time.Minute):
		_ = cmd.Process.Kill()
		t.Fatalf("%v hangs", cmd.Args)
		return nil
	}
}

// processOf returns the process ID of a rank in a run that writes to folder dir.
func processOf(t *testing.T, m mpirun, dir string, rank int) int {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		arguments, _ := os.ReadFile(filepath.Join(p, "cmdline"))
		environment, _ := os.ReadFile(filepath.Join(p, "environ"))
		if bytes.Contains(arguments, []byte(dir)) &&
			bytes.Contains(environment, fmt.Appendf(nil, "\x00%s=%d\x00", m.rank, rank)) {
			number, err := strconv.Atoi(filepath.Base(p))
			if err != nil {
				t.Fatal(err)
			}
			return number
		}
	}
	t.Fatalf("there is no process %d", rank)
	return 0
}

// TestNoLibrary checks that a missing MPI library is reported by one process only.
func TestNoLibrary(t *testing.T) {
	eachLauncher(t, func(t *testing.T, m mpirun) {
		cmd := m.command(t.TempDir(), 2, "run", "e.yaml")
		cmd.Env = append(cmd.Env, transport.LibraryVariable+"=libnone.so")
		log, err := cmd.CombinedOutput()
		if err == nil || strings.Count(string(log), "no MPI library that fits it can be loaded") != 1 {
			t.Errorf("%v:\n%s", err, log)
		}
	})
}
