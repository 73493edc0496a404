package node

import (
	"fabricast/fabric"
	"fabricast/internal/units"
)

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

// more returns the number of a message's bytes that are charged one by one: all but the first.
func more(size int64) int64 { return max(0, size-1) }

// sending returns what a send costs the processor beyond the overhead (ps).
func (p *Processor) sending(size int64) int64 { return int64(p.PerByte.Of(more(size))) }

// receiving returns what taking a message from the network costs beyond the overhead (ps).
func (p *Processor) receiving(size int64) int64 {
	return int64(max(p.PerByte, p.NICPerByte).Of(more(size)))
}

// processors implements the Processor model for the ranks of a block.
type processors struct {
	world    *World
	clocks   *clocks
	schedule *schedule
	times    *waitTimes
	firstNIC int32
	free     []int64 // ps, by NIC: when it may take its next message; nil without Processor
}

func newProcessors(w *World, ranks []rank) processors {
	p := processors{world: w}
	if w.spec.Processor == nil || len(ranks) == 0 {
		return p
	}
	nics := int32(w.spec.NICsPerHost)
	first, last := ranks[0].host, ranks[len(ranks)-1].host
	p.firstNIC, p.free = first*nics, make([]int64, (last-first+1)*nics)
	return p
}

// takePart reports whether the processors of ranks take part in communication.
func (p *processors) takePart() bool { return p.free != nil }

// take makes the rank's processor take a message that has arrived from the network, now that NIC
// and processor are free. It returns when that ends (ps).
func (p *processors) take(r *rank, m *fabric.Message, source int32) (end int64) {
	if p.clocks.tracer != nil {
		p.clocks.tracer.takes(p.world.slot(r.id), m.Context, m.Tag, source)
	}
	spec := p.world.spec.Processor
	nic, since := &p.free[m.Dst-p.firstNIC], r.clock
	begin, end := p.occupy(r, max(arrival(m), *nic), spec.receiving(m.Size))
	if p.times.by != nil && begin > since {
		p.times.divideTaken(r, begin-since, begin-m.Sent)
	}
	*nic = begin + int64(spec.Gap) + int64(spec.NICPerByte.Of(more(m.Size)))
	return end
}

// takeLocal does what take does, for a message from the rank's own host. It returns when that ends
// (ps).
func (p *processors) takeLocal(r *rank, u *unexpected) int64 {
	if p.clocks.tracer != nil {
		p.clocks.tracer.takes(u.slot, u.context, u.tag, p.world.worldRank(u.context, u.source))
	}
	_, end := p.occupy(r, u.at, p.world.spec.Processor.sending(u.size))
	return end
}

// occupy makes the rank's processor spend the overhead and d ps, from the time `from` (ps) on or
// when it is free. The processor of a rank that has ended takes no time.
func (p *processors) occupy(r *rank, from, d int64) (begin, end int64) {
	d += int64(p.world.spec.Overhead)
	if r.state == Exit || r.state == failed {
		return from, from + d
	}
	p.clocks.advance(r, from)
	begin = r.clock
	p.clocks.charge(r, d)
	return begin, r.clock
}

// stillSending reports whether a rank that waits for sends has to go on waiting: until they are
// complete its processor takes messages that arrive.
func (p *processors) stillSending(r *rank) bool {
	if r.sendsDone <= p.schedule.now {
		return false
	}
	p.schedule.add(r, event{at: r.sendsDone, kind: recheck})
	return true
}

// present returns the time (ps) by which whatever ends the wait of a blocked rank must have
// arrived: the host's time, or the rank's clock if its processor is busy longer with arrived
// messages.
func (p *processors) present(r *rank) int64 {
	if !p.takePart() {
		return p.schedule.now
	}
	return max(p.schedule.now, r.clock)
}

// ByNIC reports whether a NIC handles a message, without the rank's processor.
func ByNIC(m *fabric.Message) bool { return !matched(kindOf(m)) }
