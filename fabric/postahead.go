package fabric

// post hands a message to its source NIC.
func (b *fast) post(id MsgID) {
	m := b.messages.at(id)
	if !b.postAhead(id, m, b.send.nics.at(uint32(m.Src))) {
		b.nics.post(id)
	}
}

// postAhead implements Post for a message of one packet to an idle NIC, and also injects the
// packet. No other NIC uses the link into the router, so the packet's times are known as soon as
// the credit is. If postAhead cannot do so, it returns false and changes nothing.
func (b *fast) postAhead(id MsgID, m *Message, n *nic) bool {
	if !b.early || n.head|n.fetching|n.fetched != 0 || m.Size > b.payload || b.reported ||
		b.send.gapOf(id, m) > 0 {
		return false
	}
	slot, route, vc := b.layout.enter(b.hosts[b.send.hostOf(m.Src)], m.Src, m.Dst)
	channel := b.nicLanes + uint32(m.Src)*b.vcs + uint32(vc)
	out, number := b.lanes.at(channel), b.lanes.below(channel)
	flits := int32(b.flits(m.Size))
	if out.credit < flits || !b.lanes.roomAhead(out, b.lanes.at(number)) {
		return false
	}
	m.Left, m.Next = 1, uint32(NoMsg)
	b.ahead.under(id, m.Size)
	n.known(m.Post + b.busLatency)
	b.send.read(n, n.prevTail, m.Size)
	n.paced = false
	present := b.events.now
	b.events.now = max(n.dmaEnd, n.free)
	host := b.send.hostOf(m.Src)
	p := packet{route: route, msg: id, flits: uint16(flits) | lastPacket, out: slot}
	b.enter(b.hosts[host], n, p, out, number)
	b.events.now = present
	b.endpoint.Fetched(host, m.Request, n.dmaEnd)
	return true
}

// mostInjected is the number of places beyond which no ring grows for packets injected ahead:
// messages that wait at their NIC take less memory.
const mostInjected = 8

// roomAhead reports whether a packet can be injected ahead without making a large ring larger.
func (v *vcLanes) roomAhead(out, in *lane) bool {
	if in.places() < mostInjected || !in.full() {
		return true
	}
	v.pull(out, in, pullAtOnce)
	return !in.full()
}
