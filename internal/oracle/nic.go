package oracle

import (
	"slices"

	"fabricast/fabric"
	"fabricast/internal/causes"
)

// hosts simulates the hosts' NICs and I/O buses.
type hosts struct {
	*core
	switches *switches
	nics     []nic
	buses    []bus // by host; nil if NICs do not share a bus
}

// nic is one network interface, with its sending and its receiving side.
type nic struct {
	number int
	host   int32
	plug   int32 // global ID of the router port it is connected to

	lane             // what it sends, without classes
	lanes    []*lane // the same, or one for each class
	tags     tags    // of its link
	lastPost int64   // time of the last post (ps)
	credit   []int64 // free bytes in the router's input buffers, by VC
	server   server  // the link to the router, including the pauses after packets
	traffic  Traffic // traffic that the NIC has injected
	turns    int64   // messages that have been assigned a turn so far

	down bool // no packet starts to the router

	replies     []*packet // replies of Hooks.Eject that have not been injected yet
	repliesMade uint64
	again       []*packet // packets that links have lost and that are to be injected again
	repeats     uint64    // number of packets injected again

	mover   server     // DMA channel to memory
	stored  []int64    // by VC: bytes in the receive buffer
	arrived []*arrival // received packets that wait for the I/O bus
	asks    bool       // it has requested the bus for its next packet to send
	offers  bool       // it has requested the bus for the first received packet
}

// newHosts returns the NICs and buses of all hosts.
func newHosts(c *core) *hosts {
	h := &hosts{core: c}
	g := h.spec.Graph
	h.nics = make([]nic, g.Hosts*g.NICsPerHost)
	for i := range h.nics {
		n := &h.nics[i]
		n.number = i
		n.host = int32(i / g.NICsPerHost)
		n.plug = g.NICPort[i]
		n.credit = make([]int64, h.spec.Router.VCs)
		n.stored = make([]int64, h.spec.Router.VCs)
		for v := range n.credit {
			n.credit[v] = int64(h.spec.Router.Buffer)
		}
		n.lanes, n.tags = []*lane{&n.lane}, newTags()
		for len(n.lanes) < len(h.spec.Router.Classes) {
			n.lanes = append(n.lanes, &lane{})
		}
		for _, l := range n.lanes {
			l.fetcher.rate = int64(h.spec.DMA)
		}
		n.mover.rate = int64(h.spec.DMA)
		n.server.rate = int64(h.link(&g.Ports[n.plug]).Bandwidth)
	}
	h.buildBuses()
	return h
}

// fetch divides the posted messages into packets and fetches them from memory, as long as it is
// known when there will be space for them: the packet before the previous one must have been
// injected.
func (h *hosts) fetch(n *nic) {
	if h.buses != nil {
		h.askToFetch(n)
		return
	}
	for _, l := range n.lanes {
		h.fetchLane(n, l)
	}
}

// fetched adds a packet to those that wait for injection. The NIC has it from the time at (ps) on.
func (h *hosts) fetched(n *nic, p *packet, at int64) {
	p.fetched = at
	l := h.laneOf(n, p.msg)
	l.waiting = append(l.waiting, p)
	if p.last {
		h.events.add(at, arrivals, n.number, func() {
			h.endpoint.Fetched(n.host, p.msg.Request, at)
		})
	}
	h.injectAt(max(at, n.server.end), n)
}

// cut creates the next packet of a message.
func (h *hosts) cut(n *nic, m *message) *packet {
	sizes, l := h.spec.Packet, h.laneOf(n, m)
	p := &packet{
		msg:     m,
		index:   m.cut,
		last:    m.cut == sizes.Count(m.Size)-1,
		payload: min(sizes.Payload(), m.Size-m.cutBytes),
		header:  m.header,
		entry:   m.entry,
		refused: -1,
	}
	if r := h.perPacket(); r != nil {
		p.coin = h.coin(n, l)
		header, vc := r.StartPacket(m.Src, m.Dst, p.coin)
		p.header, p.entry = header, int(vc)+h.base(m)
	}
	if h.spec.Router.Injection == fabric.VCsInTurn {
		p.entry = h.base(m) + int(l.packets%uint64(h.set()))
	}
	p.turn = l.packets
	l.packets++
	p.wire = sizes.Wire(p.payload)
	m.cut++
	m.cutBytes += p.payload
	if p.last {
		l.posted = slices.DeleteFunc(l.posted, func(other *message) bool { return other == m })
	}
	return p
}

// next returns the message that the NIC's next packet belongs to: the first message posted, or with
// TakeTurns the one whose turn it is. A message takes the last position in the order of turns when
// it starts, and again after each packet but its last. If no message has been posted by now, next
// returns the one that will be posted next. With ControlFirst it returns the first posted message
// without payload, if there is one.
func (h *hosts) next(n *nic) *message {
	first := n.posted[0]
	if h.spec.ControlFirst {
		for _, m := range n.posted {
			if m.Size == 0 && m.Post <= h.now {
				return m
			}
		}
	}
	if !h.spec.TakeTurns {
		return first
	}
	for _, m := range n.posted {
		if m.turn == 0 && m.Post <= h.now {
			n.turns++
			m.turn = n.turns
		}
		if m.turn != 0 && (first.turn == 0 || m.turn < first.turn) {
			first = m
		}
	}
	n.turns++
	first.turn = n.turns
	return first
}

// coin returns the random number for the next packet of a NIC's lane.
func (h *hosts) coin(n *nic, l *lane) uint64 {
	return mix(mix(mix(h.spec.Seed)^uint64(n.number)) ^ l.packets)
}

// mix is the output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// injectAt schedules an attempt to inject at time t (ps). Additional attempts have no effect.
func (h *hosts) injectAt(t int64, n *nic) {
	h.events.add(t, injections, n.number, func() { h.inject(n) })
}

// inject injects the first waiting packet if it can start now.
func (h *hosts) inject(n *nic) {
	if n.down {
		return
	}
	if len(n.replies) > 0 {
		h.injectReply(n)
		return
	}
	if len(n.again) > 0 {
		h.injectAgain(n)
		return
	}
	l := h.nextLane(n)
	if l == nil {
		return
	}
	p := l.waiting[0]
	if h.doors != nil {
		if !h.doors.allows(n, p) {
			return
		}
		h.doors.aim(p)
	}
	vc := p.entry
	if n.credit[vc] < h.nicNeeds(p) {
		return
	}
	h.spend(&n.credit[vc], p.wire)
	since, queue, asked := h.waits(p, n.server.end)
	tail := n.server.would(h.now, p.wire)
	n.server.transfer(h.now, p.wire+p.wire*max(1000*p.msg.gap, h.spec.Gap)/1000)
	h.sends(n, p, tail, n.server.end)
	h.injected(n, p, since, queue, asked, n.server.end)
	l.tails = [2]int64{l.tails[1], tail}
	l.waiting = l.waiting[1:]
	n.tags.grant(h.core, h.classOf(p.msg), p.wire)
	if h.doors != nil {
		h.doors.sent(p)
	}
	h.launch(n, p, tail)
	h.fetch(n)
}

// launch sends a packet from a NIC to its router. Its tail leaves at time tail (ps).
func (h *hosts) launch(n *nic, p *packet, tail int64) {
	h.totals.Packets++
	h.totals.InjectedBytes += p.payload
	n.traffic.Packets++
	n.traffic.Bytes += p.wire
	p.injected = h.now
	p.charge(causes.Wire, int64(h.link(&h.spec.Graph.Ports[n.plug]).Latency))
	h.enterNetwork(n, p, tail)
}

// earnAt schedules the return of credit to a NIC, for the given number of bytes of the first
// router's buffer, at time at (ps).
func (h *hosts) earnAt(at int64, nic int32, vc int, bytes int64) {
	n := &h.nics[nic]
	h.events.add(at, arrivals, n.number, func() {
		h.earn(&n.credit[vc], bytes)
		h.injectAt(h.now, n)
	})
}

// receive schedules the arrival of a packet at the NIC behind an output port. Its tail arrives at
// time tail (ps).
func (h *hosts) receive(p *packet, out *port, vc int, tail int64) {
	n := &h.nics[out.NIC]
	h.events.add(tail, arrivals, n.number, func() {
		if n.stored[vc] += p.wire; n.stored[vc] > int64(h.spec.Router.Buffer) {
			h.violation("NIC %d VC %d: buffer overflow", n.number, vc)
		}
		a := &arrival{p, out, vc, tail}
		if h.buses != nil {
			n.arrived = append(n.arrived, a)
			h.askToMove(n)
			return
		}
		start := max(h.now, n.mover.end)
		end := n.mover.transfer(start, p.payload)
		h.moves(n, a, start, end)
		h.moveUntil(n, a, end)
	})
}

// arrival is a packet in a NIC's receive buffer.
type arrival struct {
	*packet
	out  *port // router port that sent the packet
	vc   int
	tail int64 // when its tail arrives (ps)
}

// moveUntil ends the transfer of a packet to memory at time end (ps). The packet is in memory after
// the latency of the bus.
func (h *hosts) moveUntil(n *nic, a *arrival, end int64) {
	h.events.add(end, arrivals, n.number, func() {
		h.clear(n, a)
		if latency := int64(h.spec.IOBus.Latency); latency > 0 {
			h.events.add(end+latency, arrivals, n.number, func() { h.moved(n, a.packet) })
			return
		}
		h.moved(n, a.packet)
	})
}

// clear frees the space of a packet in the receive buffer and returns its credit.
func (h *hosts) clear(n *nic, a *arrival) {
	n.stored[a.vc] -= a.wire
	router, _ := h.switches.port(n.plug)
	h.events.add(h.now+int64(h.link(a.out.Port).Latency), arrivals, router.number, func() {
		h.earn(&a.out.vcs[a.vc].credit, a.wire)
		h.switches.passAt(h.now, router)
	})
}

// moved counts a packet that is in memory, and delivers the message if it was the last one.
func (h *hosts) moved(n *nic, p *packet) {
	m := p.msg
	if h.doors != nil && h.doors.moved(n, p) {
		return
	}
	if m.Dst != int32(n.number) || !h.overtaking() && p.index != m.moved {
		h.violation(
			"NIC %d: packet %d of a message to NIC %d comes after %d others",
			n.number, p.index, m.Dst, m.moved,
		)
	}
	m.moved++
	if p.last {
		m.lastIn = h.now
	}
	m.left -= p.payload
	h.totals.DeliveredPackets++
	h.totals.DeliveredBytes += p.payload
	h.totals.Latency += h.now - p.injected
	if m.left == 0 && m.moved == h.spec.Packet.Count(m.Size) {
		h.deliver(n, m)
	}
}

func (h *hosts) deliver(n *nic, m *message) {
	m.done = true
	m.parts[causes.Overtaken] = h.now - m.lastIn
	h.totals.Delivered++
	h.endpoint.Delivered(n.host, m.id, h.now)
}
