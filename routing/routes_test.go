package routing_test

import (
	"errors"
	"testing"

	"fabricast/routing"
	"fabricast/topology"
)

// fataler is a test, or a property's.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// walker follows packets through a network.
type walker struct {
	t         fataler
	name      string
	graph     *topology.Graph
	algorithm routing.Algorithm
	vcs       int
	random    uint64
}

// next is a pseudo-random number.
func (w *walker) next() uint64 {
	w.random += 0x9e3779b97f4a7c15
	x := w.random
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// queues is a View with random queues.
type queues struct{ w *walker }

func (q queues) Queue(_, _ uint16) int64 { return int64(q.w.next() % 64) }
func (q queues) PortQueue(uint16) int64  { return int64(q.w.next() % 64) }
func (q queues) Queues(list []routing.Candidate) {
	for i := range list {
		list[i].Cost = q.Queue(list[i].Port, list[i].VC)
	}
}

func (q queues) Published(int32, uint16) int64 { return int64(q.w.next() % 64) }
func (w *walker) start(src, dst int32) (h uint64) {
	switch a := w.algorithm.(type) {
	case routing.Adaptive:
		h, _ = a.StartPacket(src, dst, w.next())
	case routing.Randomized:
		h, _ = a.StartPacket(src, dst, w.next())
	case routing.Function:
		h, _ = a.Start(src, dst)
	}
	return h
}

// step is what the packet does at a router; of an adaptive algorithm's
// candidates any, so also one that costs more.
func (w *walker) step(router int32, header uint64) routing.Candidate {
	a, ok := w.algorithm.(routing.Adaptive)
	if !ok {
		port, vc, next := w.algorithm.(routing.Function).Next(router, header)
		return routing.Candidate{Port: port, VC: vc, Header: next}
	}
	list := a.Candidates(router, header, queues{w}, nil)
	if len(list) == 0 {
		w.t.Fatalf("%s: no candidate at router %d", w.name, router)
	}
	if s, ok := a.(routing.Steady); ok {
		w.compareOffer(s, router, header)
	}
	return list[w.next()%uint64(len(list))]
}

// walk sends a packet and returns its steps, the last of which is out of the network. If the algorithm counts
// the links that are left, it must count these.
func (w *walker) walk(src, dst int32) (routers []int32, steps []routing.Candidate) {
	w.t.Helper()
	g := w.graph
	router := g.Ports[g.NICPort[src]].Router
	counting, _ := w.algorithm.(routing.Counting)
	var counts []int
	for header := w.start(src, dst); ; {
		if counting != nil {
			counts = append(counts, counting.Left(header))
		}
		c := w.step(router, header)
		port := g.PortBase[router] + int32(c.Port)
		switch {
		case port >= g.PortBase[router+1]:
			w.t.Fatalf("%s: router %d has no port %d", w.name, router, c.Port)
		case int(c.VC) >= w.vcs:
			w.t.Fatalf("%s: VC %d of %d", w.name, c.VC, w.vcs)
		case len(steps) > 4*g.Routers:
			w.t.Fatalf("%s: a packet from %d to %d does not arrive", w.name, src, dst)
		}
		routers, steps = append(routers, router), append(steps, c)
		if nic := g.Ports[port].NIC; nic != topology.Unconnected {
			if nic != dst {
				w.t.Fatalf("%s: a packet to %d leaves at %d", w.name, dst, nic)
			}
			for i, n := range counts {
				if n != len(steps)-1-i {
					w.t.Fatalf("%s: %d links are left, of the way from %d to %d after %d: %d", w.name, len(steps)-1-i, src, dst, i, n)
				}
			}
			return routers, steps
		}
		peer := g.Ports[port].Peer
		if peer == topology.Unconnected {
			w.t.Fatalf("%s: port %d of router %d leads nowhere", w.name, c.Port, router)
		}
		router, header = g.Ports[peer].Router, c.Header
	}
}

// TestRoutesArrive: every route arrives, on channels that exist, and is as short as it is said to
// be.
func TestRoutesArrive(t *testing.T) {
	for _, c := range combinations {
		t.Run(c.name, func(t *testing.T) {
			for _, vcs := range []int{c.least, c.least + 1, routing.MaxVCs} {
				net, algorithm := c.build(t, vcs)
				g := net.Graph()
				w := &walker{t: t, name: c.name, graph: g, algorithm: algorithm, vcs: vcs, random: uint64(vcs)}
				for range 2000 {
					src, dst := int32(w.next()%uint64(g.Hosts)), int32(w.next()%uint64(g.Hosts))
					_, steps := w.walk(src, dst)
					shortest := net.Distance(int(src), int(dst))
					if links := len(steps) - 1; links < shortest || c.bound >= 0 && links > shortest+c.bound {
						t.Fatalf("%d links from host %d to %d, at distance %d", links, src, dst, shortest)
					}
				}
			}
		})
	}
}

// TestTooFewVCs: with one virtual channel less than needed an algorithm is refused, and the error
// says how many it takes.
func TestTooFewVCs(t *testing.T) {
	for _, c := range combinations {
		net, err := c.spec.Build(1)
		if err != nil {
			t.Fatal(err)
		}
		if c.least == 1 {
			continue
		}
		_, err = c.make(net, c.least-1)
		var few *routing.TooFewVCsError
		if !errors.As(err, &few) || few.Need != c.least || few.Have != c.least-1 {
			t.Errorf("%s with %d VCs: %v", c.name, c.least-1, err)
		}
	}
}

// TestOneRoutePerPair: what a Function does depends on nothing but source and destination.
func TestOneRoutePerPair(t *testing.T) {
	for _, c := range combinations {
		_, a := c.build(t, c.least)
		_, b := c.build(t, c.least)
		f, ok := a.(routing.Function)
		if _, adaptive := a.(routing.Adaptive); adaptive || !ok {
			continue
		}
		for dst := range int32(5) {
			h, vc := f.Start(5, dst)
			if k, other := b.(routing.Function).Start(5, dst); k != h || other != vc {
				t.Fatalf("%s: headers %x and %x of the same pair", c.name, h, k)
			}
		}
	}
}

// TestTooLarge: algorithms with an entry for each pair of routers say up to how many routers they
// go.
func TestTooLarge(t *testing.T) {
	net, err := topology.TorusSpec{Dims: []int{257, 257}, Hosts: 1}.Build(1)
	if err != nil {
		t.Fatal(err)
	}
	_, shortest := routing.NewShortest(net.Graph(), 2, routing.ClassesNone, routing.ChoiceFlow)
	_, upDown := routing.NewUpDown(net.Graph(), 2, -1)
	for _, err := range []error{shortest, upDown} {
		var large *routing.TooLargeError
		if !errors.As(err, &large) || large.Routers != 257*257 || large.Most != 65536 {
			t.Error(err)
		}
	}
}

// TestTablesOfLargeNetworks: where ways are not kept, shortest paths are as long as they have to
// be, and up*/down* ways arrive.
func TestTablesOfLargeNetworks(t *testing.T) {
	net, err := topology.TorusSpec{Dims: []int{67, 67}, Wrap: []bool{false, true}, Hosts: 1}.Build(1)
	if err != nil {
		t.Fatal(err)
	}
	g := net.Graph()
	shortest, err := routing.NewShortest(g, 1, routing.ClassesNone, routing.ChoiceFlow)
	if err != nil {
		t.Fatal(err)
	}
	upDown, err := routing.NewUpDown(g, 1, -1)
	if err != nil {
		t.Fatal(err)
	}
	for src := int32(0); int(src) < g.Hosts; src += 411 {
		for dst := int32(1); int(dst) < g.Hosts; dst += 397 {
			if src == dst {
				continue
			}
			least := net.Distance(int(src), int(dst))
			if n := links(g, shortest.(routing.Function), src, dst); n != least {
				t.Errorf("shortest path from %d to %d has %d links, the distance is %d", src, dst, n, least)
			}
			if n := links(g, upDown, src, dst); n < least || n > 67+33+67+33 {
				t.Errorf("up*/down* way from %d to %d has %d links", src, dst, n)
			}
		}
	}
}

// links counts the links between routers on the way from a NIC to another.
func links(g *topology.Graph, f routing.Function, src, dst int32) int {
	router := g.Ports[g.NICPort[src]].Router
	header, _ := f.Start(src, dst)
	for n := 0; ; n++ {
		port, _, next := f.Next(router, header)
		p := &g.Ports[g.PortBase[router]+int32(port)]
		if p.NIC != topology.Unconnected || n > g.Routers {
			return n
		}
		router, header = g.Ports[p.Peer].Router, next
	}
}
