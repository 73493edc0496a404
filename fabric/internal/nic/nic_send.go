package nic

import (
	"math"
	"unsafe"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"

	"fabricast/internal/prefetch"
	"fabricast/routing"
)

// Senders is the sending side of a block's NICs: it moves messages from memory to the network.
type Senders struct {
	*core.Layout
	messages *core.MessageTable
	events   *core.EventWheel
	counters *core.Counters
	vcs      core.Array[core.VC]
	endpoint model.Endpoint
	// the endpoint, if it implements this
	Prefetcher model.Prefetcher
	routers    core.Array[core.Router]
	NICs       core.Array[Sender]
	Turns      *turns             // nil unless NICs choose messages packet by packet
	lanes      core.Array[Sender] // by NIC and class: what NICs have of each class; empty without classes
	shares     core.Shares        // of NICs among classes
	flitTime   int64
	uneven     bool
	divides    bool // latencies are divided by cause
	// the routing, if the fixed times of a route follow from the number of its links; else nil
	counting routing.Counting
	// see NICs.Log; sink is nil unless hops are reported
	sink   model.Sink
	block  int
	needs  func(n *Sender, size uint16) int32
	hops   bool // routers charge the fixed times of each hop
	Bursts bool // packets of a message may leave as a burst or a stream, without Send
}

// packetsOf returns the number of packets of a message.
func (s *Senders) packetsOf(m *model.Message) uint32 {
	if m.Size <= s.Payload {
		return 1
	}
	n := s.Spec.Packet.Count(m.Size)
	if n > math.MaxUint32 {
		panic(model.ErrLong)
	}
	return uint32(n)
}

// HostOf returns the host of a NIC.
func (s *Senders) HostOf(nic int32) int32 {
	if s.OneNIC { // a division would take as long as much of the rest
		return nic
	}
	return nic / int32(s.Spec.Graph.NICsPerHost)
}

// begin prepares the NIC to inject m, the head of its queue.
func (s *Senders) begin(router uint32, n *Sender, m *model.Message) {
	n.InjectLeft = m.Size
	n.Paced = s.GapOf(model.MsgID(n.Head), m) > 0
	s.aim(router, n, m)
}

// aim computes the route of the next packet of m, the head of the NIC's queue.
func (s *Senders) aim(router uint32, n *Sender, m *model.Message) {
	if s.OneRoute {
		index, route, entry := s.Enter(router, m.Src, m.Dst)
		n.Out, n.Route, n.VC = index, route, uint32(entry)
		if s.Classed {
			s.intoSet(n, m)
			return
		}
		s.vcs.At(s.FirstNICVC + uint32(m.Src)*s.NumVCs).Next = uint16(entry) // loader.loadVCs reads it
		return
	}
	header, entry := s.PerPacket.StartPacket(m.Src, m.Dst, routing.Coin(s.Spec.Seed, m.Src, n.Packets))
	n.VC = uint32(entry)
	s.vcs.At(s.FirstNICVC + uint32(m.Src)*s.NumVCs).Next = uint16(entry) // loader.loadVCs reads it
	n.Route = header
	if s.Spec.Adaptive == nil {
		n.Route, n.Out = s.Onward(router, header)
	}
	if s.Classed {
		s.intoSet(n, m)
	}
}

func (s *Senders) armNIC(nic int32, at int64) {
	r := s.routers.At(s.Hosts[s.HostOf(nic)])
	s.events.ArmNIC(r, uint32(r.Wakes)+uint32(nic)-r.FirstNIC, at)
}

// Fetch starts the transfers from memory for which the NIC has space: packet k may follow when
// packet k-2 has left.
func (s *Senders) Fetch(n *Sender) {
	for n.Fetched < 2 && n.Fetching != 0 {
		room := n.PrevTail
		if n.Fetched == 1 {
			room = n.LastTail
		}
		bytes := min(n.FetchLeft, s.Payload)
		s.Read(n, room, bytes)
		n.Ready[n.Fetched&1] = n.DmaEnd
		n.Fetched++
		if n.FetchLeft -= bytes; n.FetchLeft == 0 {
			s.fetchedAll(n)
		}
	}
}

// Read transfers the given number of bytes from memory to a NIC, not before the time room (ps).
func (s *Senders) Read(n *Sender, room, bytes int64) {
	start := max(n.DmaEnd, room)
	took := bytes * int64(s.DMA.PerByte)
	if s.DMA.PerByte == 0 {
		if start != n.DmaEnd {
			n.dmaPart = 0
		}
		took, n.dmaPart = s.DMA.Duration(bytes, n.dmaPart)
	}
	n.DmaEnd = start + took
}

// fetchedAll advances to the next message. It notifies the sender that its buffer is free from the
// end of the last transfer on.
func (s *Senders) fetchedAll(n *Sender) {
	m, end := s.messages.At(model.MsgID(n.Fetching)), n.DmaEnd
	s.fetchNext(n, m)
	s.endpoint.Fetched(s.HostOf(m.Src), m.Request, end)
}

// fetchNext makes the NIC fetch the message after m, if there is one.
func (s *Senders) fetchNext(n *Sender, m *model.Message) {
	n.Fetching = 0
	if m.Next != 0 {
		s.beginFetch(n, m.Next, s.messages.At(model.MsgID(m.Next)))
	}
}

// beginFetch makes the NIC fetch a message, from its time of posting on. It prefetches the
// following message, and the data that will change at the end of the transfer.
func (s *Senders) beginFetch(n *Sender, id uint32, m *model.Message) {
	if m.Next != 0 {
		prefetch.Line(unsafe.Pointer(s.messages.At(model.MsgID(m.Next))))
	}
	if s.Prefetcher != nil && m.Request != 0 {
		s.Prefetcher.PrefetchFetched(s.HostOf(m.Src), m.Request)
	}
	n.Fetching, n.FetchLeft = id, m.Size
	n.Known(m.Post + s.BusLatency)
}

// NextSize returns the size of the NIC's next packet in the form of core.Packet.Flits.
func (s *Senders) NextSize(n *Sender) uint16 {
	if n.InjectLeft > s.Payload {
		return uint16(s.MaxFlits)
	}
	return uint16(s.Flits(n.InjectLeft)) | core.LastPacket
}

// Send starts a packet's head on the NIC's link now, and returns the time (ps) at which its tail
// leaves.
func (s *Senders) Send(n *Sender, flits int64, link core.Rate) int64 {
	tail := s.events.Now + flits*s.flitTime
	free := tail
	if s.uneven || n.Paced {
		tail, free = s.occupy(n, flits*s.Spec.Packet.Flit, link)
	}
	if s.divides {
		s.charge(n, tail, free)
	}
	n.PrevTail, n.LastTail, n.Free = n.LastTail, tail, free
	n.Flits += uint64(flits)
	n.Packets++
	s.counters.Packets++
	s.counters.InjectSum += s.events.Now
	return tail
}
