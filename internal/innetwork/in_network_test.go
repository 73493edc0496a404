package innetwork_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"fabricast"
	"fabricast/collective"
	"fabricast/internal/cluster"
	"fabricast/internal/producttest"
	"fabricast/internal/run"
	"fabricast/mpi"
)

// kinds are those of network.in_network.
var kinds = []string{"sharp-llt", "sharp-sat", "nvls", "multicast"}

// reducing reports whether an experiment's switches reduce.
func reducing(text string) bool { return !strings.Contains(text, "multicast") }

// TestContents runs all collectives with contents on every kind of network: each rank gets what the
// definition says, bit for bit the same with any number of workers, in the same time.
func TestContents(t *testing.T) {
	d := producttest.Draws(t)
	ran := 0
	producttest.EachNetwork(t, func(t *testing.T, network string) {
		hosts := producttest.Hosts(t, network)
		per := 1 + d.IntN(2)
		ranks := 1 + d.IntN(min(hosts*per, 24))
		text := fmt.Sprintf("network: {topology: %s, packet: {mtu: 256B, header: 16B}, in_network: "+
			"{kind: %s, trees: 8, payload: %dB, window: %d, lanes: %d}}\nnode: {ranks: %d, nics: %d}\nranks: %d\nseed: %d\n",
			network, kinds[d.IntN(len(kinds))], 16*(1+d.IntN(15)), 1+d.IntN(4), 1+d.IntN(2), per, 1+d.IntN(2), ranks, 1+d.IntN(9))
		elements, root := d.IntN(200), d.IntN(ranks)
		var first string
		for _, workers := range []int{1, 1 + d.IntN(3)} {
			e := machine(t, text)
			found := &results{of: make([][]byte, ranks)}
			e.Program = func(r *mpi.Rank) { found.add(r, elements, root, reducing(text)) }
			e.Engine.Workers = workers
			r, err := e.Run(t.Context())
			if producttest.Refused(err) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			ran++
			outcome := fmt.Sprint(r.Hash, r.SimulatedTime, found.of)
			if found.wrong != "" || first != "" && outcome != first {
				t.Fatalf("%s %d workers: %s; before %s\n%s", found.wrong, workers, outcome, first, text)
			}
			first = outcome
		}
	})
	if ran < 10 {
		t.Errorf("only %d runs", ran)
	}
}

// machine returns the experiment of a text without a workload.
func machine(t *testing.T, text string) *fabricast.Experiment {
	t.Helper()
	file := filepath.Join(t.TempDir(), "machine.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := fabricast.LoadMachine(file)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return e
}

// results are what ranks got.
type results struct {
	sync.Mutex
	of    [][]byte // by rank
	wrong string
}

// data returns the contents of numbers.
func data[T int64 | float64](of func(i int) T, n int) mpi.Buf {
	b := []byte{}
	for i := range n {
		b, _ = binary.Append(b, binary.LittleEndian, of(i))
	}
	return mpi.Data(b)
}

func blank(n int) mpi.Buf { return mpi.Data(make([]byte, 8*n)) }

// add carries out the collectives at a rank.
func (x *results) add(r *mpi.Rank, n, root int, reduces bool) {
	p, me := r.Size(), r.Rank()
	fractions := func(from int) mpi.Buf {
		return data(func(i int) float64 { return 1 / float64(3+i+7*from) }, n)
	}
	expect := func(what string, got, want mpi.Buf) {
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			x.fail("%s of rank %d is wrong", what, me)
		}
	}
	r.Barrier(collective.InNetwork)
	sum := blank(n)
	if reduces {
		r.Allreduce(fractions(me), sum, collective.SumFloat64, collective.InNetwork)
		total := blank(n)
		r.Reduce(data(func(i int) int64 { return int64(me + i) }, n), total, collective.SumInt64, root, collective.InNetwork)
		if me == root {
			expect("reduce", total, data(func(i int) int64 { return int64(p*i + p*(p-1)/2) }, n))
		}
		block := blank(n)
		r.ReduceScatter(
			data(func(i int) int64 { return int64(me * i) }, n*p), block, collective.SumInt64, collective.InNetwork,
		)
		expect("reduce-scatter", block, data(func(i int) int64 { return int64((me*n + i) * p * (p - 1) / 2) }, n))
	}
	sent := fractions(me)
	r.Broadcast(sent, root, collective.InNetwork)
	expect("broadcast", sent, fractions(root))
	all := blank(n * p)
	r.Allgather(fractions(me), all, collective.InNetwork)
	for from := range p {
		expect("allgather", all.Slice(from*n*8, n*8), fractions(from))
	}
	x.Lock()
	defer x.Unlock()
	x.of[me] = sum.Bytes()
	for _, other := range x.of {
		if other != nil && !bytes.Equal(other, sum.Bytes()) {
			x.wrong = "ranks have different sums"
		}
	}
}

func (x *results) fail(format string, args ...any) {
	x.Lock()
	defer x.Unlock()
	x.wrong = fmt.Sprintf(format, args...)
}

// TestWrong: what cannot be is refused, with its place.
func TestWrong(t *testing.T) {
	const fat = "network: {topology: {kind: fat-tree, radix: 4, levels: 2}, in_network: "
	for text, want := range map[string]string{
		fat + "{kind: sharp}}":                        "network.in_network.kind: found sharp, expected one of sharp-llt",
		fat + "{payload: 0B}}":                        "network.in_network.payload: found 0B, expected a size from 1B",
		fat + "{payload: 1MiB}}":                      "network.in_network.payload: found 1MiB",
		fat + "{rate: 0}}":                            "network.in_network.rate",
		fat + "{latency: -1ns}}":                      "network.in_network.latency: found -1ns",
		fat + "{slots: 4, window: 5}}":                "network.in_network.window: found 5, expected 1 to the slots, 4",
		fat + "{trees: 1, lanes: 2}}":                 "network.in_network.lanes: found 2",
		fat + "{groups: [rows]}}":                     "network.in_network.groups[0]: found rows, expected all, block/N",
		fat + "{}, router: {buffers: lossy}}":         "none with network.router.buffers: lossy",
		fat + "{}}\nfaults: {reroute: none}":          "none in a network with faults",
		fat + "{kind: multicast}}":                    "in-network on switches that only copy",
		fat + "{groups: [block/2]}}":                  "in-network on switches without a tree for these ranks",
		fat + "{kind: sharp-sat, groups: [block/2]}}": "without a tree",
		fat + "{}, routing: ugal-l}":                  "one route for each pair",
	} {
		e, err := fabricast.Parse("wrong.yaml", text+"\nworkload: {program: allreduce, algorithm: in-network, size: 8B}\n")
		if err == nil {
			_, err = e.Preview()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\ngot %v, want %s", text, err, want)
		}
	}
}

// TestTraffic: every link of the tree carries the buffer once each way, and no other link anything, by
// whatever many ranks.
func TestTraffic(t *testing.T) {
	for _, ranks := range []int{1, 2, 5, 8} {
		e, err := fabricast.Parse("traffic.yaml", fmt.Sprintf(
			"network: {topology: {kind: fat-tree, radix: 4, levels: 2}, packet: {mtu: 1KiB}, in_network: {kind: sharp-llt, "+
				"payload: 1KiB}}\nranks: %d\nworkload: {program: allreduce, algorithm: in-network, size: 64KiB}\n", ranks))
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		hosts, links := ranks, (ranks+1)/2 // two hosts at each leaf
		switch ranks {
		case 1:
			hosts, links = 0, 0
		case 2:
			links = 0
		}
		const each = 2 * 64 << 10
		if r.HostLinks.Bytes != int64(each*hosts) || r.Links.Bytes != int64(each*links) {
			t.Errorf("%d ranks: %d bytes on links of hosts, %d between switches, want %d, %d",
				ranks, r.HostLinks.Bytes, r.Links.Bytes, each*hosts, each*links)
		}
	}
}

// TestPrograms runs programs by name, several jobs with trees of their own and of parts of their ranks,
// with any number of workers.
func TestPrograms(t *testing.T) {
	d := producttest.Draws(t)
	for _, program := range []string{"allreduce", "barrier", "broadcast", "reduce", "reduce-scatter", "allgather"} {
		text := fmt.Sprintf("network: {topology: {kind: torus, dims: [4, 3]}, in_network: {kind: sharp-llt, payload: %dB, "+
			"window: %d, groups: [all]}}\njobs:\n", 8*(1+d.IntN(32)), 1+d.IntN(4))
		for i, ranks := range []int{1 + d.IntN(6), 6} {
			text += fmt.Sprintf("- {name: j%d, ranks: %d, workload: {program: %s, algorithm: in-network, iterations: 3%s}}\n",
				i, ranks, program, map[bool]string{true: "", false: fmt.Sprintf(", size: %dB", 8*d.IntN(300))}[program == "barrier"])
		}
		var first *fabricast.Result
		for workers := range 3 {
			e, err := fabricast.Parse("programs.yaml", text)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			e.Engine.Workers = 1 + workers
			r, err := e.Run(t.Context())
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if first == nil {
				first = r
			}
			if r.Hash != first.Hash || r.SimulatedTime != first.SimulatedTime {
				t.Errorf("%d workers: %s %v, 1: %s %v\n%s", 1+workers, r.Hash, r.SimulatedTime, first.Hash, first.SimulatedTime, text)
			}
		}
	}
}

// TestProcesses: several processes that share a run get the same result.
func TestProcesses(t *testing.T) {
	const text = "network: {topology: {kind: torus, dims: [4, 3]}, in_network: {kind: sharp-sat, payload: 64B}}\n" +
		"workload: {program: allreduce, algorithm: in-network, size: 1000B, iterations: 2}\n"
	of := func(options ...fabricast.Option) (*fabricast.Result, error) {
		e, err := fabricast.Parse("processes.yaml", text)
		if err != nil {
			return nil, err
		}
		return e.Run(t.Context(), options...)
	}
	alone, err := of()
	if err != nil {
		t.Fatal(err)
	}
	err = producttest.InProcesses(3, func(_ int, group cluster.Group) error {
		r, err := of(run.Across(group))
		if err == nil && (r.Hash != alone.Hash || r.SimulatedTime != alone.SimulatedTime) {
			return fmt.Errorf("3 processes: %s %v, 1: %s %v", r.Hash, r.SimulatedTime, alone.Hash, alone.SimulatedTime)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestWithout: a group for which switches have no room does without a tree, and the result says so.
func TestWithout(t *testing.T) {
	var times []fabricast.Time
	for _, algorithm := range []string{"in-network", "recursive-doubling"} {
		e, err := fabricast.Parse("without.yaml", fmt.Sprintf(`
network: {topology: {kind: fat-tree, radix: 4, levels: 2}, in_network: {kind: sharp-llt, trees: 1, groups: [block/4, all]}}
workload: {program: allreduce, algorithm: %s, size: 8B}
`, algorithm))
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(fmt.Sprint(r.Notes), "no tree") {
			t.Errorf("the result does not say that a group has no tree: %q", r.Notes)
		}
		times = append(times, r.SimulatedTime)
	}
	if times[0] != times[1] {
		t.Errorf("%v by in-network without a tree, %v by recursive doubling", times[0], times[1])
	}
}
