package node

import (
	"sync/atomic"

	"fabricast/internal/units"
)

// programs holds the programs of a block's ranks, from their start to their end or failure, and
// checks accesses to the buffers that they have given for contents.
type programs struct {
	world    *World
	schedule *schedule // tells when errors come up
	start    func(rank int) Program
	running  []Program    // by slot; nil before the start and after the end
	finished atomic.Int64 // how many have ended
}

// exit ends a rank whose program has ended.
func (p *programs) exit(r *rank) {
	r.state = Exit
	p.running[p.world.slot(r.id)] = nil
	p.finished.Add(1)
}

// drop releases the program of a rank that will not be resumed.
func (p *programs) drop(r *rank) {
	slot := p.world.slot(r.id)
	if s, ok := p.running[slot].(Stopper); ok {
		s.Stop()
	}
	p.running[slot] = nil
}

// fail ends a rank with an error at the time `at` of its clock (ps).
//
// Of several errors, the one at the earliest time of its host counts. The other ranks go on until
// the caller that runs the blocks looks at Failed. Host times never decrease, so no later error can
// become the first.
func (p *programs) fail(r *rank, at int64, err error) {
	r.state = failed
	p.drop(r)
	p.report(r.id, at, err)
}

// report makes an error the error of the run if it is the first.
func (p *programs) report(rank int32, at int64, err error) {
	f := &p.world.failure
	f.Lock()
	defer f.Unlock()
	if f.first == nil || p.schedule.now < f.found || p.schedule.now == f.found && int(rank) < f.first.Rank {
		f.first, f.found = &RankError{Rank: int(rank), Time: units.Time(at), Err: err}, p.schedule.now
	}
	f.any.Store(true)
}

// doing returns the name of the function that a rank's program is in, if the program is a Doer.
func (p *programs) doing(r *rank) string {
	if d, ok := p.running[p.world.slot(r.id)].(Doer); ok {
		return d.Doing()
	}
	return ""
}

// failure returns the error for a program that has panicked.
func (p *programs) failure(r *rank, panicked any) error {
	if address, ok := faultAddress(panicked); ok {
		return &MemoryError{Rank: int(r.id), Call: p.doing(r), Address: address}
	}
	return NewPanicError(panicked)
}
