package nic

import (
	"math"

	"fabricast/fabric/internal/core"
)

// mostFlits limits a stream, so that its flits can be counted in 32 bits.
const mostFlits = math.MaxInt32 / 4

// Injected describes packets that a NIC has injected as a stream.
type Injected struct {
	core.Times           // when they start
	Full       int64     // time that each one takes on the link (ps), at least
	AtOnce     bool      // they follow one another at once, and so take a ps more now and then
	Count      uint32    // their number
	Link       core.Rate // rate of the link
}

// tail returns the time (ps) at which the tail of packet i leaves.
func (x *Injected) tail(i uint32) int64 {
	if x.AtOnce {
		return x.At(i + 1)
	}
	return x.At(i) + x.Full
}

// Steady returns the times at which a NIC that injects a packet now can inject the following ones as far as
// memory and its link allow, and the number of full packets to which this applies. The first `steady` of them
// let the NIC fetch another full packet that is not its message's last.
func (s *Senders) Steady(n *Sender, now int64, link core.Rate) (x Injected, steady, packets uint32) {
	if s.DMA.PerByte == 0 || n.Fetched != 2 || n.Fetching != n.Head || n.DmaEnd != n.Ready[1] {
		return x, 0, 0
	}
	part := n.LinkPart
	if n.Free != now {
		part = 0
	}
	rate, ok := link.Rhythm(s.fullBytes(), part)
	fetch := s.Payload * int64(s.DMA.PerByte)
	x = Injected{Times: core.Times{First: now, Rhythm: rate}, Full: rate.Step, AtOnce: rate.Per != 0}
	switch {
	case !ok:
		return x, 0, 0
	case fetch <= rate.Step && n.Ready[1] <= now+rate.Step:
	case fetch > rate.Step && n.Ready[1] == now+fetch && rate.Multiple(1) == rate.Step:
		x.Rhythm, x.AtOnce = core.Rhythm{Step: fetch}, false // the link is idle in between
	default:
		return x, 0, 0
	}
	steady, packets = s.fullLeft(n)
	return x, steady, packets
}

// Waiting is like Steady for a NIC that waits for credit, which comes every pace ps, and longer than
// for memory and its link. It returns 0 if that is not so.
func (s *Senders) Waiting(n *Sender, now, pace int64, link core.Rate) (steady, packets uint32) {
	full, rest := link.Duration(s.fullBytes(), 0)
	fetch := s.Payload * int64(s.DMA.PerByte)
	if s.DMA.PerByte == 0 || n.Fetched != 2 || n.Fetching != n.Head || n.DmaEnd != n.Ready[1] ||
		n.Ready[1] > now+full || pace <= max(full, fetch) || rest != 0 && n.Free == now && n.LinkPart != 0 {
		return 0, 0
	}
	return s.fullLeft(n)
}

// fullLeft returns how many full packets a NIC has left that may be a stream, see Steady.
func (s *Senders) fullLeft(n *Sender) (steady, packets uint32) {
	most := mostFlits / s.MaxFlits
	if more := (n.FetchLeft - 1) / s.Payload; more <= most {
		return uint32(more), uint32(more) + 2 // without the last packet
	}
	return uint32(most), uint32(most)
}

// fullBytes returns the size of a full packet in bytes.
func (s *Senders) fullBytes() int64 { return s.MaxFlits * s.Spec.Packet.Flit }

// StepStream makes the state of a NIC that after the injection now of a full packet that is not its
// message's last. CountStream counts the packet.
func (s *Senders) StepStream(n *Sender, link core.Rate) {
	tail, free := s.occupy(n, s.fullBytes(), link)
	n.PrevTail, n.LastTail, n.Free = n.LastTail, tail, free
	n.Ready[0] = n.Ready[1]
	n.Fetched--
	n.InjectLeft -= s.Payload
	s.Fetch(n)
}

// CountStream counts packets that a NIC has injected as a stream. sum is the sum of the times (ps).
func (s *Senders) CountStream(nic uint32, packets, flits uint64, sum int64) {
	n := s.NICs.At(nic)
	n.Flits += flits
	n.Packets += packets
	s.counters.Packets += packets
	s.counters.InjectSum += sum
}

// EndStream makes the state of a NIC that after the injection of a stream, when it was Steady.
func (s *Senders) EndStream(n *Sender, x Injected) {
	if x.Count == 0 {
		return
	}
	follow := uint32(1) // packets that follow one another at once
	if x.AtOnce {
		follow = x.Count
	}
	if n.Free != x.First || x.Step > x.Full && x.Count > 1 && !x.AtOnce {
		n.LinkPart = 0
	}
	n.LinkPart = x.Link.Left(s.fullBytes(), follow, n.LinkPart)
	last, fetch := x.At(x.Count-1), s.Payload*int64(s.DMA.PerByte)
	if x.Count == 1 {
		n.PrevTail = n.LastTail
	} else {
		n.PrevTail = x.tail(x.Count - 2)
	}
	n.LastTail = x.tail(x.Count - 1)
	n.Free = n.LastTail
	if fetch > x.Full && x.Per == 0 && x.Step == fetch { // fetching is the bottleneck
		n.Ready = [2]int64{last + fetch, last + 2*fetch}
	} else {
		n.Ready[0] = n.Ready[1]
		if x.Count > 1 {
			n.Ready[0] = n.PrevTail + fetch
		}
		n.Ready[1] = n.LastTail + fetch
	}
	n.DmaEnd = n.Ready[1]
	n.InjectLeft -= int64(x.Count) * s.Payload
	n.FetchLeft -= int64(x.Count) * s.Payload
}
