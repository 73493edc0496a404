package fabric

// Post hands a message to its source NIC.
func (b *Block) Post(id MsgID) {
	m := b.Message(id)
	m.Route, m.VC = b.spec.Routing.Start(m.Src, m.Dst)
	m.Left = m.Size
	m.Next = uint32(NoMsg)
	n := &b.nics[m.Src]
	if n.head == 0 {
		n.head = uint32(id)
		b.begin(n, m)
	} else {
		b.Message(MsgID(n.tail)).Next = uint32(id)
	}
	n.tail = uint32(id)
	if n.fetching == 0 {
		n.fetching = uint32(id)
		n.fetchLeft = m.Size
		idle := n.fetched == 0
		b.fetch(n)
		if idle {
			b.armNIC(m.Src, max(n.ready[0], n.lastTail))
		}
	}
}

// begin makes m the message that the NIC injects.
func (b *Block) begin(n *nic, m *Message) {
	n.injectLeft = m.Size
	n.route = m.Route
}

func (b *Block) armNIC(nic int32, at int64) {
	router := b.hosts[nic/int32(b.spec.Graph.NICsPerHost)]
	lr := &b.routers[router]
	b.arm(router, uint32(lr.nHosts)+uint32(nic)-lr.nics, at)
}

// fetch starts the transfers from memory for which the NIC has room: packet k
// may follow when packet k-2 has left.
func (b *Block) fetch(n *nic) {
	for n.fetched < 2 && n.fetching != 0 {
		m := b.Message(MsgID(n.fetching))
		room := n.prevTail
		if n.fetched == 1 {
			room = n.lastTail
		}
		start := max(n.dmaEnd, room, m.Post)
		if start != n.dmaEnd {
			n.dmaPart = 0
		}
		bytes := min(n.fetchLeft, b.payload)
		var took int64
		took, n.dmaPart = b.dma.duration(bytes, n.dmaPart)
		n.dmaEnd = start + took
		n.ready[n.fetched] = n.dmaEnd
		n.fetched++
		if n.fetchLeft -= bytes; n.fetchLeft == 0 {
			b.fetchedAll(n, m)
		}
	}
}

// fetchedAll goes on to the next message, and tells the sender that its buffer
// is free from the end of the last transfer on.
func (b *Block) fetchedAll(n *nic, m *Message) {
	n.fetching = m.Next
	if m.Next != 0 {
		n.fetchLeft = b.Message(MsgID(m.Next)).Size
	}
	b.endpoint.Fetched(m.Src/int32(b.spec.Graph.NICsPerHost), m.Request, n.dmaEnd)
}

// inject sends the packet that the NIC has ready into its router's buffer.
func (b *Block) inject(router uint32, lr *routerLayout, local uint32) {
	id := lr.nics + local
	n := &b.nics[id]
	msg := MsgID(n.head)
	m := b.Message(msg)
	vc := &b.out[b.nicChannels+id*b.vcs+uint32(m.VC)]
	bytes := min(n.injectLeft, b.payload)
	flits := (bytes + b.spec.Packet.Header + b.spec.Packet.Flit - 1) / b.spec.Packet.Flit
	flits = max(flits, 1)
	if vc.credit < int32(flits) && !b.pull(vc, int32(flits)) {
		vc.holder = 1
		if at := b.creditTime(vc, int32(flits)); at != Forever {
			b.arm(router, uint32(lr.nHosts)+local, at)
		}
		return
	}
	vc.holder = 0
	vc.credit -= int32(flits)
	p := packet{msg: msg, flits: uint16(flits)}
	n.injectLeft -= bytes
	if n.injectLeft == 0 {
		p.flits |= lastPacket
	}
	b.enter(router, id, n, &p, m.VC, vc)
	b.advance(router, uint32(lr.nHosts)+local, n, m)
}

// enter puts a packet on the way from the NIC to its router.
func (b *Block) enter(router, id uint32, n *nic, p *packet, vcNumber uint8, vc *output) {
	flits := int64(p.flits & flitMask)
	if n.lastTail != b.now {
		n.linkPart = 0
	}
	var took int64
	took, n.linkPart = b.nicTx.duration(flits*b.spec.Packet.Flit, n.linkPart)
	n.prevTail, n.lastTail = n.lastTail, b.now+took
	n.flits += uint64(flits)
	n.packets++
	b.counters.packets++
	b.counters.injectSum += b.now
	port, next, route := b.spec.Routing.Next(int32(router), n.route)
	p.out = port<<outVCBits | next
	p.route = route
	r := &b.spec.Router
	p.time = b.now + b.spec.Links[linkHost].Latency + r.Routing + r.VCAllocation + r.SwitchAllocation
	b.push(router, uint32(b.spec.Graph.NICPort[id])*b.vcs+uint32(vcNumber), vc, p, uint32(took))
}

// advance makes the NIC ready for its next packet.
func (b *Block) advance(router, timer uint32, n *nic, m *Message) {
	n.ready[0] = n.ready[1]
	n.fetched--
	b.fetch(n)
	if n.injectLeft == 0 {
		n.head = m.Next
		if n.head == 0 {
			return
		}
		b.begin(n, b.Message(MsgID(n.head)))
	}
	b.arm(router, timer, max(n.ready[0], n.lastTail))
}

// eject moves a packet that has started toward a NIC into the host's memory.
// All of it is known now: nobody else uses the NIC's receiving side.
func (b *Block) eject(lp *portLayout, class *linkLayout, p *packet, vc *output, leave int64) {
	n := &b.nics[lp.nic]
	m := b.Message(p.msg)
	arrived := leave + class.tail
	start := max(arrived, n.moveEnd)
	if start != n.moveEnd {
		n.movePart = 0
	}
	bytes := b.payload
	if p.flits&lastPacket != 0 && m.Size != 0 {
		bytes = m.Size - (m.Size-1)/b.payload*b.payload
	} else if m.Size == 0 {
		bytes = 0
	}
	var took int64
	took, n.movePart = b.dma.duration(bytes, n.movePart)
	n.moveEnd = start + took
	b.counters.delivered++
	b.counters.bytes += uint64(bytes)
	b.counters.arriveSum += n.moveEnd
	b.returnCredit(vc, p, n.moveEnd+class.credit)
	if m.Left -= bytes; m.Left == 0 {
		b.endpoint.Delivered(lp.nic/int32(b.spec.Graph.NICsPerHost), p.msg, n.moveEnd)
	}
}

// returnCredit notes that a packet's space in the NIC's receive buffer is
// known to be free at the time at.
func (b *Block) returnCredit(vc *output, p *packet, at int64) {
	in := &b.in[vc.down]
	if in.gone > gonePackets {
		b.reclaim(vc, in)
	}
	b.leaveBehind(in, at, p.flits&flitMask)
}
