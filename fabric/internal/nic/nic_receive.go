package nic

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
)

// Receivers is the receiving side of a block's NICs: it moves packets into memory.
type Receivers struct {
	*core.Layout
	messages *core.MessageTable
	ahead    *core.Lookahead
	counters *core.Counters
	NICs     core.Array[Receiver]
	sink     model.Sink // nil unless latencies are divided by cause
	block    int
	divided  model.Divided // that the sink receives
	hops     bool          // routers charge the fixed times of each hop
	shared   bool          // NICs share I/O buses
	// Logs means that hops are reported. Via is then the VC of the packet that Move moves.
	Logs bool
	Via  uint32
}

// astray returns the error for a packet that has arrived at the wrong NIC. Its route was wrong, so
// no result of the run can be trusted.
func astray(m *model.Message, id int32) error {
	return model.Breach("a packet from NIC %d to NIC %d has arrived at NIC %d", m.Src, m.Dst, id)
}

// Move moves a packet, whose tail reaches the NIC at the time tail (ps), to memory. It returns the
// end of the transfer (ps), and whether the message is then complete in memory. It panics with a
// *Broken if the packet is for another NIC.
func (v *Receivers) Move(id int32, msg model.MsgID, flits uint16, tail int64) (end int64, all bool) {
	n := v.NICs.At(uint32(id))
	m := v.messages.At(msg)
	if m.Dst != id {
		panic(astray(m, id))
	}
	start := tail
	if tail <= n.end {
		start = n.end
	} else {
		n.part = 0
	}
	bytes := v.PayloadOf(m, flits)
	end = start + bytes*int64(v.DMA.PerByte)
	if v.DMA.PerByte == 0 {
		end, n.part = v.DMA.Duration(bytes, n.part)
		end += start
	}
	n.end = end
	v.counters.Delivered++
	v.counters.Bytes += uint64(bytes)
	v.counters.ArriveSum += end + v.BusLatency
	if m.Left--; m.Left == 0 {
		v.ahead.Over(msg, m.Size)
	}
	if v.sink != nil && !v.shared {
		v.divide(id, msg, m, flits, tail, start, end)
	}
	return end, m.Left == 0
}

// PayloadOf returns the payload in bytes of a message's packet of the given size. flits is as in
// core.Packet.
func (v *Receivers) PayloadOf(m *model.Message, flits uint16) int64 {
	if flits&core.LastPacket == 0 {
		return v.Payload
	}
	if m.Size <= v.Payload {
		return m.Size
	}
	return m.Size - (m.Size-1)/v.Payload*v.Payload
}

// Steady reports whether full packets whose tails reach a NIC from the time tail (ps) on, one every
// pace ps or a little more, do not wait for one another at the NIC.
func (v *Receivers) Steady(id int32, tail, pace int64) bool {
	return v.DMA.PerByte != 0 && v.Payload*int64(v.DMA.PerByte) <= pace && v.NICs.At(uint32(id)).end <= tail
}

// MoveStream is like Move for a number of full packets of a message, none of them its last. Their
// tails reach the NIC at the given times, and the NIC is Steady.
func (v *Receivers) MoveStream(id int32, msg model.MsgID, packets uint32, tails core.Times) {
	m := v.messages.At(msg)
	if m.Dst != id {
		panic(astray(m, id))
	}
	n, count := v.NICs.At(uint32(id)), int64(packets)
	ends := tails.After(v.Payload * int64(v.DMA.PerByte))
	n.end, n.part = ends.At(packets-1), 0
	v.counters.Delivered += uint64(count)
	v.counters.Bytes += uint64(count * v.Payload)
	v.counters.ArriveSum += ends.Total(packets) + count*v.BusLatency
	m.Left -= packets
}
