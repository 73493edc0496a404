package nodetest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"fabricast/internal/units"

	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/internal/oracle"
	"fabricast/internal/oracle/experiments"
	"fabricast/node"
)

// NodesFor places a rank on every host of a network, in an order determined by seed.
func NodesFor(spec fabric.Spec, seed uint64) node.Spec {
	g := spec.Graph
	random := rand.New(rand.NewPCG(seed, 77))
	s := node.Spec{
		Hosts: g.Hosts, NICsPerHost: g.NICsPerHost, OneCopy: random.IntN(3) == 0,
		Overhead: units.Time(int64(random.IntN(3)) * 150_000), Memory: units.Rate(1e9 + random.Int64N(1e10)),
	}
	for _, h := range random.Perm(g.Hosts) {
		s.HostOf = append(s.HostOf, int32(h))
	}
	return s
}

// outcome returns all results of a run about its ranks and messages.
func outcome(w *node.World) string {
	s := w.Stats()
	text := fmt.Sprintf("%d messages, %d bytes, hash %x, end %d, error %v, deadlock %v\n",
		s.Messages, int64(s.Bytes), s.Hash, int64(s.End), w.Err(), w.Deadlock())
	for rank := range w.Ranks() {
		text += fmt.Sprintf("%+v\n", w.Record(rank))
	}
	return text
}

func runOnOracle(t testing.TB, spec fabric.Spec, nodes node.Spec, programs node.Launcher) string {
	w, err := node.NewWorld(nodes, programs)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	b := w.NewBlock(fabric.HostRange(0, int32(spec.Graph.Hosts)))
	o, err := oracle.New(spec, b)
	if err != nil {
		t.Fatal(err)
	}
	b.Start(o)
	if err := o.Run(); err != nil {
		t.Fatal(err)
	}
	return outcome(w)
}

func runOnFabric(
	t testing.TB,
	spec fabric.Spec,
	nodes node.Spec,
	programs node.Launcher,
	workers int,
) string {
	network, err := fabric.New(spec, workers)
	if err != nil {
		t.Fatal(err)
	}
	defer network.Close()
	network.InjectAhead()
	w, err := node.NewWorld(nodes, programs)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var blocks []engine.Block
	var ends []*node.Block
	for _, b := range network.Blocks() {
		n := w.NewBlock(b.Hosts())
		b.SetEndpoint(n)
		blocks, ends = append(blocks, b), append(ends, n)
	}
	for i, b := range network.Blocks() {
		ends[i].Start(b)
	}
	if _, err := engine.Run(blocks, workers, new(atomic.Bool)); err != nil {
		t.Fatal(err)
	}
	return outcome(w)
}

// Networks yields random networks of 2 to 40 hosts that are free of deadlock: so many, a quarter of them in short
// tests.
func Networks(t testing.TB, runs int) func(yield func(seed uint64, spec fabric.Spec) bool) {
	if testing.Short() {
		runs = (runs + 3) / 4
	}
	return func(yield func(uint64, fabric.Spec) bool) {
		for seed := uint64(1); runs > 0; seed++ {
			e := experiments.Draw(seed)
			if e.Unsafe {
				continue
			}
			spec, err := e.Spec()
			if err != nil {
				t.Fatal(err)
			}
			if spec.Graph.Hosts < 2 || spec.Graph.Hosts > 40 {
				continue
			}
			runs--
			if !yield(seed, spec) {
				return
			}
		}
	}
}

// SameEverywhere compares runs of the fabric, in one and in several blocks, with a run of the
// oracle. The program must end normally on the oracle. It returns the results.
func SameEverywhere(
	t testing.TB,
	spec fabric.Spec,
	nodes node.Spec,
	programs node.Launcher,
	seed uint64,
) string {
	t.Helper()
	want := runOnOracle(t, spec, nodes, programs)
	if !strings.Contains(want, "error <nil>, deadlock <nil>") {
		t.Fatalf("seed %d: %s", seed, want)
	}
	for workers := 1; workers <= 3; workers++ {
		if got := runOnFabric(t, spec, nodes, programs, workers); got != want {
			t.Fatalf("seed %d, %d workers:\n%s\nwant\n%s", seed, workers, got, want)
		}
	}
	return want
}

// Crowd adds up to two ranks to each host, in an order determined by seed.
func Crowd(nodes *node.Spec, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 78))
	for h := range nodes.Hosts {
		for range random.IntN(3) {
			nodes.HostOf = append(nodes.HostOf, int32(h))
		}
	}
	random.Shuffle(len(nodes.HostOf), func(i, j int) {
		nodes.HostOf[i], nodes.HostOf[j] = nodes.HostOf[j], nodes.HostOf[i]
	})
	nodes.Intra = node.Intra{
		Latency:   units.Time(random.Int64N(2) * 300_000),
		Bandwidth: units.Rate(random.Int64N(2) * 3e9),
	}
}
