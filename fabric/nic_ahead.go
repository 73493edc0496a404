package fabric

// InjectAhead lets idle NICs inject messages of one packet as soon as they are posted. It is to be called before the first
// window. Predictions stay the same, but Totals between windows may count packets that have yet to leave their NICs. It has no effect
// where it is told what happens when, and on the general path.
func (n *Network) InjectAhead() {
	for _, b := range n.blocks {
		b.early = b.plain && b.general == nil
	}
}

// postAhead is Post for a message of one packet to an idle NIC, and has the NIC inject the packet too. Nobody else uses the NIC's way
// into the router, so all of it is known as soon as the credit is. Otherwise it returns false, and has done nothing.
func (b *Block) postAhead(id MsgID, m *Message, n *nic) bool {
	if !b.early || n.head|n.fetching|n.fetched != 0 || m.Size > b.payload || b.observer != nil || b.sink != nil || b.gapOf(id, m) > 0 {
		return false
	}
	slot, route, vc := b.dor.First(m.Src, m.Dst)
	out := b.lanes.at(b.nicLanes + uint32(m.Src)*b.vcs + uint32(vc))
	flits := int32(b.flits(m.Size))
	if out.credit < flits {
		return false
	}
	m.Left, m.Next = 1, uint32(NoMsg)
	b.under(m.Size)
	n.known(m.Post + b.busLatency)
	b.read(n, n.prevTail, m.Size)
	n.paced = false
	present := b.now
	b.now = max(n.dmaEnd, n.free)
	out.credit -= flits
	in := b.lanes.at(out.down)
	if in.tail == in.head {
		b.restart(out, in, b.now, flits)
	}
	b.send(n, int64(flits))
	p := b.pool.packets.at(b.add(out, in))
	p.time = b.now + b.entry
	p.route, p.msg, p.flits, p.out = route, id, uint16(flits)|lastPacket, slot
	host := b.hostOf(m.Src)
	if in.tail-in.head == 1 {
		b.startAsking(b.hosts[host], out.down, in, p)
	}
	b.now = present
	b.endpoint.Fetched(host, m.Request, n.dmaEnd)
	return true
}
