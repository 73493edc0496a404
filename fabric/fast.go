package fabric

import "fabricast/internal/snapshot"

// fast are the routers of a block on the fast path: with input queues.
type fast struct {
	nics
	flitTime    int64 // see layout
	roundRobins bool
	special     bool // uneven or roundRobins
	// one route for each pair of hosts, NICs that send one message after the other, and no special
	// features: packets may pass as trains
	plain   bool
	direct  bool // plain, and not reported
	early   bool // plain, and NICs may inject packets before it is time, see postAhead
	streams bool // plain, and NICs need not be looked at packet by packet in this window

	lanes    vcLanes      // virtual channels with their packets
	ports    outputPorts  // when ports are free
	credit   creditReturn // for packets that wait for it
	loader   loader       // loads ahead what visits need
	observer observes     // nil unless that is what links, buffers or packets do
	reported bool         // something is reported while it runs

	activations uint64   // of the last window
	contenders  []uint32 // timers of lanes whose packets ask at one instant
}

// observes is what an observer gets to know of the routers.
type observes interface {
	// load prefetches what the observer will use of a port.
	load(port uint32)
	// came is called when a packet comes into an empty buffer at the time at (ps), and has to wait for
	// the tail of the one before it.
	came(number uint32, at int64)
	// blocked is called for a packet that asks for an output that is busy, or whose input is.
	blocked(r *routerState, timer uint32, in *lane)
	// stall is called for a lane whose packet has asked and not started.
	stall(r *routerState, timer uint32, in *lane)
	// released is called when the packet of an input VC that held the output VC `+"`to`"+` starts. The
	// packets that waited for it ask again at the time free (ps).
	released(r *routerState, slot, to uint32, free int64)
	// injected is called for a packet that a NIC with credit sends now.
	injected(nic uint32, n *nic, flits uint32)
	// unstallNIC is called for a NIC that had no credit and has some now.
	unstallNIC(nic uint32, n *nic)
	// packetwise reports whether each packet has to be looked at now, by before and after. If not, they
	// need not be until the time until (ps).
	packetwise() bool
	untilWhen() int64
	// before is called before a packet asks for its output, and after when it has.
	before(r *routerState, timer uint32)
	after(r *routerState, timer uint32)
}

// begin makes the routers of a block that runs. Its messages and its mail must be there. giveBack is
// that of nics.begin.
func (b *fast) begin(s *state, n *nicState, giveBack func(*creditMail)) {
	b.nics.begin(s, n, giveBack)
	l := b.layout
	b.flitTime, b.roundRobins = l.flitTime, l.roundRobins
	b.special = l.uneven || l.roundRobins
	b.plain = l.oneRoute && !b.special && b.bus == nil && b.send.turns == nil
	b.direct, b.streams = b.plain, b.plain
	b.lanes = vcLanes{
		layout: l, events: &b.events, all: s.lanes, more: s.laneMore, ports: s.ports, classes: b.classes,
	}
	b.lanes.sweeps(b.count)
	b.ports = outputPorts{
		events: &b.events, lanes: &b.lanes, vcs: l.vcs, flit: l.spec.Packet.Flit, classes: b.classes,
		ports: s.ports, more: s.more, share: 1<<32/uint64(l.vcs) + 1, roundRobins: l.roundRobins,
	}
	b.credit = creditReturn{
		vcs: l.vcs, events: &b.events, lanes: &b.lanes, mail: &b.mail,
		routers: b.routers,
	}
	b.loader = loader{
		layout: l, events: &b.events, lanes: &b.lanes, ports: &b.ports, messages: &b.messages,
		routers: b.routers, nics: n.nics, receivers: n.receivers, vcs: l.vcs, count: b.count,
		from: prefetchFrom,
	}
	b.loader.measure()
}

// injectAhead lets idle NICs inject messages of one packet as soon as they are posted.
func (b *fast) injectAhead() {
	b.early = b.plain
	b.loader.posts = b.early && b.oneNIC
}

// setEndpoint installs the endpoint of the block's hosts.
func (b *fast) setEndpoint(e Endpoint) {
	b.nics.setEndpoint(e)
	b.loader.prefetcher = b.send.prefetcher
}

// recut makes what is known of the block's routers fit those that it has now.
func (b *fast) recut() {
	b.lanes.sweeps(b.count)
	b.loader.count = b.count
	b.loader.measure()
}

// observe makes an observer see what routers and NICs do; nil: nobody looks at packets.
func (b *fast) observe(x observes) {
	b.reported = true
	if x != nil {
		b.observer, b.loader.observer, b.direct = x, x, false
	}
}

// runWindow simulates all routers for the window that has begun.
func (b *fast) runWindow() { b.visitAll() }

// takeCredit adds credit from another block, or from a NIC's I/O bus, to the output it is for.
func (b *fast) takeCredit(c *creditMail) { b.credit.take(c) }

// sentBy returns what a port has sent.
func (b *fast) sentBy(port uint32) linkCount { return b.ports.count(port) }

// remark records all timers of a router again.
func (b *fast) remark(r *routerState) { b.events.remark(r) }

// stateAt goes over the share of some routers in the arrays of all blocks.
func (b *fast) stateAt(v *snapshot.Visitor, x extent) {
	b.nics.stateAt(v, x)
	b.lanes.stateAt(v, x)
	b.ports.stateAt(v, x)
}

// packetsAt goes over the packets at some routers.
func (b *fast) packetsAt(v *snapshot.Visitor, x extent) { b.lanes.packets(v, x) }

// discardAt gives the memory back of routers that another process has got.
func (b *fast) discardAt(x extent) {
	b.lanes.discard(x)
	b.ports.discard(x)
	b.nics.discard(x)
}

// stateOf goes over what a block has besides its share of arrays and its messages.
func (b *fast) stateOf(v *snapshot.Visitor, _ extent) {
	b.nics.stateOf(v)
	b.lanes.pool.state(v)
}

// takePackets takes in packets from another block.
func (b *fast) takePackets(x *box) {
	for i := range x.packets {
		b.push(&x.packets[i])
	}
}
