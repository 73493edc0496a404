package innetwork_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"fabricast"
	"fabricast/collective"
	"fabricast/internal/producttest"
	"fabricast/mpi"
)

// ncclWays are the algorithms of NCCL in which switches take part.
var ncclWays = []struct {
	kind collective.Kind
	way  collective.Algorithm
}{
	{collective.KindAllreduce, collective.NCCLNVLS},
	{collective.KindAllreduce, collective.NCCLNVLSTree},
	{collective.KindAllreduce, collective.NCCLCollNetDirect},
	{collective.KindAllreduce, collective.NCCLCollNetChain},
	{collective.KindAllgather, collective.NCCLNVLS},
	{collective.KindReduceScatter, collective.NCCLNVLS},
}

// TestNCCL: NCCL's algorithms give each rank what the definition says on nodes of any size, whatever the
// trees have room for, in the same time with any number of workers; switches take part in all of them. So
// they do without threads (a rank whose collectives are paced has none).
func TestNCCL(t *testing.T) {
	d := producttest.Draws(t)
	for _, of := range ncclWays {
		for range 4 {
			nodes, gpus := ncclNodes(d, of.kind, of.way)
			network := "network: {topology: {kind: fat-tree, radix: 8, levels: 2}, packet: {mtu: 256B, header: 16B}"
			trees := fmt.Sprintf(
				", in_network: {kind: nvls, trees: 32, payload: %dB, window: %d, lanes: %d, groups: [block/%d, stride/%d]}",
				24+d.IntN(200), 2+d.IntN(20), 1+d.IntN(4), gpus, gpus,
			)
			rest := fmt.Sprintf("}\nranks: %d\nseed: %d\n", gpus*nodes, d.IntN(99))
			a := of.way + collective.Algorithm(fmt.Sprintf("/gpus=%d/channels=%d", gpus, 1+d.IntN(6)))
			n, paced := 1+d.IntN(60000), d.IntN(3) == 0
			run := func(text string, workers int) (hash string, time fabricast.Time) {
				e := machine(t, text)
				e.Engine.Workers = workers
				e.Program = func(r *mpi.Rank) {
					if paced {
						r.Pace(&mpi.Pacing{Gaps: []uint32{1}})
					}
					ncclCall(t, r, of.kind, a, n)
				}
				r, err := e.Run(t.Context())
				if err != nil {
					t.Fatalf("%s %s: %v\n%s", of.kind, a, err, text)
				}
				return fmt.Sprint(r.Hash), r.SimulatedTime
			}
			hash, time := run(network+trees+rest, 1)
			if again, same := run(network+trees+rest, 1+d.IntN(3)); again != hash || same != time {
				t.Errorf("%s %s: %s %v, then %s %v", of.kind, a, hash, time, again, same)
			}
			if without, _ := run(network+rest, 1); without == hash {
				t.Errorf("%s %s: switches take no part\n%s", of.kind, a, network+trees+rest)
			}
		}
	}
}

// TestNCCLOnSharedHosts: where ranks share a host, NCCL's algorithms with switches give each rank what the
// definition says, without switches: in the same time as in a network whose switches carry out nothing.
func TestNCCLOnSharedHosts(t *testing.T) {
	d := producttest.Draws(t)
	for _, of := range ncclWays {
		nodes, gpus := ncclNodes(d, of.kind, of.way)
		each := 2 + d.IntN(2)
		network := "network: {topology: {kind: fat-tree, radix: 8, levels: 2}, packet: {mtu: 256B, header: 16B}"
		trees := fmt.Sprintf(
			", in_network: {kind: nvls, trees: 32, payload: %dB, window: %d, groups: [block/%d, stride/%d, all]}",
			24+d.IntN(200), 2+d.IntN(20), gpus, gpus,
		)
		rest := fmt.Sprintf("}\nranks: %d\nnode: {ranks: %d}\n", each*gpus*nodes, each)
		a := of.way + collective.Algorithm(fmt.Sprintf("/gpus=%d/channels=%d", gpus, 1+d.IntN(6)))
		n := 1 + d.IntN(20000)
		run := func(text string) string {
			e := machine(t, text)
			e.Program = func(r *mpi.Rank) { ncclCall(t, r, of.kind, a, n) }
			r, err := e.Run(t.Context())
			if err != nil {
				t.Fatalf("%s %s: %v\n%s", of.kind, a, err, text)
			}
			return fmt.Sprint(r.Hash)
		}
		if run(network+trees+rest) != run(network+rest) {
			t.Errorf("%s %s: switches take part\n%s", of.kind, a, network+trees+rest)
		}
	}
}

// ncclNodes draws numbers of nodes and of their GPUs for which NCCL has an algorithm.
func ncclNodes(d *rand.Rand, kind collective.Kind, way collective.Algorithm) (nodes, gpus int) {
	nodes, gpus = 1+d.IntN(4), 2+d.IntN(3)
	switch {
	case kind != collective.KindAllreduce:
		nodes, gpus = 1, gpus+d.IntN(4)
	case way == collective.NCCLNVLSTree:
		nodes = 2 + d.IntN(3)
	case way != collective.NCCLNVLS:
		nodes, gpus = 2+d.IntN(3), 1+d.IntN(4)
	}
	return nodes, gpus
}

// ncclCall carries out a collective on n elements for each rank, or in all, and checks the result.
func ncclCall(t *testing.T, r *mpi.Rank, kind collective.Kind, a collective.Algorithm, n int) {
	p, me := r.Size(), r.Rank()
	var got, want mpi.Buf
	switch kind {
	case collective.KindAllreduce:
		got = blank(n)
		r.Allreduce(data(func(i int) int64 { return int64(me * i) }, n), got, collective.SumInt64, a)
		want = data(func(i int) int64 { return int64(i * p * (p - 1) / 2) }, n)
	case collective.KindReduceScatter:
		got = blank(n / p)
		all := n / p * p
		r.ReduceScatter(data(func(i int) int64 { return int64(me * i) }, all), got, collective.SumInt64, a)
		want = data(func(i int) int64 { return int64((me*(n/p) + i) * p * (p - 1) / 2) }, n/p)
	default:
		got = blank(n / p * p)
		r.Allgather(data(func(i int) int64 { return int64(me*n + i) }, n/p), got, a)
		want = data(func(i int) int64 { return int64(i/(n/p)*n + i%(n/p)) }, n/p*p)
	}
	if !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Errorf("%s %s of %d elements: rank %d of %d got the wrong data", kind, a, n, me, p)
	}
}

// TestNCCLOnH100 holds what docs/validation/nccl.md says of all-reduces by NVLS on a node of 8 H100, with the
// median times of nccl-tests.
func TestNCCLOnH100(t *testing.T) {
	for size, measured := range map[string]float64{"32MiB": 183, "64MiB": 314, "256MiB": 1082} { // us
		e, err := fabricast.Load("../../examples/in-network/nvls.yaml", "workload.size="+size)
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := float64(r.SimulatedTime) / 1e6; math.Abs(got/measured-1) > 0.05 {
			t.Errorf("%s: %.1f us, measured are %.0f", size, got, measured)
		}
	}
}
