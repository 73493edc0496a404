package model

import "fabricast/internal/units"

// Processor makes the processors of ranks take part in communication, as in LogGOPSim (Hoefler,
// Schneider and Lumsdaine, LSAP 2010); see docs/abstract-networks.md. A send costs the overhead and
// a time for each byte except the first. An arrived message costs the processor the same, or the
// time that the NIC needs for its bytes if that is longer. The cost is paid as soon as the
// processor is idle, whether or not the receive has been posted, so completing a receive costs
// nothing. A rank's own operations have priority over arrived messages.
type Processor struct {
	PerByte units.PerByte // O
	// Gap and NICPerByte apply to the receiving NIC: after a message it is busy for Gap (ps) plus
	// NICPerByte for each byte except the first; LogGP's g and G.
	Gap        units.Time
	NICPerByte units.PerByte
	// Synchronous makes messages larger than EagerUpTo wait for their receives. The send is
	// complete when the receiver's processor has taken the message and its receive is posted. The
	// sender learns this without delay, so all ranks must be in one block.
	Synchronous bool
	EagerUpTo   units.Bytes // bytes
}

// ChargedBytes returns the number of a message's bytes that are charged individually: all but the
// first.
func ChargedBytes(size int64) int64 { return max(0, size-1) }

// Sending returns the processor time of a send in addition to the overhead (ps).
func (p *Processor) Sending(size int64) int64 { return int64(p.PerByte.Of(ChargedBytes(size))) }

// Receiving returns the processor time of taking a message from the network in addition to the
// overhead (ps).
func (p *Processor) Receiving(size int64) int64 {
	return int64(max(p.PerByte, p.NICPerByte).Of(ChargedBytes(size)))
}
