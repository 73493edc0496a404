package nic

import "math"

// mostFlits limits a stream, so that its flits can be counted in 32 bits.
const mostFlits = math.MaxInt32 / 4

// Steady returns the interval (ps) at which a NIC that injects a packet now can inject the following
// ones as far as memory and its link allow, and the number of full packets to which this applies. The
// first `steady` of them let the NIC fetch another full packet that is not its message's last. A full
// packet takes `full` ps on the link.
func (s *Senders) Steady(n *Sender, now, full int64) (pace int64, steady, packets uint32) {
	if s.DMA.PerByte == 0 || n.Fetched != 2 || n.Fetching != n.Head || n.DmaEnd != n.Ready[1] {
		return 0, 0, 0
	}
	fetch := s.Payload * int64(s.DMA.PerByte)
	switch {
	case fetch <= full && n.Ready[1] <= now+full:
		pace = full
	case fetch > full && n.Ready[1] == now+fetch:
		pace = fetch
	default:
		return 0, 0, 0
	}
	most := mostFlits / s.MaxFlits
	if more := (n.FetchLeft - 1) / s.Payload; more <= most {
		return pace, uint32(more), uint32(more) + 2 // without the last packet
	}
	return pace, uint32(most), uint32(most)
}

// StepStream makes the state of a NIC that after the injection now of a full packet that is not its
// message's last. CountStream counts the packet.
func (s *Senders) StepStream(n *Sender, full int64) {
	n.PrevTail, n.LastTail, n.Free = n.LastTail, s.events.Now+full, s.events.Now+full
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

// EndStream makes the state of a NIC that after the injection of `count` packets from the time start
// on, one every pace ps, when it was Steady. A full packet takes `full` ps on the link.
func (s *Senders) EndStream(n *Sender, start, pace, count, full int64) {
	if count == 0 {
		return
	}
	last, fetch := start+(count-1)*pace, s.Payload*int64(s.DMA.PerByte)
	if count == 1 {
		n.PrevTail = n.LastTail
	} else {
		n.PrevTail = last - pace + full
	}
	n.LastTail, n.Free = last+full, last+full
	if fetch > full { // fetching is the bottleneck
		n.Ready = [2]int64{last + pace, last + 2*pace}
	} else {
		n.Ready[0] = n.Ready[1]
		if count > 1 {
			n.Ready[0] = n.PrevTail + fetch
		}
		n.Ready[1] = n.LastTail + fetch
	}
	n.DmaEnd = n.Ready[1]
	n.InjectLeft -= count * s.Payload
	n.FetchLeft -= count * s.Payload
}
