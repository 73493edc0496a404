package predict

import (
	"sync"

	"fabricast/abstract"
	"fabricast/fabric"
	"fabricast/internal/plan"
	"fabricast/internal/units"
	"fabricast/routing"
)

// contentionFree returns the abstract network for the contention-free model: messages do not slow
// one another down between the NICs. Each has the latency that it would have in an idle network, on
// the route that it would take there.
func contentionFree(p *plan.Plan, s abstract.Spec) (abstract.Spec, error) {
	e, f := p.Experiment, freeOf(p)
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

// free computes how messages pass through an idle network.
type free struct {
	parts   zeroLoadParts
	spec    fabric.Spec
	random  bool
	walkers sync.Pool // of *walker: partition blocks use them concurrently
}

func freeOf(p *plan.Plan) *free {
	f := &free{parts: partsOf(p), spec: p.Fabric, random: plan.PerPacket(p.Fabric.Routing)}
	f.walkers.New = func() any { return &walker{spec: p.Fabric} }
	return f
}

// Idle returns a function for the passage of a message through the idle network of a plan, which must
// have routers. number is that of the message; it seeds the choices of a random routing algorithm.
// gap is the pause of the NIC after each packet, in the unit of fabric.Spec.Gap.
func Idle(p *plan.Plan) func(m *fabric.Message, number uint32, gap int64) abstract.Passage {
	return freeOf(p).paced
}

// paced returns the times of a message's passage like passage, with pauses between its packets.
func (f *free) paced(m *fabric.Message, number uint32, gap int64) abstract.Passage {
	passage, s := f.passage(m, number), f.stream(m.Size)
	if gap == 0 || s.n == 1 {
		return passage
	}
	host, full := f.spec.HostLink(m.Src).Bandwidth, s.packet.Wire(s.packet.Payload())
	begins := func(packets int64) int64 { // of the next packet on the link
		return int64(plan.TransferTime(units.Bytes(packets*(full+full*gap/fabric.GapUnit)), host))
	}
	first, last := int64(s.read(1, 1)), int64(s.read(s.n, s.n))
	alone := *m
	alone.Size = s.last
	behind := f.passage(&alone, number)
	passage.Tail = max(
		passage.Tail, first+begins(s.n-1)-last+behind.Flight+behind.Tail-passage.Flight,
	)
	passage.Read = max(passage.Read, first+begins(s.n-2)+last)
	return passage
}

// passage returns the times of a message's passage through the idle network. number is the
// message's number; it seeds the choices of a random routing algorithm.
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
	if n > 2 { // a NIC buffers two packets
		read = max(read, s.read(1, 1)+plan.TransferTime(s.wire(1, n-2), host)+s.read(n, n))
	}
	passage := abstract.Passage{
		Busy:   int64(max(s.read(1, n), plan.TransferTime(s.wire(1, n), host))),
		Read:   int64(read),
		Flight: int64(flight + s.read(1, 1)),
		Tail:   int64(s.time(way.slowest) - s.read(1, 1)),
	}
	// a host's NICs together may be faster than the route's slowest link, even if each NIC is
	// slower
	if way.routers > 1 && (nics > 1 || way.slowest < host) {
		rate := min(way.narrow, f.spec.Router.Bandwidth)
		passage.Narrow, passage.Link = int64(plan.TransferTime(s.wire(1, n), rate)), way.narrowest
	}
	return passage
}

// hold returns how long the receiving NIC is busy with a message.
func (f *free) hold(nic int32, size int64) int64 {
	s, n := f.stream(size), f.parts.packet.Count(size)
	rate := min(f.spec.HostLink(nic).Bandwidth, f.spec.Router.Bandwidth)
	return int64(max(s.read(1, n), plan.TransferTime(s.wire(1, n), rate)))
}

// stream describes the packets of a message, numbered from 1.
type stream struct {
	packet   fabric.Packet
	memory   units.Rate
	n        int64
	last     int64 // payload bytes of the last packet
	lastWire int64
}

func (f *free) stream(size int64) stream {
	s := stream{packet: f.parts.packet, memory: f.parts.transfer, n: f.parts.packet.Count(size)}
	s.last = size - (s.n-1)*s.packet.Payload()
	s.lastWire = s.packet.Wire(s.last)
	return s
}

// wire returns the size in bytes of packets a to b on the wire.
func (s stream) wire(a, b int64) units.Bytes {
	if b < s.n {
		return units.Bytes((b - a + 1) * s.packet.Wire(s.packet.Payload()))
	}
	return units.Bytes((b-a)*s.packet.Wire(s.packet.Payload()) + s.lastWire)
}

// read returns the time that packets a to b take from memory to a NIC, or from a NIC to memory.
func (s stream) read(a, b int64) units.Time { return plan.TransferTime(s.payload(a, b), s.memory) }

// payload returns the payload in bytes of packets a to b.
func (s stream) payload(a, b int64) units.Bytes {
	payload := (b - a + 1) * s.packet.Payload()
	if b == s.n {
		payload += s.last - s.packet.Payload()
	}
	return units.Bytes(payload)
}

// time returns the time from memory to memory of all packets, without the delays of routers and
// cables. Each packet passes three stages: it is read, passes the slowest link, and is written.
// Each stage handles one packet at a time. The critical path goes through the first stage up to
// some packet i, through the second up to some packet j, then through the third. All packets but
// the last have the same size, so i and j are each the first packet or one of the last two.
func (s stream) time(slowest units.Rate) units.Time {
	time, _, _ := s.longest(slowest)
	return time
}

// longest returns the time of the critical path, with the packets i and j.
func (s stream) longest(slowest units.Rate) (longest units.Time, first, last int64) {
	ends := [...]int64{1, max(1, s.n-1), s.n}
	for _, i := range ends {
		for _, j := range ends {
			if i > j {
				continue
			}
			time := s.read(1, i) + plan.TransferTime(s.wire(i, j), slowest) + s.read(j, s.n)
			if time > longest || first == 0 {
				longest, first, last = time, i, j
			}
		}
	}
	return longest, first, last
}

// candidates returns the outputs that the adaptive algorithm permits at a router. The list is valid
// until the next call.
func (w *walker) candidates(router int32, header uint64) []routing.Candidate {
	w.scratch = w.spec.Adaptive.Candidates(router, header, idle{}, w.scratch[:0])
	return w.scratch
}
