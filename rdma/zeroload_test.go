package rdma_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/experiment"
	"fabricast/mpi"
	"fabricast/rdma"
	"fabricast/topology"
)

// transfer is how long n bytes take at a rate, in ps, rounded down.
func transfer(n int64, r fabricast.Rate) int64 {
	return n * 1_000_000_000_000 / int64(r)
}

// transit is how long a message of one packet is under way from rank 0 to rank 1 of an idle ring,
// from Post to delivery, as docs/model.md says.
func transit(e *fabricast.Experiment, n int64) int64 {
	net := e.Network
	r, p := net.Router, net.Packet
	wire := (n + int64(p.Header) + int64(p.Flit) - 1) / int64(p.Flit) * int64(p.Flit)
	slowest := min(net.Link.Bandwidth, net.HostLink.Bandwidth, r.Bandwidth)
	hop := r.Routing + r.VCAllocation + r.SwitchAllocation + r.SwitchTraversal + r.Latency
	return 2*transfer(n, e.Node.DMA) + 2*int64(hop) + int64(net.Link.Latency) + 2*int64(net.HostLink.Latency) +
		transfer(max(wire, int64(p.Flit)), slowest)
}

func drawRing(t *rapid.T) fabricast.Experiment {
	rate := rapid.Custom(func(t *rapid.T) fabricast.Rate {
		return fabricast.Rate(rapid.Int64Range(1e8, 1e11).Draw(t, "rate"))
	})
	delay := rapid.Custom(func(t *rapid.T) fabricast.Time {
		return fabricast.Time(rapid.Int64Range(1, 500_000).Draw(t, "delay"))
	})
	var e fabricast.Experiment
	n := &e.Network
	n.Topology = topology.TorusSpec{Dims: []int{rapid.IntRange(3, 9).Draw(t, "ring")}}
	n.Link = experiment.Link{Bandwidth: rate.Draw(t, "link"), Latency: delay.Draw(t, "cable")}
	n.HostLink = experiment.Link{Bandwidth: rate.Draw(t, "host link"), Latency: delay.Draw(t, "host cable")}
	n.Router = experiment.Router{
		Routing:      delay.Draw(t, "rc"),
		VCAllocation: delay.Draw(t, "va"), SwitchAllocation: delay.Draw(t, "sa"),
		SwitchTraversal: delay.Draw(t, "st"),
		Latency:         delay.Draw(t, "router"), Bandwidth: rate.Draw(t, "crossbar"),
	}
	n.Packet = experiment.Packet{MTU: 512, Header: 24, Flit: 8}
	e.Node = experiment.Node{
		DMA:      rate.Draw(t, "dma"),
		Memory:   rate.Draw(t, "memory"),
		Overhead: delay.Draw(t, "overhead"),
		Ranks:    2,
	}
	e.Node.Intra = experiment.Intra{Latency: delay.Draw(t, "intra"), Bandwidth: rate.Draw(t, "intra rate")}
	e.Mapping.Order = experiment.MappingRoundRobin
	return e
}

// TestClosedForms holds operations on an idle network to what docs/model.md says, to the
// picosecond.
func TestClosedForms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawRing(t)
		n := int64(rapid.IntRange(0, 488).Draw(t, "size"))
		o, ranks := int64(e.Node.Overhead), e.Network.Topology.(topology.TorusSpec).Dims[0]
		var got, want [8]int64
		e.Program = func(r *mpi.Rank) {
			nic := rdma.Open(r)
			note := func(i int, since mpi.Duration) { got[i] = int64(r.Now() - since) }
			switch r.Rank() {
			case 0:
				h := nic.Put(mpi.Size(int(n)), rdma.At(1), 0)
				nic.Complete(h)
				note(0, 0)
				start := r.Now()
				nic.Complete(nic.Get(mpi.Size(int(n)), rdma.At(1)))
				note(1, start)
				start = r.Now()
				nic.Complete(nic.FetchAdd(rdma.At(1), 1))
				note(2, start)
				start = r.Now()
				nic.Complete(nic.CompareAndSwap(rdma.At(1), 1, 1))
				note(3, start)
				start = r.Now()
				nic.Complete(nic.Put(mpi.Size(int(n)), rdma.At(ranks), 0)) // on the same host
				note(4, start)
				start = r.Now()
				r.Send(mpi.Size(int(n)), ranks, 0)
				note(5, start)
			case 1:
				nic.Poll(0)
				note(6, 0)
			case ranks:
				r.Recv(mpi.Size(int(n)), 0, 0)
				note(7, 0)
			}
		}
		if _, err := e.Run(context.Background(), fabricast.Workers(1)); err != nil {
			t.Fatal(err)
		}
		if err := e.Resolve(); err != nil {
			t.Fatal(err)
		}
		one := func(n int64) int64 { return transit(&e, n) }
		copied := o + transfer(n, e.Node.Intra.Bandwidth)
		want = [8]int64{
			o + one(n) + one(0), o + one(0) + one(n), o + one(8) + one(8), o + one(16) + one(8),
			copied + int64(e.Node.Intra.Latency), copied, o + one(n) + o,
		}
		for _, before := range want[:6] {
			want[7] += before // rank 0 has sent its message then
		}
		want[7] += int64(e.Node.Intra.Latency) + o
		if got != want {
			t.Errorf("took %v, want %v", got, want)
		}
	})
}
