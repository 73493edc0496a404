package fabric

// nicReceivers is the receiving side of a block's NICs: it moves packets into memory.
type nicReceivers struct {
	*layout
	messages *messageTable
	ahead    *lookahead
	counters *counters
	nics     array[receiver]
}

// astray returns the error of a packet that has arrived at a NIC that is not its own. Routes were
// wrong, and no figure of the run would be right.
func astray(m *Message, id int32) error {
	return broken("a packet from NIC %d to NIC %d has arrived at NIC %d", m.Src, m.Dst, id)
}

// move moves a packet, whose tail reaches the NIC at the time tail (ps), to memory. It returns when
// the transfer ends (ps), and whether the message is complete in memory. It panics with a *Broken if
// the packet is for another NIC.
func (v *nicReceivers) move(id int32, msg MsgID, flits uint16, tail int64) (end int64, all bool) {
	n := v.nics.at(uint32(id))
	m := v.messages.at(msg)
	if m.Dst != id {
		panic(astray(m, id))
	}
	if tail <= n.end {
		tail = n.end
	} else {
		n.part = 0
	}
	bytes := v.payloadOf(m, flits)
	end = tail + bytes*int64(v.dma.perByte)
	if v.dma.perByte == 0 {
		end, n.part = v.dma.duration(bytes, n.part)
		end += tail
	}
	n.end = end
	v.counters.delivered++
	v.counters.bytes += uint64(bytes)
	v.counters.arriveSum += end + v.busLatency
	if m.Left--; m.Left == 0 {
		v.ahead.over(msg, m.Size)
	}
	return end, m.Left == 0
}

// payloadOf returns how many bytes of payload a message's packet of so many flits carries.
func (v *nicReceivers) payloadOf(m *Message, flits uint16) int64 {
	if flits&lastPacket == 0 {
		return v.payload
	}
	if m.Size <= v.payload {
		return m.Size
	}
	return m.Size - (m.Size-1)/v.payload*v.payload
}
