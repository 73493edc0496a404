package node

import (
	"sync/atomic"

	"fabricast/node/internal/core"
	"fabricast/node/internal/model"
)

// programs holds the programs of a block's ranks, from their start to their end or failure.
type programs struct {
	world    *core.Shared
	start    func(rank int) Program
	running  []Program    // by slot; nil before the start and after the end
	finished atomic.Int64 // how many have ended
}

// exit ends a rank whose program has ended.
func (p *programs) exit(r *core.Rank) {
	r.State = model.Exit
	p.running[p.world.Slot(r.Id)] = nil
	p.finished.Add(1)
}

// Drop implements runningPrograms.
func (p *programs) Drop(r *core.Rank) {
	slot := p.world.Slot(r.Id)
	if s, ok := p.running[slot].(Stopper); ok {
		s.Stop()
	}
	p.running[slot] = nil
}

// Doing implements runningPrograms.
func (p *programs) Doing(r *core.Rank) string {
	if d, ok := p.running[p.world.Slot(r.Id)].(Doer); ok {
		return d.Doing()
	}
	return ""
}
