package schedule

import (
	"fabricast/fabric"
	"fabricast/node/internal/core"
	"fabricast/node/internal/model"
	"fabricast/node/internal/observe"
)

// Processors implements the Processor model for the ranks of a block.
type Processors struct {
	world    *core.Shared
	Clocks   *Clocks
	Schedule *Schedule
	Times    *observe.WaitTimes
	FirstNIC int32
	Free     []int64 // ps, by NIC: when it can take its next message; nil without a Processor
}

func NewProcessors(w *core.Shared, ranks []core.Rank) Processors {
	p := Processors{world: w}
	if w.Spec.Processor == nil || len(ranks) == 0 {
		return p
	}
	nics := int32(w.Spec.NICsPerHost)
	first, last := ranks[0].Host, ranks[len(ranks)-1].Host
	p.FirstNIC, p.Free = first*nics, make([]int64, (last-first+1)*nics)
	return p
}

// TakePart reports whether the processors of ranks take part in communication.
func (p *Processors) TakePart() bool { return p.Free != nil }

// Take makes the rank's processor take a message that has arrived from the network. NIC and
// processor must be free. It returns the time (ps) at which this ends.
func (p *Processors) Take(r *core.Rank, m *fabric.Message, source int32) (end int64) {
	if p.Clocks.Tracer != nil {
		p.Clocks.Tracer.Takes(p.world.Slot(r.ID), m.Context, m.Tag, source)
	}
	spec := p.world.Spec.Processor
	nic, since := &p.Free[m.Dst-p.FirstNIC], r.Clock
	overhead := p.Clocks.Overhead(m.Context, m.Tag)
	begin, end := p.occupy(r, max(core.Arrival(m), *nic), overhead+spec.Receiving(m.Size))
	if p.Times.By != nil && begin > since {
		p.Times.DivideTaken(r, begin-since, begin-m.Sent)
	}
	*nic = begin + int64(spec.Gap) + int64(spec.NICPerByte.Of(model.ChargedBytes(m.Size)))
	return end
}

// TakeLocal is like Take for a message from the rank's own host.
func (p *Processors) TakeLocal(r *core.Rank, u *core.Unexpected) int64 {
	if p.Clocks.Tracer != nil {
		p.Clocks.Tracer.Takes(u.Slot, u.Context, u.Tag, p.world.Communicators.WorldRank(u.Context, u.Source))
	}
	overhead := p.Clocks.Overhead(u.Context, u.Tag)
	_, end := p.occupy(r, u.At, overhead+p.world.Spec.Processor.Sending(u.Size))
	return end
}

// occupy occupies the rank's processor for d ps, from time `from` (ps) or when it becomes free. The
// processor of a rank that has ended takes no time.
func (p *Processors) occupy(r *core.Rank, from, d int64) (begin, end int64) {
	if r.State == model.Exit || r.State == model.Failed {
		return from, from + d
	}
	p.Clocks.Tracer.TakesArriving(from)
	p.Clocks.Advance(r, from)
	begin = r.Clock
	p.Clocks.Charge(r, d)
	return begin, r.Clock
}

// StillSending reports whether a rank that waits for sends has to wait longer. Until the sends are
// complete, its processor takes messages that arrive.
func (p *Processors) StillSending(r *core.Rank) bool {
	if r.SendsDone <= p.Schedule.Now {
		return false
	}
	p.Schedule.Add(r, Event{At: r.SendsDone, Kind: Recheck})
	return true
}

// Present returns the latest time (ps) at which a message may have arrived to end the wait of a
// blocked rank now: the host's time, or the rank's clock if its processor is busy longer with
// arrived messages.
func (p *Processors) Present(r *core.Rank) int64 {
	if !p.TakePart() {
		return p.Schedule.Now
	}
	return max(p.Schedule.Now, r.Clock)
}
