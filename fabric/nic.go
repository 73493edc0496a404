package fabric

import (
	"math/bits"

	"fabricast/routing"
)

// Post hands a message to its source NIC.
func (b *Block) Post(id MsgID) {
	m := b.Message(id)
	m.Route, m.VC = b.spec.Routing.Start(m.Src, m.Dst)
	m.Left = m.Size
	b.notice(m.Size)
	m.Next = uint32(NoMsg)
	n := b.nics.at(uint32(m.Src))
	if n.head == 0 {
		n.head = uint32(id)
		b.begin(b.hosts[m.Src/int32(b.spec.Graph.NICsPerHost)], n)
	} else {
		b.Message(MsgID(n.tail)).Next = uint32(id)
	}
	n.tail = uint32(id)
	if n.fetching == 0 {
		b.beginFetch(n, uint32(id))
		idle := n.fetched == 0
		b.fetch(n)
		if idle {
			b.armNIC(m.Src, max(n.ready[0], n.lastTail))
		}
	}
}

// notice looks whether a message's last packet is smaller than any before.
func (b *Block) notice(size int64) {
	rest := size % b.payload
	if rest == 0 && size > 0 {
		return
	}
	if flits := b.spec.Packet.Wire(rest) / b.spec.Packet.Flit; flits < b.smallest {
		b.smallest = 1 << (bits.Len64(uint64(flits)) - 1)
		b.lookahead = min(b.lookahead, b.windowFor(b.smallest))
	}
}

// begin makes the NIC's head the message that it injects.
func (b *Block) begin(router uint32, n *nic) {
	m := b.Message(MsgID(n.head))
	n.injectLeft = m.Size
	b.aim(router, n, m)
}

// aim finds the way of the next packet of the NIC's head m.
func (b *Block) aim(router uint32, n *nic, m *Message) {
	header, entry := m.Route, m.VC
	if b.random != nil {
		header, entry = b.random.StartPacket(m.Src, m.Dst, routing.Coin(b.spec.Seed, m.Src, n.packets))
	}
	n.vc = uint32(entry)
	port, vc, route := b.spec.Routing.Next(int32(router), header)
	n.out, n.route = port<<outVCBits|vc, route
}

func (b *Block) armNIC(nic int32, at int64) {
	router := b.hosts[nic/int32(b.spec.Graph.NICsPerHost)]
	lr := b.routers.at(router)
	b.arm(router, uint32(lr.nHosts)+uint32(nic)-lr.nics, at)
}

// fetch starts the transfers from memory for which the NIC has room: packet k
// may follow when packet k-2 has left.
func (b *Block) fetch(n *nic) {
	for n.fetched < 2 && n.fetching != 0 {
		room := n.prevTail
		if n.fetched == 1 {
			room = n.lastTail
		}
		start := max(n.dmaEnd, room, n.post)
		bytes := min(n.fetchLeft, b.payload)
		took := bytes * int64(b.dma.perByte)
		if b.dma.perByte == 0 {
			if start != n.dmaEnd {
				n.dmaPart = 0
			}
			took, n.dmaPart = b.dma.duration(bytes, n.dmaPart)
		}
		n.dmaEnd = start + took
		n.ready[n.fetched&1] = n.dmaEnd
		n.fetched++
		if n.fetchLeft -= bytes; n.fetchLeft == 0 {
			b.fetchedAll(n)
		}
	}
}

// fetchedAll goes on to the next message, and tells the sender that its buffer
// is free from the end of the last transfer on.
func (b *Block) fetchedAll(n *nic) {
	m := b.Message(MsgID(n.fetching))
	n.fetching = 0
	if m.Next != 0 {
		b.beginFetch(n, m.Next)
	}
	b.endpoint.Fetched(m.Src/int32(b.spec.Graph.NICsPerHost), m.Request, n.dmaEnd)
}

// beginFetch makes a message the one that is fetched.
func (b *Block) beginFetch(n *nic, id uint32) {
	m := b.Message(MsgID(id))
	n.fetching, n.fetchLeft, n.post = id, m.Size, m.Post
}

// inject sends the packet that the NIC has ready into its router's buffer.
func (b *Block) inject(router uint32, lr *routerLayout, local uint32) {
	id := lr.nics + local
	n := b.nics.at(id)
	vc := b.out.at(b.nicChannels + id*b.vcs + n.vc)
	size := uint16(b.maxFlits)
	if n.injectLeft <= b.payload {
		size = uint16(max(1, (n.injectLeft+b.spec.Packet.Header+b.spec.Packet.Flit-1)/b.spec.Packet.Flit)) | lastPacket
	}
	flits := int32(size & flitMask)
	if vc.credit < flits && !b.pull(vc, flits) {
		if at := b.creditTime(vc, flits); at != Forever {
			b.arm(router, uint32(lr.nHosts)+local, at)
		}
		return
	}
	vc.credit -= flits
	b.enter(router, id, n, size, vc)
	b.advance(router, uint32(lr.nHosts)+local, n)
}

// enter puts a packet on the way from the NIC to its router.
func (b *Block) enter(router, id uint32, n *nic, size uint16, vc *output) {
	flits := int64(size & flitMask)
	tail := b.now + flits*b.flitTime
	if b.uneven {
		if n.lastTail != b.now {
			n.linkPart = 0
		}
		var took int64
		took, n.linkPart = b.nicTx.duration(flits*b.spec.Packet.Flit, n.linkPart)
		tail = b.now + took
	}
	n.prevTail, n.lastTail = n.lastTail, tail
	n.flits += uint64(flits)
	n.packets++
	b.counters.packets++
	b.counters.injectSum += b.now
	b.push(router, vc.down, vc, packet{b.now + b.entry, n.route, MsgID(n.head), size, n.out}, uint32(tail-b.now))
}

// advance makes the NIC ready for its next packet.
func (b *Block) advance(router, timer uint32, n *nic) {
	n.ready[0] = n.ready[1]
	n.fetched--
	b.fetch(n)
	if n.injectLeft -= b.payload; n.injectLeft <= 0 {
		n.head = b.Message(MsgID(n.head)).Next
		if n.head == 0 {
			return
		}
		b.begin(router, n)
	} else if b.random != nil {
		b.aim(router, n, b.Message(MsgID(n.head)))
	}
	b.arm(router, timer, max(n.ready[0], n.lastTail))
}

// eject moves a packet that has started toward a NIC into the host's memory.
// All of it is known now: nobody else uses the NIC's receiving side.
func (b *Block) eject(lp *portLayout, p *packet, vc *output, leave int64) {
	n := b.nics.at(uint32(lp.nic()))
	class := b.classes.at(uint32(lp.class))
	m := b.Message(p.msg)
	start := leave + class.tail
	if start <= n.moveEnd {
		start = n.moveEnd
	} else {
		n.movePart = 0
	}
	bytes := b.payload
	if p.flits&lastPacket != 0 {
		bytes = m.Size - max(0, m.Size-1)/b.payload*b.payload
	}
	end := start + bytes*int64(b.dma.perByte)
	if b.dma.perByte == 0 {
		end, n.movePart = b.dma.duration(bytes, n.movePart)
		end += start
	}
	n.moveEnd = end
	b.counters.delivered++
	b.counters.bytes += uint64(bytes)
	b.counters.arriveSum += end
	if b.deepReceive {
		vc.credit += int32(p.flits & flitMask)
	} else {
		b.returnCredit(vc, p, end+class.credit)
	}
	if m.Left -= bytes; m.Left == 0 {
		b.endpoint.Delivered(lp.nic()/int32(b.spec.Graph.NICsPerHost), p.msg, end)
	}
}

// returnCredit notes that a packet's space in the NIC's receive buffer is
// known to be free at the time at.
func (b *Block) returnCredit(vc *output, p *packet, at int64) {
	b.leaveBehind(vc, at, p.flits&flitMask)
}
