package replay_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/mpi"
	"fabricast/replay"
	"fabricast/topology"
	"fabricast/trace"
	"fabricast/trace/formats"
	"fabricast/trace/otf2"
	"fabricast/workload"
)

// experiments is the number of random experiments that TestRecord records.
var experiments = flag.Int("experiments", 40, "random experiments that are recorded and replayed")

// drawn returns the number of experiments to record: the flag, or a quarter of it in short tests.
func drawn() int {
	if testing.Short() {
		return (*experiments + 3) / 4
	}
	return *experiments
}

// anyProgram returns a random program that uses all point-to-point calls. Some of them depend on
// which message arrives first. windows permits RMA windows, which ranks in different processes
// cannot create.
func anyProgram(seed uint64, windows bool) func(*mpi.Rank) {
	return func(r *mpi.Rank) {
		own, common := rand.New(rand.NewPCG(seed, uint64(r.Rank()))), rand.New(rand.NewPCG(seed, 1<<40))
		for round := range 6 {
			anyExchange(r, own, 1+common.IntN(r.Size()), round)
		}
		c := r.Split(common.IntN(3)*r.Rank()%2, own.IntN(5))
		c.Sendrecv(mpi.Size(own.IntN(300)), (c.Rank()+1)%c.Size(), 3, mpi.Size(300), mpi.AnySource, 3)
		c.Allreduce(mpi.Size(64), mpi.Size(64), nil, "")
		if windows {
			anyAccess(c, common)
		}
		r.Barrier("")
	}
}

// anyAccess performs random puts and gets between two fences.
func anyAccess(c *mpi.Comm, common *rand.Rand) {
	const most = 20_000
	w := c.CreateWin(mpi.Size(most), 1)
	w.Fence()
	for range common.IntN(4) {
		target := (c.Rank() + 1 + common.IntN(3)) % c.Size()
		if n := common.IntN(most); common.IntN(2) == 0 {
			w.Put(mpi.Size(n), target, 0)
		} else {
			w.Get(mpi.Size(n), target, 0)
		}
	}
	w.Fence()
	w.Free()
}

// anyExchange sends to rank+shift and receives from rank-shift.
func anyExchange(r *mpi.Rank, own *rand.Rand, shift, round int) {
	to, from := (r.Rank()+shift)%r.Size(), (r.Rank()+r.Size()-shift%r.Size())%r.Size()
	buf, out := mpi.Size(9000), mpi.Size(own.IntN(9000))
	r.Compute(mpi.Duration(own.IntN(2_000_000)))
	send := r.Isend(out, to, round)
	switch own.IntN(7) {
	case 0:
		r.Recv(buf, from, round)
	case 1:
		r.Probe(mpi.AnySource, round)
		r.Recv(buf, from, round)
	case 2:
		q := r.Irecv(buf, from, round)
		r.Compute(mpi.Duration(own.IntN(500_000)))
		r.WaitAll([]mpi.Request{send, q})
		return
	case 3:
		q := r.Irecv(buf, from, round)
		for polls := 0; ; polls++ {
			r.Compute(70 * mpi.Nanosecond)
			if _, done := r.Test(q); done {
				break
			}
			if polls == 500 {
				r.Wait(q)
				break
			}
		}
	case 4:
		for polls := 0; polls < 500; polls++ {
			if _, there := r.Iprobe(from, round); there {
				break
			}
		}
		r.Recv(buf, from, round)
	case 5:
		rs := []mpi.Request{send, r.Irecv(buf, mpi.AnySource, round)}
		for range rs {
			i, _ := r.WaitAny(rs)
			r.Compute(mpi.Duration(i * 1000))
		}
		return
	default:
		q := r.Irecv(buf, from, round)
		r.Wait(send)
		r.Wait(q)
		return
	}
	r.Wait(send)
}

// anyExperiment returns a random experiment on a random network.
func anyExperiment(random *rand.Rand, file string, windows bool) fabricast.Experiment {
	networks := []topology.Spec{
		topology.TorusSpec{Dims: []int{4, 2, 2}},
		topology.MeshSpec{Dims: []int{3, 6}},
		topology.DragonflySpec{P: 2, A: 4, H: 2},
		topology.KaryTreeSpec{K: 4, N: 2},
		topology.TorusSpec{Dims: []int{2, 2, 2, 2}},
		topology.HyperXSpec{Dims: []int{4, 4}},
		topology.FullSpec{Routers: 16},
		topology.FatTreeSpec{Radix: 8, Levels: 2},
		topology.XGFTSpec{M: []int{4, 4}, W: []int{1, 2}},
		topology.DragonflyPlusSpec{P: 2, Leaves: 2, Spines: 2, H: 1},
		topology.SlimFlySpec{Q: 5},
	}
	e := fabricast.Experiment{
		Network: experiment.Network{Topology: networks[random.IntN(len(networks))]},
		Ranks:   2 + random.IntN(15),
		Seed:    random.Uint64N(1000),
	}
	e.Node.Overhead = fabricast.Time(random.IntN(3)) * 150_000
	if random.IntN(3) == 0 {
		e.Node.Copies = experiment.CopiesOne
	}
	if random.IntN(3) == 0 {
		e.Node.Ranks = 2
	}
	if random.IntN(3) == 0 {
		e.Noise = experiment.Noise{Every: 1_000_000, Lose: 100_000}
	}
	if random.IntN(3) == 0 {
		e.Node.Protocol = experiment.Protocol{
			Rendezvous: []string{"write", "read"}[random.IntN(2)],
			Eager:      1000,
		}
	}
	switch random.IntN(3) {
	case 0:
		seed := random.Uint64()
		e.Program = anyProgram(seed, windows)
	case 1:
		e.Workload.Program = file
		if random.IntN(2) == 0 {
			e.Workload.By = "put"
		}
	default:
		g := randomTasks(random, e.Ranks)
		job, err := replay.New(g, replay.Options{})
		if err != nil {
			panic(err)
		}
		e.Launch, e.Apart = job.Launcher(), true
	}
	return e
}

// randomTasks returns random tasks on several lanes, with messages around the ring of ranks.
func randomTasks(random *rand.Rand, ranks int) *graph {
	g := &graph{groups: [][]int32{nil}, ranks: make([][]trace.Task, ranks)}
	for r := range ranks {
		for i := range int64(4) {
			g.ranks[r] = append(
				g.ranks[r],
				trace.Task{Duration: random.Int64N(3_000_000), Lane: int32(random.IntN(2))},
				trace.Task{
					Kind: trace.TaskSend,
					Message: trace.Message{
						Peer: int32((r + 1) % ranks),
						Tag:  int32(i),
						Size: random.Int64N(9000),
					},
					After: []int64{3 * i},
				},
				trace.Task{
					Kind:    trace.TaskReceive,
					Message: trace.Message{Peer: int32((r + ranks - 1) % ranks), Tag: int32(i)},
					Started: []int64{random.Int64N(3*i + 2)},
				},
			)
		}
	}
	return g
}

// printed runs otf2-print on an archive. It must report no error, and a send and a receive for each
// message.
func printed(t *testing.T, archive string) {
	t.Helper()
	cmd := exec.Command("otf2-print", filepath.Join(archive, otf2.AnchorName))
	var out, wrong bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &wrong
	if err := cmd.Run(); err != nil || wrong.Len() > 0 {
		t.Fatalf("otf2-print (Debian: otf2-tools): %v\n%s", err, wrong.String())
	}
	balance := map[string]int{}
	for _, m := range ends.FindAllStringSubmatch(out.String(), -1) {
		from, to, n := m[2], m[3], 1
		if m[1] == "IRECV" {
			from, to, n = to, from, -1
		}
		balance[fmt.Sprint("from ", from, " to ", to, m[4])] += n
	}
	for message, n := range balance {
		if n != 0 {
			t.Errorf("%s: sent %d times more than received", message, n)
		}
	}
}

// ends matches the send and receive events of messages in the output of otf2-print.
var ends = regexp.MustCompile(
	`(?m)^MPI_(ISEND|IRECV) +(\d+) .*(?:Receiver|Sender): \d+ \("[^"]*" <(\d+)>\)(.*), Request`,
)

// TestRecord records random experiments, and checks that the replay gives the same result.
func TestRecord(t *testing.T) {
	names := slices.DeleteFunc(workload.Names(), func(name string) bool { return name == "recorded" })
	done := 0
	for seed := uint64(1); done < drawn(); seed++ {
		random := rand.New(rand.NewPCG(seed, 5))
		e := anyExperiment(random, names[random.IntN(len(names))], true)
		folder := t.TempDir()
		paths := []string{filepath.Join(folder, "run.fbt"), filepath.Join(folder, "run.otf2")}
		recorder := replay.NewRecorders(0)
		recorder.Native(paths[0], folder)
		recorder.OTF2(paths[1], folder)
		result, err := e.Run(
			t.Context(), fabricast.WrapPrograms(recorder.Wrap), fabricast.Workers(1+random.IntN(3)),
		)
		var config *fabricast.ConfigError
		if errors.As(err, &config) {
			if strings.Contains(err.Error(), "network.") {
				t.Fatal(err)
			}
			continue // the program does not support this number of ranks
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := recorder.Close(); err != nil {
			t.Fatal(err)
		}
		done++
		what := fmt.Sprint(e.Workload.Program, e.Program != nil, e.Launch != nil)
		e.Program, e.Launch, e.Workload = nil, nil, experiment.Workload{}
		if done < 10 {
			printed(t, paths[1])
		}
		for _, path := range paths {
			source, err := formats.Open(path, trace.Options{})
			if err != nil {
				t.Fatal(err)
			}
			again := replayed(t, e, source, replay.Options{})
			if hash := run(t, again, 1+random.IntN(3)); hash != result.Hash {
				t.Errorf(
					"seed %d: %s has hash %s, that of the recorded run is %s: %s %+v",
					seed, source.Format(), hash, result.Hash, what, e,
				)
			}
		}
	}
}
