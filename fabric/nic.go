package fabric

// nics are the NICs of a block's hosts, with what they share with its routers.
type nics struct {
	base
	send    nicSenders   // from memory to the network
	receive nicReceivers // from the network to memory
	bus     *ioBuses     // nil unless NICs share I/O buses
}

// begin makes the NICs of a block that runs. Its messages and its mail must be there. giveBack returns
// credit to the router of a NIC whose packet has crossed the I/O bus.
func (b *nics) begin(s *state, n *nicState, giveBack func(*creditMail)) {
	b.base.begin(s)
	b.send = nicSenders{
		layout: b.layout, messages: &b.messages, events: &b.events, counters: &b.counters, lanes: s.lanes,
		routers: b.routers, nics: n.nics, turns: newTurns(&b.spec, n.rotas),
		flitTime: b.flitTime, uneven: b.uneven,
	}
	b.receive = nicReceivers{
		layout: b.layout, messages: &b.messages, ahead: &b.ahead, counters: &b.counters, nics: n.receivers,
	}
	if n.buses != nil {
		b.bus = &ioBuses{
			busState: *n.buses, layout: b.layout, routers: b.routers, events: &b.events,
			send: &b.send, receive: &b.receive, giveBack: giveBack,
		}
	}
}

// post hands a message to its source NIC.
func (b *nics) post(id MsgID) {
	m := b.messages.at(id)
	n := b.send.nics.at(uint32(m.Src))
	if b.send.turns != nil {
		b.postTurn(id, m, n)
		return
	}
	m.Left = b.send.packetsOf(m)
	b.ahead.under(id, m.Size)
	m.Next = uint32(NoMsg)
	if n.head == 0 {
		n.head = uint32(id)
		b.send.begin(b.hosts[b.send.hostOf(m.Src)], n, m)
	} else {
		b.messages.at(MsgID(n.tail)).Next = uint32(id)
	}
	n.tail = uint32(id)
	if n.fetching == 0 {
		b.send.beginFetch(n, uint32(id), m)
		if b.bus != nil {
			b.bus.askToFetch(uint32(m.Src), n)
			return
		}
		idle := n.fetched == 0
		b.send.fetch(n)
		if idle {
			b.send.armNIC(m.Src, n.next())
		}
	}
}

// Reading implements Reader.
func (b *nics) Reading(host int32) bool {
	n := int32(b.spec.Graph.NICsPerHost)
	for nic := host * n; nic < (host+1)*n; nic++ {
		if b.send.nics.at(uint32(nic)).fetching != 0 {
			return true
		}
	}
	return false
}

// advance makes the NIC numbered id ready for its next packet. It reports whether that packet has
// been fetched and may go without waiting for the NIC's timer.
func (b *nics) advance(r *routerState, id uint32, n *nic) bool {
	n.ready[0] = n.ready[1]
	n.fetched--
	if b.send.turns != nil {
		b.advanceTurn(id, n)
		return false
	}
	if b.bus == nil {
		b.send.fetch(n)
	} else {
		b.bus.askToFetch(id, n)
	}
	if n.injectLeft -= b.payload; n.injectLeft <= 0 {
		n.head = b.messages.at(MsgID(n.head)).Next
		if n.head == 0 {
			return false
		}
		b.send.begin(r.number, n, b.messages.at(MsgID(n.head)))
	} else if b.perPacket != nil {
		b.send.aim(r.number, n, b.messages.at(MsgID(n.head)))
	}
	return n.fetched > 0
}

// wake calls the endpoint of a host whose timer is due, or starts a transfer of its bus.
func (b *nics) wake(r *routerState, timer uint32) {
	at := b.events.timers.at(r.timers + timer)
	if *at != b.events.now {
		return
	}
	*at = Forever
	*b.events.word(r, timer) &^= 1 << (timer & 63)
	if b.bus != nil && b.busTurn(r, timer) {
		return
	}
	b.endpoint.Wake(int32(r.hosts+timer), b.events.now)
}

// setEndpoint installs the endpoint of the block's hosts.
func (b *nics) setEndpoint(e Endpoint) {
	b.endpoint, b.send.endpoint, b.send.prefetcher = e, e, nil
	if b.bus == nil { // the timers of buses lie between those of hosts
		b.send.prefetcher, _ = e.(Prefetcher)
	}
}
