package node

import (
	"fabricast/fabric"
)

// processors implements the Processor model for the ranks of a block.
type processors struct {
	world    *shared
	clocks   *clocks
	schedule *schedule
	times    *waitTimes
	firstNIC int32
	free     []int64 // ps, by NIC: when it may take its next message; nil without Processor
}

func newProcessors(w *shared, ranks []rank) processors {
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
		p.clocks.tracer.takes(u.slot, u.context, u.tag, p.world.communicators.worldRank(u.context, u.source))
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
