package ethernetoracle

import "slices"

// nic is a NIC.
type nic struct {
	id       int
	replies  []*packet // packets without payload that wait
	ready    []*sender // flows that want to send, in turn
	flows    int       // number of flows that start here
	posted   int       // number of messages
	busy     bool
	paused   map[int]bool // by class
	pausedBy map[int]*pausing
	sending  *packet
	turn     int // packets sent since the last with payload that went before replies
	active   []*receiver
	idle     []*receiver
	granting bool
	scheduler
}

// reply queues a packet without payload.
func (n *network) reply(from *nic, p *packet) {
	p.src, p.size = from.id, n.spec.Packet.Control
	from.replies = append(from.replies, p)
	n.start(from)
}

// start sends the next packet of a NIC that sends nothing.
func (n *network) start(from *nic) {
	if from.busy || n.fromNIC(from.id).down {
		return
	}
	payloadFirst := len(from.replies) == 0
	if ratio := n.spec.NIC.DataRatio; ratio > 0 && !payloadFirst && from.mightSend() {
		if from.turn++; from.turn >= ratio {
			from.turn, payloadFirst = 0, true
		}
	}
	if payloadFirst && n.sendPayload(from) || len(from.replies) == 0 {
		return
	}
	p := from.replies[0]
	from.replies = from.replies[1:]
	n.launch(from, p)
}

// sendPayload sends a packet of the next flow that may send, of the class that is next. Those before
// the first of each class leave the list.
func (n *network) sendPayload(from *nic) bool {
	firsts, sizes := map[int]*sender{}, map[int]int64{}
	for _, f := range slices.Clone(from.ready) {
		switch {
		case from.paused[f.class] || firsts[f.class] != nil:
		case n.maySend(f):
			firsts[f.class], sizes[f.class] = f, f.packets[f.nextOf()].size
		default:
			from.leave(f)
		}
	}
	if len(firsts) == 0 {
		return false
	}
	f := firsts[n.next(&from.scheduler, sizes)]
	from.leave(f)
	n.launch(from, n.nextPacket(f))
	n.changed(f)
	if !slices.ContainsFunc(from.ready, func(other *sender) bool { return other.class == f.class }) {
		from.left[f.class] = 0
	}
	return true
}

// leave takes a flow from the list.
func (from *nic) leave(f *sender) {
	from.ready = slices.DeleteFunc(from.ready, func(other *sender) bool { return other == f })
}

// mightSend reports whether a flow of a class that is not paused is in the list.
func (from *nic) mightSend() bool {
	return slices.ContainsFunc(from.ready, func(f *sender) bool { return !from.paused[f.class] })
}

// launch puts a packet on the link of a NIC.
func (n *network) launch(from *nic, p *packet) {
	from.busy, from.sending = true, p
	if p.kind == data {
		n.inNetwork[p] = true
	}
	in := n.spec.Graph.NICPort[from.id]
	link := n.spec.Graph.Ports[in].Link
	end := n.now + n.sends(n.fromNIC(from.id), p, link)
	n.at(end, leftNIC, from.id, 0, func() {
		from.busy, from.sending = false, nil
		n.start(from)
	})
	n.toSwitch(n.fromNIC(from.id), int(in), p, end+n.latency(link))
}

// waits reports whether a flow is in the list of its NIC.
func (f *sender) waits() bool { return slices.Contains(f.nic.ready, f) }

// receive takes a packet at its NIC.
func (n *network) receive(p *packet) {
	n.outOf(int(n.spec.Graph.NICPort[p.dst])).lands(p)
	if p.broken {
		n.loseOnLink(p)
		return
	}
	if p.kind == data {
		delete(n.inNetwork, p)
		n.receiverOf(p).last = p.message
		n.receiveData(n.receiverOf(p), p)
		return
	}
	if p.kind == request {
		r := n.receiverOf(p)
		r.last = p.message
		r.wanted = max(r.wanted, p.wanted)
		n.activate(r)
		return
	}
	f := n.flowNumbered(p.dst, p.flow)
	switch p.kind {
	case acknowledgement:
		n.acknowledged(f, p)
	case refusal:
		n.refused(f, p)
	case grant:
		n.granted(f, p)
	case notification:
		n.spec.NIC.Control.Notified(f.control, f.path, n.stateOf(f))
		n.changedThenStart(f)
	}
}

// flowNumbered returns the flow that starts at a NIC and has a number there.
func (n *network) flowNumbered(nic, number int) *sender {
	for _, f := range n.senders {
		if f.nic.id == nic && f.number == number {
			return f
		}
	}
	panic("ethernetoracle: a packet of a flow that does not exist")
}

// receiverOf returns the other end of the flow that a packet with payload or request belongs to.
func (n *network) receiverOf(p *packet) *receiver { return n.receivers[n.flowNumbered(p.src, p.flow)] }
