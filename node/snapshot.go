package node

import (
	"errors"
	"fmt"

	"fabricast/node/internal/core"
	"fabricast/node/internal/journal"
	"fabricast/node/internal/model"

	"fabricast/internal/snapshot"
)

// State goes over all that changes in the block during a run. The network's block calls it. No
// window may be under way, and Saveable must have returned nil at the beginning of the run.
func (b *Block) State(v *snapshot.Visitor) {
	snapshot.Values(v, b.ranks)
	b.requests.State(v)
	b.stats.State(v)
	b.shared.Failure.State(v)
	snapshot.Values(v, b.times.By)
	snapshot.Values(v, b.outbox.Boxes)
	b.schedule.State(v)
	b.programs.state(v, b)
	b.matching.Unexpected.State(v)
	b.matching.Tables.State(v)
	b.order.State(v)
	b.watching.State(v)
	snapshot.Values(v, b.processors.Free)
	snapshot.List(v, &b.rendezvous.Postings)
	snapshot.Value(v, &b.rendezvous.Posts)
	snapshot.Values(v, b.peers.Known)
	snapshot.Values(v, b.peers.Count)
	b.rma.Puts.State(v)
	b.rma.Sums.State(v)
	if b.journal != nil {
		b.rma.LocksState(v)
	}
	if err := b.unsaved(); err != nil && !v.Restores() {
		v.Fail(err)
	}
}

// unsaved returns what has come into the block's state that no walk goes over; nil if nothing has.
func (b *Block) unsaved() error {
	switch {
	case len(b.outbox.Replies) > 0:
		return errors.New("a NIC has not handed over its answers")
	case b.journal != nil: // which tells of all else
	case len(b.requests.Buffers.Chunks) > 0:
		return errors.New("messages have contents")
	case b.rma.Regions != nil:
		return errors.New("memory is open to other ranks")
	}
	return nil
}

// state goes over the programs of the block's ranks.
func (p *programs) state(v *snapshot.Visitor, b *Block) {
	run := false
	for slot := range p.running {
		r := &b.ranks[slot]
		runs := v.Flag(p.running[slot] != nil)
		run = run || runs
		if b.journal != nil {
			if runs != (p.running[slot] != nil) {
				v.Fail(journal.ErrJournal)
			}
			continue
		}
		if !runs {
			p.running[slot] = nil
			if v.Fresh() && r.State == model.Exit {
				p.finishAgain(v, r)
			}
			continue
		}
		if p.running[slot] == nil {
			p.running[slot] = p.start(int(r.ID))
		}
		s, ok := p.running[slot].(Stateful)
		if !ok {
			v.Fail(fmt.Errorf("programs of the type %T keep state of their own", p.running[slot]))
			return
		}
		s.State(v)
		if placed, ok := s.(Placed); ok && v.Fresh() {
			placed.Restored(b.world)
		}
	}
	if !run && v.Restores() && b.journal == nil {
		p.start = b.world.launch(len(p.world.HostOf)) // what undone programs have shared is over, too
	}
	finished := p.finished.Load()
	snapshot.Value(v, &finished)
	p.finished.Store(finished)
}

// finishAgain leaves behind what the program of a rank has left that had ended before the run went
// on.
func (p *programs) finishAgain(v *snapshot.Visitor, r *core.Rank) {
	if f, ok := p.start(int(r.ID)).(Finisher); ok {
		if err := f.Finish(); err != nil {
			v.Fail(err)
		}
	}
}
