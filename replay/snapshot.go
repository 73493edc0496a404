package replay

import (
	"cmp"
	"fmt"
	"slices"

	"fabricast/internal/snapshot"
	"fabricast/mpi"
	"fabricast/node"
)

var _ mpi.SavedSteps = (*player)(nil)

// openRequest is a request that the rank has not waited for, with its ID in the trace.
type openRequest struct {
	ID      uint64
	Request node.Request
}

// State implements mpi.SavedSteps. It saves the number of trace records read, not the records. To
// restore the rank, it reads the trace again up to that record. A state that was saved in memory is
// restored from the tape, if the tape holds the required records.
func (p *player) State(v *snapshot.Visitor) {
	count := p.count
	snapshot.Value(v, &count)
	var list []openRequest
	for id, q := range p.open {
		list = append(list, openRequest{id, q})
	}
	slices.SortFunc(list, func(a, b openRequest) int { return cmp.Compare(a.ID, b.ID) })
	snapshot.List(v, &list)
	if !v.Restores() && v.InMemory() && p.tape == nil {
		p.tape = newTape(p)
	}
	if !v.Restores() || v.Err() != nil {
		return
	}
	p.open = nil
	for _, o := range list {
		p.keep(o.ID, o.Request)
	}
	p.job.goesOn(p.rank)
	if p.tape.rewind(p, count) {
		return
	}
	if err := p.skipTo(count); err != nil {
		v.Fail(err)
	}
}

// Restored implements mpi.SavedSteps. It assigns the context IDs of communicators, which deadlock
// reports need.
func (p *player) Restored(w *node.World) { p.groups.Settle(w) }

// skipTo reads the first count records of the trace again, without executing operations.
func (p *player) skipTo(count int64) error {
	p.stream, p.count, p.skipped, p.over, p.tape = nil, 0, nil, false, nil
	p.factor, p.factors = p.job.scale.compute(p.rank), nil
	for p.count < count {
		more, err := p.read()
		if err == nil && !more {
			err = fmt.Errorf("found %d records, expected the %d of the trace that was replayed", p.count, count)
		}
		if err != nil {
			return fmt.Errorf("rank %d: %w", p.rank, err)
		}
		p.pass()
	}
	return nil
}

// Finish implements mpi.SavedSteps. It reads the rest of the trace without executing operations,
// and adds the counts of omitted and corrected records to the report.
func (p *player) Finish() error {
	for {
		more, err := p.read()
		if err != nil {
			return fmt.Errorf("rank %d: %w", p.rank, err)
		}
		if !more {
			p.Stop()
			return nil
		}
		p.pass()
	}
}
