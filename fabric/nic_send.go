package fabric

import (
	"math"
	"unsafe"

	"fabricast/internal/prefetch"
	"fabricast/routing"
)

// nicSenders is the sending side of a block's NICs: it moves messages from memory to the network.
type nicSenders struct {
	*layout
	messages *messageTable
	events   *eventWheel
	counters *counters
	lanes    array[lane]
	endpoint Endpoint
	// the endpoint, if it is one
	prefetcher Prefetcher
	routers    array[routerState]
	nics       array[nic]
	turns      *turns // nil unless NICs take turns among messages
	flitTime   int64
	uneven     bool
}

// packetsOf returns the number of packets of a message.
func (s *nicSenders) packetsOf(m *Message) uint32 {
	if m.Size <= s.payload {
		return 1
	}
	n := s.spec.Packet.Count(m.Size)
	if n > math.MaxUint32 {
		panic(errLong)
	}
	return uint32(n)
}

// hostOf returns the host that a NIC belongs to.
func (s *nicSenders) hostOf(nic int32) int32 {
	if s.oneNIC { // a division takes as long as much of the rest
		return nic
	}
	return nic / int32(s.spec.Graph.NICsPerHost)
}

// begin makes m, the head of the NIC's queue, the message that the NIC injects.
func (s *nicSenders) begin(router uint32, n *nic, m *Message) {
	n.injectLeft = m.Size
	n.paced = s.gapOf(MsgID(n.head), m) > 0
	s.aim(router, n, m)
}

// aim computes the route of the next packet of the NIC's head m.
func (s *nicSenders) aim(router uint32, n *nic, m *Message) {
	if s.oneRoute {
		slot, route, entry := s.enter(router, m.Src, m.Dst)
		n.out, n.route, n.vc = slot, route, uint32(entry)
		s.lanes.at(s.nicLanes + uint32(m.Src)*s.vcs).next = uint16(entry) // see loadLanes
		return
	}
	header, entry := s.perPacket.StartPacket(m.Src, m.Dst, routing.Coin(s.spec.Seed, m.Src, n.packets))
	n.vc = uint32(entry)
	s.lanes.at(s.nicLanes + uint32(m.Src)*s.vcs).next = uint16(entry) // see loadLanes
	n.route = header
	if s.spec.Adaptive == nil {
		n.route, n.out = s.onward(router, header)
	}
}

func (s *nicSenders) armNIC(nic int32, at int64) {
	r := s.routers.at(s.hosts[s.hostOf(nic)])
	s.events.armNIC(r, uint32(r.wakes)+uint32(nic)-r.nics, at)
}

// fetch starts the transfers from memory for which the NIC has room: packet k may follow when
// packet k-2 has left.
func (s *nicSenders) fetch(n *nic) {
	for n.fetched < 2 && n.fetching != 0 {
		room := n.prevTail
		if n.fetched == 1 {
			room = n.lastTail
		}
		bytes := min(n.fetchLeft, s.payload)
		s.read(n, room, bytes)
		n.ready[n.fetched&1] = n.dmaEnd
		n.fetched++
		if n.fetchLeft -= bytes; n.fetchLeft == 0 {
			s.fetchedAll(n)
		}
	}
}

// read transfers so many bytes from memory to a NIC, not before the time room (ps).
func (s *nicSenders) read(n *nic, room, bytes int64) {
	start := max(n.dmaEnd, room)
	took := bytes * int64(s.dma.perByte)
	if s.dma.perByte == 0 {
		if start != n.dmaEnd {
			n.dmaPart = 0
		}
		took, n.dmaPart = s.dma.duration(bytes, n.dmaPart)
	}
	n.dmaEnd = start + took
}

// fetchedAll advances to the next message. It informs the sender that its buffer is free from the
// end of the last transfer on.
func (s *nicSenders) fetchedAll(n *nic) {
	m, end := s.messages.at(MsgID(n.fetching)), n.dmaEnd
	s.fetchNext(n, m)
	s.endpoint.Fetched(s.hostOf(m.Src), m.Request, end)
}

// fetchNext makes the message after m the one that the NIC fetches, if there is one.
func (s *nicSenders) fetchNext(n *nic, m *Message) {
	n.fetching = 0
	if m.Next != 0 {
		s.beginFetch(n, m.Next, s.messages.at(MsgID(m.Next)))
	}
}

// beginFetch makes a message the one that the NIC fetches, from the time of its post on. The message
// behind it and what the end of its transfer will change are loaded into the cache meanwhile.
func (s *nicSenders) beginFetch(n *nic, id uint32, m *Message) {
	if m.Next != 0 {
		prefetch.Line(unsafe.Pointer(s.messages.at(MsgID(m.Next))))
	}
	if s.prefetcher != nil && m.Request != 0 {
		s.prefetcher.PrefetchFetched(s.hostOf(m.Src), m.Request)
	}
	n.fetching, n.fetchLeft = id, m.Size
	n.known(m.Post + s.busLatency)
}

// nextSize returns the size of the packet that the NIC sends next (flits, as in packet.flits).
func (s *nicSenders) nextSize(n *nic) uint16 {
	if n.injectLeft > s.payload {
		return uint16(s.maxFlits)
	}
	return uint16(s.flits(n.injectLeft)) | lastPacket
}

// send starts a packet's head on the NIC's link now, and returns when its tail leaves (ps).
func (s *nicSenders) send(n *nic, flits int64, link rate) int64 {
	tail := s.events.now + flits*s.flitTime
	free := tail
	if s.uneven || n.paced {
		tail, free = s.occupy(n, flits*s.spec.Packet.Flit, link)
	}
	n.prevTail, n.lastTail, n.free = n.lastTail, tail, free
	n.flits += uint64(flits)
	n.packets++
	s.counters.packets++
	s.counters.injectSum += s.events.now
	return tail
}
