package model

import "fabricast/internal/units"

// Processor makes the processors of ranks take part in communication, as in LogGOPSim (Hoefler,
// Schneider and Lumsdaine, LSAP 2010); see docs/abstract-networks.md. A send costs the overhead and
// a time for each byte but the first. An arrived message costs the processor the same, or the time
// of its bytes at the NIC if that is longer. The cost is paid as soon as the processor is idle,
// whether or not the receive has been posted, so completing a receive costs nothing. A rank's own
// operations precede arrived messages.
type Processor struct {
	PerByte units.PerByte // O
	// of the NIC that a message arrives at: after a message it is busy for Gap (ps) plus NICPerByte
	// for each byte but the first; LogGP's g and G
	Gap        units.Time
	NICPerByte units.PerByte
	// Synchronous makes messages larger than EagerUpTo wait for their receives. The send is
	// complete when the message has been taken and its receive posted. The sender knows it at that
	// instant, so all ranks must be in one block.
	Synchronous bool
	EagerUpTo   units.Bytes // bytes
}

// ChargedBytes returns the number of a message's bytes that are charged one by one: all but the first.
func ChargedBytes(size int64) int64 { return max(0, size-1) }

// Sending returns what a send costs the processor beyond the overhead (ps).
func (p *Processor) Sending(size int64) int64 { return int64(p.PerByte.Of(ChargedBytes(size))) }

// Receiving returns what taking a message from the network costs beyond the overhead (ps).
func (p *Processor) Receiving(size int64) int64 {
	return int64(max(p.PerByte, p.NICPerByte).Of(ChargedBytes(size)))
}
