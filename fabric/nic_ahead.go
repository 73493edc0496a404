package fabric

// InjectAhead lets idle NICs inject messages of one packet as soon as they are posted. It is to be called before the first
// window. Predictions stay the same, but Totals between windows may count packets that have yet to leave their NICs. It has no effect
// where it is told what happens when, and on the general path.
func (n *Network) InjectAhead() {
	for _, b := range n.blocks {
		b.early = b.plain && b.general == nil
	}
}

// injectAhead is inject for the packet of a message that has just been posted to an idle NIC. Nobody else uses the NIC's way into
// the router, so all of it is known as soon as the credit is. Otherwise it returns false, and the NIC has to wait for its time.
func (b *Block) injectAhead(m *Message, n *nic) bool {
	if !b.early || b.observer != nil || b.sink != nil || n.paced || m.Size > b.payload {
		return false
	}
	out := b.lanes.at(b.nicLanes + uint32(m.Src)*b.vcs + n.vc)
	size := b.nextSize(n)
	flits := int32(size & flitMask)
	if out.credit < flits {
		return false
	}
	present := b.now
	b.now = n.next()
	out.credit -= flits
	if in := b.lanes.at(out.down); in.tail == in.head {
		b.restart(out, in, b.now, flits)
	}
	r := b.routers.at(b.hosts[b.hostOf(m.Src)])
	b.enter(r, n, size, out)
	if b.advance(r, uint32(m.Src), n) { // the endpoint has posted another one as this one was fetched
		b.arm(r, uint32(r.wakes)+uint32(m.Src)-r.nics, n.next())
	}
	b.now = present
	return true
}
