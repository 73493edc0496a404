package calls_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/collective"
	"fabricast/experiment"
	"fabricast/mpi"
	"fabricast/topology"
)

// NCCL's algorithms move the right data in several channels, loops and slices, by each protocol, on
// nodes of several ranks of which the last has fewer.
func TestChannelsMoveTheRightData(t *testing.T) {
	const block = 160008
	for _, s := range scenes {
		for _, name := range []collective.Algorithm{collective.NCCLRing, collective.NCCLTree, collective.NCCLPAT, collective.NCCLSends} {
			if collective.InfoOf(s.kind, name) == nil {
				continue
			}
			for _, protocol := range []string{"ll", "ll128", "simple"} {
				a := name + collective.Algorithm(fmt.Sprintf("/protocol=%s/channels=3/gpus=2", protocol))
				for _, op := range []*collective.Op{collective.SumInt64, sumOf(12), sumOf(24)} {
					if err := s.check(a, 5, block, 3, op, 1); err != nil {
						t.Errorf("%s %s, elements of %d bytes: %v", s.kind, a, op.Elem, err)
					}
					if !s.reduce {
						break
					}
				}
			}
		}
	}
}

// All channels begin together: where the network takes next to no time, two ranks are busy for their
// two steps of the part of a block that a channel moves.
func TestChannelsBeginTogether(t *testing.T) {
	const block, rate = 1 << 20, 100 // bytes, MB/s
	for _, n := range []int{1, 4, 16} {
		a := fmt.Sprintf("nccl-ring/protocol=simple/channels=%d/rate=%d/launch=0/inside=0/between=0", n, rate)
		e := &fabricast.Experiment{
			Network: experiment.Network{Topology: topology.TorusSpec{Dims: []int{2}}},
			Program: func(r *mpi.Rank) {
				r.Allgather(mpi.Size(block), mpi.Size(2*block), collective.Algorithm(a))
			},
		}
		r, err := e.Run(t.Context(), fabricast.Workers(1))
		if err != nil {
			t.Fatal(err)
		}
		want := float64(2 * block / n * 1e6 / rate)
		if got := float64(r.SimulatedTime); got < want || got > 1.1*want {
			t.Errorf("%d channels: %g ps, want %g", n, got, want)
		}
	}
}

// sumOf returns an operator on elements of n bytes, whose results are wrong if they are divided.
func sumOf(n int) *collective.Op {
	return &collective.Op{Name: fmt.Sprint("sum of ", n), Elem: n, Commutative: true, Combine: func(inout, in []byte) {
		if len(inout)%n != 0 {
			clear(inout)
			return
		}
		for i, b := range in {
			inout[i] += b
		}
	}}
}

// They do so on nodes of which each is a network of GPUs, at all or some of whose GPUs there are one
// or several ranks, in any order.
func TestChannelsMoveTheRightDataOnNodesOfGPUs(t *testing.T) {
	var of []scene
	for _, s := range scenes {
		if len(ncclOf(s.kind)) > 0 {
			of = append(of, s)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		const gpus = 4
		hosts := rapid.SliceOfN(rapid.Int32Range(0, 4*gpus-1), 2, 14).Draw(t, "hosts")
		m := collective.NewMachine(hosts, nil, nil)
		m.Seat(func(host int32) (node, seat int32) { return host / gpus, host % gpus }, collective.Rates{})
		s := rapid.SampledFrom(of).Draw(t, "collective")
		a := rapid.SampledFrom(ncclOf(s.kind)).Draw(t, "algorithm")
		root := rapid.IntRange(0, len(hosts)-1).Draw(t, "root")
		if err := s.checkOn(m.World(), a, len(hosts), 40000, root, collective.SumInt64, 1); err != nil {
			t.Fatalf("%s %s on %v: %v", s.kind, a, hosts, err)
		}
	})
}

// ncclOf returns NCCL's algorithms for a collective.
func ncclOf(k collective.Kind) (names []collective.Algorithm) {
	for _, info := range collective.OfRanks(k) {
		if strings.HasPrefix(string(info.Name), string(collective.NCCL)) {
			names = append(names, info.Name)
		}
	}
	return names
}
