package node

import "sync/atomic"

// programs holds the programs of a block's ranks, from their start to their end or failure.
type programs struct {
	world    *shared
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

// drop implements runningPrograms.
func (p *programs) drop(r *rank) {
	slot := p.world.slot(r.id)
	if s, ok := p.running[slot].(Stopper); ok {
		s.Stop()
	}
	p.running[slot] = nil
}

// doing implements runningPrograms.
func (p *programs) doing(r *rank) string {
	if d, ok := p.running[p.world.slot(r.id)].(Doer); ok {
		return d.Doing()
	}
	return ""
}
