package predict

import (
	"sync"

	"fabricast/abstract"
	"fabricast/fabric"
	"fabricast/internal/plan"
	"fabricast/internal/units"
	"fabricast/routing"
)

// contentionFree is Abstract for the network of the plan if no message ever meets another between
// the NICs: each takes what it takes in an idle network, on the route that it has there.
func contentionFree(p *plan.Plan, s abstract.Spec) (abstract.Spec, error) {
	e := p.Experiment
	f := &free{parts: partsOf(p), spec: p.Fabric, random: plan.PerPacket(p.Fabric.Routing)}
	f.walkers.New = func() any { return &walker{spec: p.Fabric} }
	s.Lookahead = int64(f.parts.ends + 2*leastHostCable(&p.Fabric) + f.parts.router)
	if s.Lookahead < 1 {
		return s, e.Refuse("network.router", "no delay at all", "a delay of routers or host links "+
			"above 0ps", "")
	}
	s.Wire = func(size int64) int64 { return int64(f.stream(size).wire(1, f.parts.packet.Count(size))) }
	s.Hold = f.hold
	s.Passage = f.passage
	return s, nil
}

// free computes how messages pass an idle network.
type free struct {
	parts   zeroLoadParts
	spec    fabric.Spec
	random  bool
	walkers sync.Pool // of *walker: blocks ask at the same time
}

// passage is the abstract.Passage of a message.
func (f *free) passage(m *fabric.Message, number uint32) abstract.Passage {
	nics := int32(f.spec.Graph.NICsPerHost)
	attempt := uint64(0)
	if f.random {
		attempt = uint64(number)
	}
	w := f.walkers.Get().(*walker)
	way, err := w.passage(int(m.Src/nics), int(m.Dst/nics), attempt)
	f.walkers.Put(w)
	if err != nil {
		panic(err)
	}
	host := f.spec.HostLink(m.Src).Bandwidth
	p, s := &f.parts, f.stream(m.Size)
	n := p.packet.Count(m.Size)
	flight := p.ends + units.Time(way.routers)*p.router + way.cables
	read := s.read(1, n)
	if n > 2 { // a NIC has room for two packets
		read = max(read, s.read(1, 1)+plan.TransferTime(s.wire(1, n-2), host)+s.read(n, n))
	}
	passage := abstract.Passage{
		Busy:   int64(max(s.read(1, n), plan.TransferTime(s.wire(1, n), host))),
		Read:   int64(read),
		Flight: int64(flight + s.read(1, 1)),
		Tail:   int64(s.time(way.slowest) - s.read(1, 1)),
	}
	// all NICs of a host together may be faster than the link, where each of them is not
	if way.routers > 1 && (nics > 1 || way.slowest < host) {
		rate := min(way.narrow, f.spec.Router.Bandwidth)
		passage.Narrow, passage.Link = int64(plan.TransferTime(s.wire(1, n), rate)), way.narrowest
	}
	return passage
}

// hold is for how long the NIC that a message comes to is taken.
func (f *free) hold(nic int32, size int64) int64 {
	s, n := f.stream(size), f.parts.packet.Count(size)
	rate := min(f.spec.HostLink(nic).Bandwidth, f.spec.Router.Bandwidth)
	return int64(max(s.read(1, n), plan.TransferTime(s.wire(1, n), rate)))
}

// stream is the packets of a message, numbered from 1.
type stream struct {
	packet   fabric.Packet
	memory   units.Rate
	n        int64
	last     int64 // payload bytes of the last one
	lastWire int64
}

func (f *free) stream(size int64) stream {
	s := stream{packet: f.parts.packet, memory: f.parts.transfer, n: f.parts.packet.Count(size)}
	s.last = size - (s.n-1)*s.packet.Payload()
	s.lastWire = s.packet.Wire(s.last)
	return s
}

// wire is the size on the wire of packets a to b.
func (s stream) wire(a, b int64) units.Bytes {
	if b < s.n {
		return units.Bytes((b - a + 1) * s.packet.Wire(s.packet.Payload()))
	}
	return units.Bytes((b-a)*s.packet.Wire(s.packet.Payload()) + s.lastWire)
}

// read is how long packets a to b take from memory to a NIC, or back.
func (s stream) read(a, b int64) units.Time {
	payload := (b - a + 1) * s.packet.Payload()
	if b == s.n {
		payload += s.last - s.packet.Payload()
	}
	return plan.TransferTime(units.Bytes(payload), s.memory)
}

// time is how long all packets take from memory to memory without the delays on the way: each is
// read, passes the slowest place, and is written, one after the other at each. Packets up to some i
// hold those behind them up by being read, those from i to some j at the slowest place, those from
// j on by being written; as all but the last are alike, i and j are at an end of the row.
func (s stream) time(slowest units.Rate) units.Time {
	longest := units.Time(0)
	ends := [...]int64{1, max(1, s.n-1), s.n}
	for _, i := range ends {
		for _, j := range ends {
			if i <= j {
				longest = max(longest, s.read(1, i)+plan.TransferTime(s.wire(i, j), slowest)+s.read(j, s.n))
			}
		}
	}
	return longest
}

// candidates are those of an adaptive algorithm at a router, in a list that is used again.
func (w *walker) candidates(router int32, header uint64) []routing.Candidate {
	w.scratch = w.spec.Adaptive.Candidates(router, header, idle{}, w.scratch[:0])
	return w.scratch
}
