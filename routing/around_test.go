package routing_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"fabricast/routing"
	"fabricast/routing/deadlock"
	"fabricast/topology"
)

// thin returns a network without some of its links, which stays connected.
func thin(t *rapid.T, g *topology.Graph) *topology.Graph {
	for range rapid.IntRange(0, 6).Draw(t, "links") {
		less := &topology.Graph{
			Routers: g.Routers, Hosts: g.Hosts, NICsPerHost: g.NICsPerHost, PortBase: g.PortBase, NICPort: g.NICPort,
			Ports: slices.Clone(g.Ports),
		}
		port := rapid.IntRange(0, len(g.Ports)-1).Draw(t, "port")
		peer := g.Ports[port].Peer
		if peer == topology.Unconnected {
			continue
		}
		less.Ports[port].Peer, less.Ports[peer].Peer = topology.Unconnected, topology.Unconnected
		if far := topology.NewDistances(less).From(0); !slices.ContainsFunc(far, func(d int32) bool { return d < 0 }) {
			g = less
		}
	}
	return g
}

// TestAroundIsFreeOfDeadlock: on tori without some links, with an escape channel alone and with others, packets
// arrive and cannot wait for each other for ever.
func TestAroundIsFreeOfDeadlock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.SliceOfN(rapid.IntRange(2, 5), 1, 3).Draw(t, "dims")
		torus, err := topology.NewTorus(dims, nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		g, first := thin(t, torus.Graph()), rapid.IntRange(0, 2).Draw(t, "first")
		end := first + rapid.IntRange(1, 3).Draw(t, "channels")
		a, err := routing.NewAround(g, first, end, 4)
		if err != nil {
			t.Fatal(err)
		}
		if err := deadlock.Follow(g, a); err != nil {
			t.Fatal(err)
		}
		report, err := deadlock.Check(g, routing.TogetherAdaptively([]*routing.Around{a}), deadlock.Options{VCs: end})
		if err != nil || !report.Whole() {
			t.Fatalf("%v: %v", report, err)
		}
		for nic := range int32(len(g.NICPort)) {
			header, vc := a.StartPacket(0, nic, ^uint64(0))
			if header>>60 != 0 || int(vc) < first || int(vc) >= end {
				t.Fatalf("header %x on channel %d", header, vc)
			}
		}
	})
}

// TestRenewed: packets of an epoch have its headers, others those of the base, which must leave room.
func TestRenewed(t *testing.T) {
	torus, err := topology.NewTorus([]int{4, 4}, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	base, err := routing.NewMinimalAdaptive(torus, 3)
	if err != nil {
		t.Fatal(err)
	}
	around, err := routing.NewAround(torus.Graph(), 3, 5, routing.RenewedBits(1))
	if err != nil {
		t.Fatal(err)
	}
	r, err := routing.NewRenewed(base, []*routing.Around{around}, []int{1, 0})
	if err != nil {
		t.Fatal(err)
	}
	for dst := range int32(16) {
		want, wantVC := base.StartPacket(0, dst, uint64(dst))
		if header, vc, other := r.StartEpoch(2, 0, dst, uint64(dst)); header != want || vc != wantVC || other {
			t.Errorf("to %d in the second epoch: %x, %d, %v", dst, header, vc, other)
		}
		header, vc, other := r.StartEpoch(1, 0, dst, uint64(dst))
		if !other || vc != 4 {
			t.Errorf("to %d in the first epoch: %x, %d, %v", dst, header, vc, other)
		}
		for _, c := range r.Candidates(0, header, nil, nil) {
			if c.VC < 3 || c.Header>>63 != 1 {
				t.Errorf("to %d: %+v", dst, c)
			}
		}
	}
}
