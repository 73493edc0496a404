package workload

import (
	"fmt"
	"testing"

	"fabricast/collective"
	"fabricast/internal/draws"
	"fabricast/internal/units"
	"fabricast/mpi"
	"fabricast/node"
	"fabricast/node/nodetest"
)

// A loop must give exactly the same times with and without coroutines. With many ranks each algorithm runs in one
// of four forms of network for each commit, and in all in long tests.
func TestLoopsEqualCoroutines(t *testing.T) {
	for _, p := range Programs() {
		if !p.Loops() {
			continue
		}
		for i, algorithm := range algorithmsOf(p) {
			for _, ranks := range []int{1, 2, 6, 16, 61} {
				params := sample(t, p, ranks)
				params.Algorithm = algorithm
				if p.Takes("iterations") {
					params.Iterations = 3
				}
				if p.Takes("window") {
					params.Window, params.Messages = 3, 8
					if ranks == 6 {
						params.Window, params.Messages = 3000, 5000
					}
				}
				if _, problems := p.Resolve(params, ranks); len(problems) > 0 {
					continue
				}
				t.Run(
					fmt.Sprintf("%s/%s/%d", p.Name, algorithm, ranks),
					func(t *testing.T) {
						for form := range 4 {
							if ranks <= 16 || draws.Long() || (uint64(i+form)+draws.Round())%4 == 0 {
								compareForms(t, p.Name, params, ranks, form%2 > 0, form/2 > 0)
							}
						}
					},
				)
			}
		}
	}
}

// algorithmsOf returns the algorithms that a program supports; "" if it has no such parameter.
func algorithmsOf(p *Program) []string {
	switch {
	case !p.Takes("algorithm"):
		return []string{""}
	case p.Name == "stencil3d":
		return collective.NamesOfRanks(collective.KindAllreduce)
	}
	return collective.NamesOfRanks(collective.Kind(p.Name))
}

func compareForms(t *testing.T, name string, p Params, ranks int, copies, late bool) {
	t.Helper()
	loop := mustBuild(t, name, p, ranks)
	one := runForm(t, ranks, loop.Programs(), copies, late)
	other := runForm(t, ranks, mpi.Programs(loop.Main), copies, late)
	if one.Stats().Hash != other.Stats().Hash {
		t.Errorf("one-copy %v, late %v: hash %x, as coroutines %x", copies, late, one.Stats().Hash, other.Stats().Hash)
	}
	for rank := range ranks {
		if one.Record(rank) != other.Record(rank) {
			t.Errorf("one-copy %v, late %v: %+v, as a coroutine %+v", copies, late, one.Record(rank), other.Record(rank))
		}
	}
}

// runForm runs a program. The overhead of calls, which determines how far the clocks of ranks are
// ahead of their hosts, depends on the number of ranks.
func runForm(t *testing.T, ranks int, launch node.Launcher, oneCopy, late bool) *node.World {
	t.Helper()
	overhead := units.Time(1700)
	if ranks%2 == 0 { // large enough that ranks yield to the node
		overhead = 170_000
	}
	spec := node.Spec{
		Hosts:       ranks,
		NICsPerHost: 1,
		Overhead:    overhead,
		Memory:      1e10,
		OneCopy:     oneCopy,
		HostOf:      make([]int32, ranks),
	}
	if oneCopy { // and a rendezvous for messages with payload
		spec.Replies, spec.Rendezvous = true, node.RendezvousRead
	}
	for i := range spec.HostOf {
		spec.HostOf[i] = int32(ranks - 1 - i)
	}
	w, err := node.NewWorld(spec, launch)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	network := &nodetest.Network{Latency: 3000, ByteTime: 11, ReadTime: 7, Late: late}
	network.Run(w, ranks, 1)
	if w.Err() != nil || w.Finished() != ranks || network.Live() != 0 {
		t.Fatalf(
			"%d of %d ranks finished, %d messages live: %v",
			w.Finished(), ranks, network.Live(), w.Err(),
		)
	}
	return w
}
