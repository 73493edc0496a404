package fabric

import (
	"math"

	"fabricast/routing"
)

// Post hands a message to its source NIC.
func (b *Block) Post(id MsgID) {
	m := b.Message(id)
	n := b.nics.at(uint32(m.Src))
	if b.postAhead(id, m, n) {
		return
	}
	m.Left = b.packetsOf(m)
	b.under(m.Size)
	m.Next = uint32(NoMsg)
	if n.head == 0 {
		n.head = uint32(id)
		b.begin(b.hosts[b.hostOf(m.Src)], n, m)
	} else {
		b.Message(MsgID(n.tail)).Next = uint32(id)
	}
	n.tail = uint32(id)
	if n.fetching == 0 {
		b.beginFetch(n, uint32(id), m)
		if b.bus != nil {
			b.askToFetch(uint32(m.Src), n)
			return
		}
		idle := n.fetched == 0
		b.fetch(n)
		if idle {
			b.armNIC(m.Src, n.next())
		}
	}
}

// packetsOf is how many packets a message takes.
func (b *Block) packetsOf(m *Message) uint32 {
	if m.Size <= b.payload {
		return 1
	}
	n := b.spec.Packet.Count(m.Size)
	if n > math.MaxUint32 {
		panic(errLong)
	}
	return uint32(n)
}

// hostOf is the host that a NIC belongs to.
func (b *Block) hostOf(nic int32) int32 {
	if b.oneNIC { // a division takes as long as much of the rest
		return nic
	}
	return nic / int32(b.spec.Graph.NICsPerHost)
}

// begin makes the NIC's head, m, the message that it injects.
func (b *Block) begin(router uint32, n *nic, m *Message) {
	n.injectLeft = m.Size
	n.paced = b.gapOf(MsgID(n.head), m) > 0
	b.aim(router, n, m)
}

// aim finds the way of the next packet of the NIC's head m.
func (b *Block) aim(router uint32, n *nic, m *Message) {
	var header uint64
	var entry uint8
	if b.dor != nil && b.perPacket == nil && b.spec.Adaptive == nil {
		n.out, n.route, entry = b.dor.First(m.Src, m.Dst)
		n.vc = uint32(entry)
		b.lanes.at(b.nicLanes + uint32(m.Src)*b.vcs).next = uint16(entry) // see loadLanes
		return
	}
	if b.perPacket == nil {
		header, entry = b.spec.Routing.Start(m.Src, m.Dst)
	} else {
		header, entry = b.perPacket.StartPacket(m.Src, m.Dst, routing.Coin(b.spec.Seed, m.Src, n.packets))
	}
	n.vc = uint32(entry)
	b.lanes.at(b.nicLanes + uint32(m.Src)*b.vcs).next = uint16(entry) // see loadLanes
	n.route = header
	if b.spec.Adaptive == nil {
		n.route, n.out = b.next(router, header)
	}
}

func (b *Block) armNIC(nic int32, at int64) {
	r := b.routers.at(b.hosts[b.hostOf(nic)])
	b.arm(r, uint32(r.wakes)+uint32(nic)-r.nics, at)
}

// fetch starts the transfers from memory for which the NIC has room: packet k
// may follow when packet k-2 has left.
func (b *Block) fetch(n *nic) {
	for n.fetched < 2 && n.fetching != 0 {
		room := n.prevTail
		if n.fetched == 1 {
			room = n.lastTail
		}
		bytes := min(n.fetchLeft, b.payload)
		b.read(n, room, bytes)
		n.ready[n.fetched&1] = n.dmaEnd
		n.fetched++
		if n.fetchLeft -= bytes; n.fetchLeft == 0 {
			b.fetchedAll(n)
		}
	}
}

// read lets a NIC read so many bytes from memory, not before the time room.
func (b *Block) read(n *nic, room, bytes int64) {
	start := max(n.dmaEnd, room)
	took := bytes * int64(b.dma.perByte)
	if b.dma.perByte == 0 {
		if start != n.dmaEnd {
			n.dmaPart = 0
		}
		took, n.dmaPart = b.dma.duration(bytes, n.dmaPart)
	}
	n.dmaEnd = start + took
}

// fetchedAll goes on to the next message, and tells the sender that its buffer
// is free from the end of the last transfer on.
func (b *Block) fetchedAll(n *nic) {
	m, end := b.Message(MsgID(n.fetching)), n.dmaEnd
	b.fetchNext(n, m)
	b.endpoint.Fetched(b.hostOf(m.Src), m.Request, end)
}

// Reading implements Reader.
func (b *Block) Reading(host int32) bool {
	n := int32(b.spec.Graph.NICsPerHost)
	for nic := host * n; nic < (host+1)*n; nic++ {
		if b.nics.at(uint32(nic)).fetching != 0 {
			return true
		}
	}
	return false
}

// fetchNext makes the message after m the one that is fetched, if there is one.
func (b *Block) fetchNext(n *nic, m *Message) {
	n.fetching = 0
	if m.Next != 0 {
		b.beginFetch(n, m.Next, b.Message(MsgID(m.Next)))
	}
}

// beginFetch makes a message the one that is fetched, from its post on.
func (b *Block) beginFetch(n *nic, id uint32, m *Message) {
	n.fetching, n.fetchLeft = id, m.Size
	n.known(m.Post + b.busLatency)
}

// known lets a NIC fetch what comes next from a time on, when it knows of it.
func (n *nic) known(at int64) {
	if at > n.dmaEnd {
		n.dmaEnd, n.dmaPart = at, 0
	}
}

// inject sends the packet that a NIC of the visited router, given by its timer, has
// ready into the router's buffer, and those that follow in this window. Nobody else uses the
// NIC's way into the router, so what it sends is known ahead as far as its credit is.
func (b *Block) inject(r *routerState, timer uint32) {
	id := r.nics + timer - uint32(r.wakes)
	n := b.nics.at(id)
	for began := b.now; ; {
		out := b.lanes.at(b.nicLanes + id*b.vcs + n.vc)
		if b.streams && !n.paced && n.injectLeft > b.payload {
			if n.stalled && b.credited(out, int32(b.maxFlits)) {
				b.observer.unstallNIC(id, n)
			}
			if !b.stream(r, timer, n, out) {
				return
			}
		}
		size := b.nextSize(n)
		flits := int32(size & flitMask)
		if !b.credited(out, flits) {
			if b.now == began {
				if b.observer != nil {
					n.stalled = true
				}
				b.await(r, timer, out, flits)
			} else {
				b.arm(r, timer, b.now)
			}
			return
		}
		out.credit -= flits
		if in := b.lanes.at(out.down); in.tail == in.head {
			b.restart(out, in, b.now, flits)
		}
		if b.observer != nil {
			b.observer.injected(id, n, uint32(flits))
		}
		b.enter(r, n, size, out)
		if !b.advance(r, id, n) {
			return
		}
		if b.now = n.next(); b.now >= b.calendar.end {
			b.arm(r, timer, b.now)
			return
		}
	}
}

// nextSize is the size of the packet that the NIC sends next, as in packet.flits.
func (b *Block) nextSize(n *nic) uint16 {
	if n.injectLeft > b.payload {
		return uint16(b.maxFlits)
	}
	return uint16(b.flits(n.injectLeft)) | lastPacket
}

// await lets a NIC that has not enough credit try again when it has.
func (b *Block) await(r *routerState, timer uint32, out *lane, flits int32) {
	if at := b.creditTime(out, flits); at != Forever {
		b.arm(r, timer, at)
	}
}

// enter puts a packet on the way from the NIC to its router.
func (b *Block) enter(r *routerState, n *nic, size uint16, out *lane) {
	tail := b.send(n, int64(size&flitMask))
	in := b.lanes.at(out.down)
	place := b.add(out, in)
	p := b.pool.packets.at(place)
	p.time = b.now + b.entry
	p.route, p.msg, p.flits, p.out = n.route, MsgID(n.head), size, n.out
	if b.uneven {
		*b.pool.spans.at(place) = uint32(tail - b.now)
	}
	if in.tail-in.head == 1 {
		b.startAsking(r.number, out.down, in, p)
	}
}

// send lets a packet's head leave the NIC now, and returns when its tail leaves.
func (b *Block) send(n *nic, flits int64) int64 {
	tail := b.now + flits*b.flitTime
	free := tail
	if b.uneven || n.paced {
		tail, free = b.occupy(n, flits*b.spec.Packet.Flit)
	}
	n.prevTail, n.lastTail, n.free = n.lastTail, tail, free
	n.flits += uint64(flits)
	n.packets++
	b.counters.packets++
	b.counters.injectSum += b.now
	return tail
}

// advance makes a NIC, given by its number too, ready for its next packet, and tells whether
// that has been fetched.
func (b *Block) advance(r *routerState, id uint32, n *nic) bool {
	n.ready[0] = n.ready[1]
	n.fetched--
	if b.bus == nil {
		b.fetch(n)
	} else {
		b.askToFetch(id, n)
	}
	if n.injectLeft -= b.payload; n.injectLeft <= 0 {
		n.head = b.Message(MsgID(n.head)).Next
		if n.head == 0 {
			return false
		}
		b.begin(r.number, n, b.Message(MsgID(n.head)))
	} else if b.perPacket != nil {
		b.aim(r.number, n, b.Message(MsgID(n.head)))
	}
	return n.fetched > 0
}

// eject moves a packet that has started toward a NIC into the host's memory.
// All of it is known now, as nobody else uses the NIC's receiving side, unless it shares an I/O bus.
func (b *Block) eject(out *lane, p *packet, leave int64) {
	id := ^out.router
	class := b.classes.at(uint32(out.class))
	if b.bus != nil {
		b.askToMove(uint32(id), arrival{tail: leave + class.tail, msg: p.msg, flits: p.flits, vc: p.out % uint16(b.vcs)})
		return
	}
	end, all := b.move(id, p.msg, p.flits, leave+class.tail)
	if b.deepReceive {
		out.credit += int32(p.flits & flitMask)
	} else {
		b.leaveBehind(out, end+class.credit, p.flits&flitMask)
	}
	if all {
		b.endpoint.Delivered(b.hostOf(id), p.msg, end+b.busLatency)
	}
}

// move moves a packet, whose tail is at the NIC at the time tail, to memory; it
// returns when that ends, and whether the message is there in full.
func (b *Block) move(id int32, msg MsgID, flits uint16, tail int64) (end int64, all bool) {
	n := b.nics.at(uint32(id))
	m := b.Message(msg)
	if tail <= n.moveEnd {
		tail = n.moveEnd
	} else {
		n.movePart = 0
	}
	bytes := b.payloadOf(m, flits)
	end = tail + bytes*int64(b.dma.perByte)
	if b.dma.perByte == 0 {
		end, n.movePart = b.dma.duration(bytes, n.movePart)
		end += tail
	}
	n.moveEnd = end
	b.counters.delivered++
	b.counters.bytes += uint64(bytes)
	b.counters.arriveSum += end + b.busLatency
	if m.Left--; m.Left == 0 {
		b.over(msg, m.Size)
	}
	return end, m.Left == 0
}

// payloadOf is how many bytes of a message are in a packet of it.
func (b *Block) payloadOf(m *Message, flits uint16) int64 {
	if flits&lastPacket == 0 {
		return b.payload
	}
	if m.Size <= b.payload {
		return m.Size
	}
	return m.Size - (m.Size-1)/b.payload*b.payload
}
