package replay

import (
	"errors"
	"fmt"
	"io"

	"fabricast/internal/snapshot"
	"fabricast/node"
	"fabricast/trace"
)

var (
	_ node.Stateful = (*actor)(nil)
	_ node.Placed   = (*actor)(nil)
	_ node.Finisher = (*actor)(nil)

	_ node.Stateful = (*scheduled)(nil)
	_ node.Placed   = (*scheduled)(nil)
	_ node.Finisher = (*scheduled)(nil)
)

// State implements node.Stateful. Of the trace only the number of tasks read is saved. To restore
// the rank, they are read again. The state shared by the ranks of a block is saved with the first
// rank that has not ended.
func (a *actor) State(v *snapshot.Visitor) {
	if v.Flag(a.first() == a) {
		a.crew.state(v)
	}
	snapshot.Value(v, &a.slot)
	snapshot.List(v, &a.near)
	for _, n := range []*int{&a.live, &a.named, &a.unstarted, &a.open, &a.waits, &a.turn} {
		snapshot.Value(v, n)
	}
	for _, n := range []*int64{&a.number, &a.furthest, &a.looked} {
		snapshot.Value(v, n)
	}
	for _, n := range []*uint32{&a.current, &a.lanesUsed, &a.groupsSeen} {
		snapshot.Value(v, n)
	}
	for _, is := range []*bool{&a.several, &a.inTurns, &a.read, &a.cut, &a.over} {
		*is = v.Flag(*is)
	}
	snapshot.Value(v, &a.ready)
	snapshot.Value(v, &a.asked)
	begun := v.Flag(a.stream != nil)
	if !v.Restores() || v.Err() != nil {
		return
	}
	a.stream, a.skipped = nil, nil
	if begun || a.read {
		if err := a.readAgain(); err != nil {
			v.Fail(err)
		}
	}
}

// first returns the first rank of the crew that has not ended; nil if there is none.
func (c *crew) first() *actor {
	for len(c.actors) > 0 && c.actors[0].gone {
		c.actors = c.actors[1:]
	}
	if len(c.actors) == 0 {
		return nil
	}
	return c.actors[0]
}

// state goes over what the ranks of a block share.
func (c *crew) state(v *snapshot.Visitor) {
	c.flows.State(v)
	c.tasks.state(v)
	c.rests.state(v)
	c.edges.state(v)
	c.leaving.state(v)
	c.blocks.state(v)
	c.lanes.state(v)
	c.latest.state(v)
	snapshot.List(v, &c.index.places)
	snapshot.Value(v, &c.index.count)
}

// state goes over all elements of a pool.
func (p *pool[T]) state(v *snapshot.Visitor) {
	n := v.Length(len(p.chunks))
	if v.Restores() {
		p.chunks = nil
		for range n {
			p.chunks = append(p.chunks, new([chunk]T))
		}
	}
	for _, c := range p.chunks {
		snapshot.Values(v, c[:])
		if v.Err() != nil {
			return
		}
	}
	snapshot.List(v, &p.free)
}

// readAgain reads the tasks that the rank has read before, from the start of the trace, or all
// tasks if the rank had reached the end.
func (a *actor) readAgain() error {
	number, read := a.number, a.read
	a.number, a.read, a.cut = 0, false, false
	for !a.read && (read || a.number < number) {
		if err := a.pass(); err != nil {
			return err
		}
	}
	if a.number != number {
		return fmt.Errorf(
			"rank %d: found %d tasks, expected the %d of the trace that was replayed", a.rank, a.number, number,
		)
	}
	return nil
}

// pass reads a task that was taken before the rank was saved, or the end of the trace.
func (a *actor) pass() error {
	var err error
	if a.stream == nil {
		var stream trace.TaskStream
		if stream, err = a.job.graph.OpenTasks(a.rank); err == nil {
			a.stream = stream
		}
	}
	if err == nil {
		err = a.stream.Next(&a.scratch)
	}
	switch {
	case errors.Is(err, io.EOF):
		a.read = true
		return nil
	case err != nil:
		return a.broken(err)
	}
	a.number++
	a.last = a.scratch.Kind
	if a.scratch.Kind == trace.TaskNothing && a.scratch.Skipped != "" {
		a.skip(a.scratch.Skipped)
	}
	return nil
}

// Restored implements node.Placed. Explanations of deadlocks name communicators.
func (a *actor) Restored(w *node.World) { a.groups.Settle(w) }

// Finish implements node.Finisher: it reads the trace to its end, and adds to the report what the rank
// has left out.
func (a *actor) Finish() error {
	for !a.read {
		if err := a.pass(); err != nil {
			return err
		}
	}
	a.end()
	a.gone = true
	return nil
}
