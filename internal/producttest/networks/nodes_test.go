package networks

import (
	"context"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/producttest"
	"fabricast/mpi"
	"fabricast/topology"
)

// gpuNodes is eight nodes of four GPUs behind a switch, on four rails: links of 400 GB/s within nodes
// and of 50 GB/s beyond, routers that take no time, and nothing else that costs any.
func gpuNodes(pxn bool) fabricast.Experiment {
	e := producttest.Torus(2)
	e.Network.Topology = topology.NodesSpec{
		Count: 8, Unit: 4, Planes: 1, PXN: pxn,
		Block: topology.XGFTSpec{M: []int{1, 4}, W: []int{1, 1}},
		Outer: topology.XGFTSpec{M: []int{4, 8}, W: []int{1, 4}},
	}
	e.Network.Routing = nil
	const fast = 400 * fabricast.GBPerSecond
	e.Network.Link = experiment.Link{Bandwidth: 50 * fabricast.GBPerSecond, Latency: 300 * fabricast.Nanosecond}
	e.Network.Links = map[string]experiment.Link{
		"block":      {Bandwidth: fast, Latency: 40 * fabricast.Nanosecond},
		"outer/join": {Latency: 200 * fabricast.Nanosecond},
	}
	e.Network.HostLink = experiment.Link{Bandwidth: fast, Latency: 10 * fabricast.Nanosecond}
	e.Network.Router = experiment.Router{Latency: fabricast.Nanosecond, Bandwidth: fast, Buffer: 1 << 18}
	e.Network.Packet = experiment.Packet{MTU: 4096, Flit: 4096}
	e.Node = experiment.Node{
		NICs: 2, NICChoice: "port", DMA: 2 * fast, Memory: 1_000 * fast, Copies: "zero", Overhead: fabricast.Nanosecond,
	}
	return e
}

// took returns when the last of some messages of n bytes from each first to each second host arrives.
func took(t *testing.T, e fabricast.Experiment, n int, pairs map[int]int) fabricast.Time {
	t.Helper()
	last, from := fabricast.Time(0), map[int]int{}
	for src, dst := range pairs {
		from[dst] = src
	}
	ends := make([]fabricast.Time, 32)
	e.Program = func(r *mpi.Rank) {
		if dst, sends := pairs[r.Rank()]; sends {
			r.Send(mpi.Size(n), dst, 0)
		}
		if src, receives := from[r.Rank()]; receives {
			r.Recv(mpi.Size(n), src, 0)
			ends[r.Rank()] = fabricast.Time(r.Now())
		}
	}
	if _, err := e.Run(context.Background(), fabricast.Workers(1)); err != nil {
		t.Fatal(err)
	}
	for _, end := range ends {
		last = max(last, end)
	}
	return last
}

// TestMessagesBetweenGPUs: a message takes what the links of its route say: those within the node, or
// the NICs' and the outer topology's; with PXN, first those to the GPU on the receiver's rail.
func TestMessagesBetweenGPUs(t *testing.T) {
	for _, pxn := range []bool{false, true} {
		alone := func(src, dst int) fabricast.Time {
			return took(t, gpuNodes(pxn), 4096, map[int]int{src: dst})
		}
		inside := alone(0, 1)
		const (
			block = 40 * fabricast.Nanosecond
			outer = 300 * fabricast.Nanosecond
			join  = 200 * fabricast.Nanosecond
			// a router, and one packet of 4,096 B at 400 and 50 GB/s
			router, quick, slow = fabricast.Nanosecond, 10_240, 81_920
		)
		f := func(what string, got, more fabricast.Time) {
			t.Helper()
			if want := inside + more; got != want {
				t.Errorf("pxn %t: %s takes %d ps, want %d ps", pxn, what, got, want)
			}
		}
		f("another pair of the node", alone(3, 2), 0)
		// Two links of a rail and three routers, as within the node; the tail follows at the rate of the
		// slowest link.
		sameRail := 2*join - 2*block + slow - quick
		f("the same rail of the unit", alone(0, 4), sameRail)
		f("the same rail of another unit", alone(0, 16), sameRail+2*outer+2*router)
		crossRail := sameRail + 2*outer + 2*router
		if pxn {
			crossRail = sameRail + 2*block + 2*router
		}
		f("another rail of the unit", alone(0, 5), crossRail)
	}
}

// TestRailsAtFullRate: all GPUs of a node that send to another node by their rails take what one
// takes, whatever is beyond the unit, and traffic within the node besides costs them nothing.
func TestRailsAtFullRate(t *testing.T) {
	const n = 1 << 22
	one := took(t, gpuNodes(true), n, map[int]int{0: 4})
	if rate := float64(n) / float64(one) * 1e3; rate < 49 || rate > 50 {
		t.Errorf("a message by a rail has %.2f GB/s, want nearly 50", rate)
	}
	for what, offset := range map[string]int{"unit": 4, "next unit": 16} {
		alone := took(t, gpuNodes(true), n, map[int]int{0: offset})
		all := map[int]int{}
		for gpu := range 4 {
			all[gpu] = gpu + offset
		}
		if got := took(t, gpuNodes(true), n, all); got != alone {
			t.Errorf("to the %s, four rails take %d ps, one %d ps", what, got, alone)
		}
	}
	within := took(t, gpuNodes(true), n, map[int]int{0: 1})
	if rate := float64(n) / float64(within) * 1e3; rate < 390 || rate > 400 {
		t.Errorf("a message within a node has %.2f GB/s, want nearly 400", rate)
	}
}

// TestBisectionOfNodes: half of the nodes sends to the other with the rate of its NICs if the tree is
// full, and with half of that if it is tapered two to one.
func TestBisectionOfNodes(t *testing.T) {
	const n = 1 << 22
	halves := map[int]int{}
	for host := range 16 {
		halves[host] = host + 16
	}
	full := took(t, gpuNodes(false), n, halves)
	tapered := gpuNodes(false)
	spec := tapered.Network.Topology.(topology.NodesSpec)
	spec.Outer = topology.XGFTSpec{M: []int{4, 8}, W: []int{1, 2}}
	tapered.Network.Topology = spec
	half := took(t, tapered, n, halves)
	if rate := float64(n) / float64(full) * 1e3; rate < 49 || rate > 50 {
		t.Errorf("each GPU has %.2f GB/s across the bisection, want nearly 50", rate)
	}
	if ratio := float64(half) / float64(full); ratio < 1.95 || ratio > 2.05 {
		t.Errorf("half of the links up make it %.3f times slower, want 2", ratio)
	}
}
