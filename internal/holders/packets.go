package holders

import (
	"fabricast/fabric"
	"fabricast/fabric/model"
	"fabricast/internal/causes"
	"fabricast/topology"
)

// Packets divides the latencies of messages by cause, and finds the holders of what they waited for, in a
// network that drops or pauses packets (package ethernet).
type Packets struct {
	graph   *topology.Graph
	wires   []int64 // by port: latency of its link (ps)
	links   []int32 // by port: its link
	nicLink int32   // link of the first NIC

	ports   []server   // what outputs send
	nics    []server   // what NICs send
	pauses  [][]paused // by port that pauses its sender, and class
	flows   map[flow]*sending
	queues  map[int32]*places  // by port and class
	outages map[int32][]outage // by NIC

	wait     func(*Wait)
	divided  func(*fabric.Divided)
	horizons *Horizons
	taken    int
	now      int64
	charges  charges
}

// flow is a flow of a NIC.
type flow struct{ nic, number int32 }

// sending is what is known of a flow.
type sending struct {
	held    []held
	packets map[int32]*sentPacket // those that are under way
}

// held is a period in which a flow was not allowed to send.
type held struct {
	from, to int64 // ps
	why      model.Reason
}

// sentPacket is a packet each time that it was sent.
type sentPacket struct {
	copies  []*sentCopy
	arrives int64 // when it is at its receiver (ps); 0: not yet, or lost
}

// sentCopy is a packet that was sent once.
type sentCopy struct {
	times        int32
	found        int64 // when the one before was found to be lost (ps)
	start, leave int64 // when the NIC sent it (ps)
	hops         []queued
	loss         *loss // nil: it was not lost
	filled       []span
}

// queued is how a packet has passed a port.
type queued struct {
	*step
	out int32
}

// paused is a period in which a class of a port or NIC was paused, with whom that is charged to.
type paused struct {
	from, to int64 // ps
	pieces   []piece
}

// NewPackets returns a Packets for a network with these links by class. horizons are those of all hops that it
// will take, in their order, by AddPacket; nil: it forgets nothing. It calls wait for each wait, and divided for
// each message, which must copy what they keep; either may be nil.
func NewPackets(
	g *topology.Graph, links []fabric.Link, horizons *Horizons, wait func(*Wait), divided func(*fabric.Divided),
) *Packets {
	p := &Packets{
		graph: g, links: Links(&fabric.Spec{Graph: g}), wires: make([]int64, len(g.Ports)),
		ports: make([]server, len(g.Ports)), nics: make([]server, len(g.NICPort)),
		pauses: make([][]paused, len(g.Ports)*mostClasses), flows: map[flow]*sending{},
		queues: map[int32]*places{}, outages: map[int32][]outage{}, wait: wait, divided: divided, horizons: horizons,
	}
	for i, link := range p.links {
		p.nicLink = max(p.nicLink, link+1)
		if link >= 0 {
			p.wires[i] = int64(links[g.Ports[i].Link].Latency)
		}
	}
	return p
}

// mostClasses is the largest number of classes.
const mostClasses = 8

// Take processes a hop. Hops must come in the order of Compare.
func (p *Packets) Take(h *fabric.Hop) {
	p.now = h.Start
	switch h.Stage {
	case model.Injected:
		p.inject(h)
	case model.Linked:
		p.link(h)
	case model.Resumed:
		p.resume(h)
	case model.Withheld:
		f := p.flow(flow{h.Source, h.Flow})
		f.held = append(f.held, held{h.Ready, h.Start, h.Reason})
	case model.Lost:
		p.lose(h)
	case model.Filled:
		p.fill(h)
	case model.Failed:
		p.fail(h)
	case model.Received:
		p.receive(h)
	}
	p.taken++
	p.forget()
}

func (p *Packets) flow(of flow) *sending {
	f := p.flows[of]
	if f == nil {
		f = &sending{packets: map[int32]*sentPacket{}}
		p.flows[of] = f
	}
	return f
}

// copyOf returns the packet of a hop with payload as it was sent then; nil if that is not known.
func (p *Packets) copyOf(h *fabric.Hop) (*sentPacket, *sentCopy) {
	if h.Flow < 0 {
		return nil, nil
	}
	s := p.flow(flow{h.Source, h.Flow}).packets[h.Packet]
	if s == nil {
		return nil, nil
	}
	for _, c := range s.copies {
		if c.times == h.Times {
			return s, c
		}
	}
	return s, nil
}

// stepOf returns what passes a link in a hop.
func stepOf(h *fabric.Hop, link int32) *step {
	s := &step{ready: h.Ready, asked: h.Asked, start: h.Start, leave: h.Leave, flits: int64(h.Flits)}
	s.class = h.VC
	s.self = &holder{Holder: Holder{h.Message, h.Source, h.Destination, h.SourceRank, link}}
	return s
}

func (p *Packets) inject(h *fabric.Hop) {
	nic := &p.nics[h.OutPort]
	nic.passed = append(nic.passed, stepOf(h, p.nicLink+h.OutPort))
	if h.Flow < 0 {
		return
	}
	f := p.flow(flow{h.Source, h.Flow})
	s := f.packets[h.Packet]
	if s == nil {
		s = &sentPacket{}
		f.packets[h.Packet] = s
	}
	s.copies = append(s.copies, &sentCopy{times: h.Times, found: h.Asked, start: h.Start, leave: h.Leave})
	s.arrives = 0
}

// link processes a packet that a port sends.
func (p *Packets) link(h *fabric.Hop) {
	s, out := stepOf(h, p.links[h.OutPort]), &p.ports[h.OutPort]
	if h.Flow >= 0 {
		p.queue(s, h.OutPort)
	}
	out.passed = append(out.passed, s)
	if h.Queue > 0 {
		p.passes(h.OutPort*mostClasses+h.VC, h.Queue, s)
	}
	if packet, c := p.copyOf(h); c != nil {
		c.hops = append(c.hops, queued{s, h.OutPort})
		if p.graph.Ports[h.OutPort].NIC >= 0 {
			packet.arrives = h.Leave + p.wires[h.OutPort]
		}
	}
}

// queue charges the time of a packet in the queue of a port.
func (p *Packets) queue(s *step, port int32) {
	part, pauses, out := causes.Output, []paused(nil), &p.ports[port]
	if at := &p.graph.Ports[port]; at.NIC >= 0 {
		part = causes.Ejection
	} else {
		pauses = p.pauses[at.Peer*mostClasses+s.class]
	}
	for t := s.ready; t < s.start; {
		until := s.start
		if x := pauseFrom(pauses, t); x != nil {
			if x.from <= t {
				from := t
				t = min(x.to, s.start)
				s.pieces = x.during(s.pieces, from, t)
				continue
			}
			until = min(until, x.from)
		}
		holder := s.self
		if q := out.at(t); q != nil {
			until, holder = min(until, q.leave), q.self
		} else if next := out.next(t); next != nil {
			until = min(until, next.start)
		}
		s.pieces = add(s.pieces, until, part, holder)
		t = until
	}
}

// pauseFrom returns the pause that lasts at a time (ps), or the next; nil if there is none.
func pauseFrom(list []paused, t int64) *paused {
	for i := len(list); i > 0; i-- { // most are asked for soon after they have ended
		if list[i-1].to <= t {
			if i < len(list) {
				return &list[i]
			}
			return nil
		}
	}
	if len(list) > 0 {
		return &list[0]
	}
	return nil
}

// during adds what a part of a pause is charged with to a list.
func (x *paused) during(list []piece, from, to int64) []piece {
	for i := range x.pieces {
		if q := &x.pieces[i]; q.until > from && from < to {
			from = min(q.until, to)
			list = add(list, from, causes.Pause, q.holder)
		}
	}
	return list
}

// resume processes the end of a pause: it is charged with what the packet is charged with whose departure has
// ended it, as that was when the frames were sent.
func (p *Packets) resume(h *fabric.Hop) {
	x, takes := paused{from: h.Ready, to: h.Start}, h.Start-h.Asked
	passed := p.ports[h.OutPort].passed
	for i := len(passed) - 1; i >= 0 && passed[i].leave >= h.Asked; i-- {
		if s := passed[i]; s.leave == h.Asked {
			x.pieces = s.during(nil, h.Ready-takes, h.Asked, takes, causes.Pause)
		}
	}
	if x.pieces == nil { // it was sent before anything was recorded
		x.pieces = add(nil, h.Start, causes.Pause, stepOf(h, p.links[h.OutPort]).self)
	}
	of := h.Port*mostClasses + h.VC
	p.pauses[of] = append(p.pauses[of], x)
}

// forget forgets what no later hop refers to, if it is time for that.
func (p *Packets) forget() {
	z := p.horizons
	if z == nil || p.taken%z.every != 0 || p.taken/z.every >= len(z.parts) {
		return
	}
	later := z.parts[p.taken/z.every]
	for i := range p.ports {
		p.ports[i].forget(later.waited)
	}
	for i := range p.nics {
		p.nics[i].forget(later.queued)
	}
	for i := range p.pauses {
		oldest := later.waited
		if p.graph.Ports[i/mostClasses].NIC >= 0 {
			oldest = later.queued
		}
		p.pauses[i] = dropFirst(p.pauses[i], func(x *paused) bool { return x.to < oldest })
	}
	for _, f := range p.flows {
		f.held = dropFirst(f.held, func(x *held) bool { return x.to < later.queued })
		for number, s := range f.packets {
			if s.arrives > 0 && s.arrives < p.now { // it has completed no message
				delete(f.packets, number)
			}
		}
	}
	p.forgetPlaces()
}

// dropFirst removes the first elements that are old.
func dropFirst[T any](list []T, old func(*T) bool) []T {
	n := 0
	for n < len(list) && old(&list[n]) {
		n++
	}
	return append(list[:0], list[n:]...)
}
