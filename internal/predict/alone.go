package predict

import (
	"fabricast/fabric"
	"fabricast/internal/plan"
	"fabricast/internal/units"
	"fabricast/routing"
)

// Prices are the parameters that determine the latency of a message in an idle network.
type Prices struct {
	Links    []fabric.Link // by class
	Router   units.Time    // sum of all delays of a router
	Crossbar units.Rate
	Memory   units.Rate // between memory and NIC
	Buses    units.Time // latency of the I/O buses at both ends
}

// Alone computes the latencies of messages in an idle network, for changed parameters of the same
// network. One goroutine at a time may use it.
type Alone struct {
	walker walker
	free   free
}

// NewAlone returns an Alone for the network of a plan, which must have routers.
func NewAlone(p *plan.Plan) *Alone {
	return &Alone{walker{spec: p.Fabric}, free{parts: partsOf(p), spec: p.Fabric}}
}

// Fixed reports whether all messages between two hosts take the same route.
func (a *Alone) Fixed() bool {
	_, random := a.walker.spec.Routing.(routing.Randomized)
	return !random && a.walker.spec.Adaptive == nil
}

// Alike reports whether all links between routers are alike, and all links of NICs.
func (a *Alone) Alike() bool { return alike(&a.walker.spec) }

// Way is a route between the first NICs of two hosts.
type Way struct {
	Routers int
	Links   []uint16 // classes, with those of the links of both NICs
	Ports   []int32  // outputs of the routers in order, as indexes in the graph's ports
}

// Way returns the route between two hosts, for a random or adaptive algorithm one of several.
func (a *Alone) Way(from, to int32) (w Way, err error) {
	g := a.walker.spec.Graph
	src, dst := from*int32(g.NICsPerHost), to*int32(g.NICsPerHost)
	w.Links = append(w.Links, g.Ports[g.NICPort[src]].Link, g.Ports[g.NICPort[dst]].Link)
	_, err = a.walker.walk(int(from), int(to), 0, func(router int32, c routing.Candidate) {
		port := g.PortBase[router] + int32(c.Port)
		w.Routers++
		w.Ports = append(w.Ports, port)
		if out := &g.Ports[port]; out.NIC < 0 {
			w.Links = append(w.Links, out.Link)
		}
	})
	return w, err
}

// Passing is the latency of a message in an idle network, and the bytes that take part of it.
type Passing struct {
	Latency units.Time
	Slowest units.Rate  // of all links and crossbars on the way
	Wire    units.Bytes // that pass at this rate, one after the other
	Memory  units.Bytes // that pass between memory and a NIC before and after these
}

// Pass returns how a message of size bytes passes over a route in an idle network.
func (a *Alone) Pass(w *Way, size int64, p *Prices) Passing {
	passing := Passing{Latency: p.Buses + units.Time(w.Routers)*p.Router, Slowest: p.Crossbar}
	for _, class := range w.Links {
		passing.Latency += p.Links[class].Latency
		passing.Slowest = min(passing.Slowest, p.Links[class].Bandwidth)
	}
	s := a.free.stream(size)
	s.memory = p.Memory
	longest, i, j := s.longest(passing.Slowest)
	passing.Latency += longest
	passing.Wire = s.wire(i, j)
	passing.Memory = s.payload(1, i) + s.payload(j, s.n)
	return passing
}
