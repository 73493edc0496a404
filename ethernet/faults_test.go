package ethernet

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"fabricast/ethernet/control"
	"fabricast/fabric"
	"fabricast/internal/draws"
	"fabricast/internal/units"
	"fabricast/topology"
)

// drawFaults makes links of some networks fail, recover and slow down, with and without a reaction of
// routers.
func drawFaults(s *Spec) {
	if s.NIC.Timeout < 0 || s.Seed%3 != 1 {
		return
	}
	r, ports := rand.New(rand.NewPCG(s.Seed, 6)), int32(len(s.Graph.Ports))
	var downs []int32
	for range 1 + r.IntN(4) {
		way := r.Int32N(ports + int32(len(s.Graph.NICPort)))
		if way < ports && s.Graph.Ports[way].Peer < 0 && s.Graph.Ports[way].NIC < 0 {
			continue
		}
		if !slices.Contains(downs, way) {
			downs = append(downs, way)
			drawOutage(r, s, way)
		}
	}
	byTime := func(x, y Change) int { return cmp.Compare(x.At, y.At) }
	slices.SortStableFunc(s.Changes, byTime)
	for at := int64(0); len(s.Changes) > 0 && r.IntN(2) == 0; at += r.Int64N(20_000_000) {
		s.Epochs = append(s.Epochs, Epoch{at, drawThinned(r, s.Graph, downs)})
	}
}

// drawOutage makes a direction slower, or fail and perhaps recover some times.
func drawOutage(r *rand.Rand, s *Spec, way int32) {
	at := r.Int64N(2) * r.Int64N(20_000_000)
	add := func(kind ChangeKind, rate units.Rate) {
		s.Changes = append(s.Changes, Change{at, kind, way, rate})
		at += 1 + r.Int64N(1<<(10+r.IntN(16)))
	}
	l := layout{Spec: *s}
	for _, port := range s.Graph.NICPort {
		l.nicRouter = append(l.nicRouter, s.Graph.Ports[port].Router)
	}
	full := s.bandwidth(l.linkOfWay(way))
	avoids := r.IntN(2) == 0
	for range 1 + r.IntN(3) {
		if r.IntN(2) == 0 {
			add(SetRate, 1+full/units.Rate(2+r.IntN(5)))
		}
		add(Down, 0)
		if avoids {
			add(Avoid, 0)
		}
		if r.IntN(4) == 0 {
			return
		}
		if r.IntN(2) == 0 {
			add(SetRate, 0)
		}
		add(Up, 0)
		if avoids {
			add(Use, 0)
		}
	}
}

// drawThinned returns a graph without some of the links that fail.
func drawThinned(r *rand.Rand, g *topology.Graph, downs []int32) *topology.Graph {
	less := &topology.Graph{
		Routers: g.Routers, Hosts: g.Hosts, NICsPerHost: g.NICsPerHost, PortBase: g.PortBase, NICPort: g.NICPort,
		Ports: slices.Clone(g.Ports), Ends: g.Ends,
	}
	for _, way := range downs {
		if way < int32(len(g.Ports)) && g.Ports[way].Peer >= 0 && r.IntN(2) == 0 {
			less.Ports[g.Ports[way].Peer].Peer, less.Ports[way].Peer = topology.Unconnected, topology.Unconnected
		}
	}
	return less
}

// diamond returns a network of two hosts whose routers, 0 and 1, are joined by two others, and the ports
// of router 0 that lead there. Packets of 1000 B take 1 us on links of 10 us.
func diamond(t *testing.T) (s Spec, first, second int32) {
	t.Helper()
	top, err := topology.XGFTSpec{M: []int{1, 2}, W: []int{1, 2}}.Build(1)
	if err != nil {
		t.Fatal(err)
	}
	s = Spec{Graph: top.Graph(), Seed: 1, Packet: Packet{MTU: 1000, Header: 100, Control: 100}}
	for range top.LinkClasses() {
		s.Links = append(s.Links, fabric.Link{Bandwidth: 1_000_000_000, Latency: 10_000_000})
	}
	s.Switch = Switch{Queue: 1 << 20, HeadersInRow: 1}
	s.NIC = NIC{
		Control: control.Make(control.NoneOptions{}), Paths: spraying{}, Timeout: 200_000_000, AckEvery: 1, QueuePairs: 1,
	}
	r := newRoutes(s.Graph)
	ports := r.ports(s.Graph.Ports[s.Graph.NICPort[0]].Router, s.Graph.Ports[s.Graph.NICPort[1]].Router)
	if len(ports) != 2 {
		t.Fatalf("%d ways between two routers", len(ports))
	}
	return s, ports[0], ports[1]
}

// TestLinkDown: sprayed packets are lost on a link from when it goes down until its router leaves it
// out, and the message is complete a timeout later.
func TestLinkDown(t *testing.T) {
	const us = 1_000_000
	message := []flow{{src: 0, dst: 1, size: 100 * 900}}
	s, first, second := diamond(t)
	_, whole, _ := simulate(t, s, message, 1)
	// the first packet begins to leave router 0 at 11 us, the last one at 110 us
	s.Changes = []Change{{At: 30*us + 1, Kind: Down, Way: first}, {At: 50*us + 1, Kind: Avoid, Way: first}}
	n, ended, _ := simulate(t, s, message, 2)
	c := n.Counts()
	// of the 20 packets that come in 20 us, and the 10 on the way, half took that link
	if c.Lost < 8 || c.Lost > 22 || c.Again != c.Lost || c.Duplicates != 0 {
		t.Errorf("%d packets lost, %d sent again, %d twice", c.Lost, c.Again, c.Duplicates)
	}
	if more := ended[0] - whole[0]; more < 100*us || more > 200*us {
		t.Errorf("the message takes %d ps longer, with a timeout of 200 us", more)
	}
	other := n.Port(int(second)).Packets
	if other <= 60 {
		t.Errorf("%d packets took the other link", other)
	}
	// half of all packets would have taken the other link without a fault
	if c.Rerouted < 10 || c.Rerouted > other-20 {
		t.Errorf("%d packets rerouted, of %d on the other link", c.Rerouted, other)
	}
}

// TestRateOfLink: a link at a quarter of its rate, from a time on, carries what comes then four times as
// slowly: the closed form of a queue.
func TestRateOfLink(t *testing.T) {
	const us = 1_000_000
	s, _, _ := diamond(t)
	nic := int32(len(s.Graph.Ports))
	s.Changes = []Change{{At: 50*us - 1, Kind: SetRate, Way: nic, Rate: 250_000_000}}
	_, _, got := simulate(t, s, []flow{{src: 0, dst: 1, size: 100 * 900}}, 1)
	// 50 packets of 1 us, 50 of 4 us; then four links of 10 us, on three of which the last takes 1 us
	if want := int64(50+200+40+3) * us; got[0] != want {
		t.Errorf("received at %d ps, want %d", got[0], want)
	}
}

// TestCutOff: flows to a host whose link stays down give up, the others end, and what is left is told.
func TestCutOff(t *testing.T) {
	s, _, _ := diamond(t)
	s.Changes = []Change{{At: 20_000_000, Kind: Down, Way: s.Graph.NICPort[1]}}
	n, ended, _ := simulate(t, s, []flow{{src: 0, dst: 1, size: 700}, {src: 1, dst: 0, size: 900}}, 2)
	d := n.Deadlock()
	if ended[0] != 0 || ended[1] != 0 || d == nil || d.Pauses || d.Packets != 2 || d.GivenUp != 2 {
		t.Errorf("ended at %v, left over: %+v", ended, d)
	}
	if c := n.Counts(); c.Timeouts != 2*mostLate || c.Duplicates != mostLate {
		t.Errorf("%d timeouts, %d duplicates", c.Timeouts, c.Duplicates)
	}
}

// TestDrawnFaults: the networks of other tests lose packets with and without payload, and cut flows off.
func TestDrawnFaults(t *testing.T) {
	var lost, headers, cut int
	for seed := range draws.Seeds(60, 60) {
		r := rand.New(rand.NewPCG(seed, 1))
		spec := drawSpec(t, r)
		n, _, _ := simulate(t, spec, drawFlows(r, &spec), 1)
		c := n.Counts()
		lost += int(min(1, c.Lost))
		headers += int(min(1, c.HeadersLost))
		if d := n.Deadlock(); d != nil && !d.Pauses {
			cut++
		}
	}
	if !testing.Short() && (lost < 2 || headers < 2 || cut < 1) { // short runs draw few
		t.Errorf("%d networks lose packets, %d some without payload, %d cut flows off", lost, headers, cut)
	}
}
