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

// State implements node.Stateful. It saves the number of tasks read from the trace. To restore the
// rank, it reads that number of tasks again. The state shared by the ranks of a partition block is
// saved with the first rank that has not ended.
func (a *actor) State(v *snapshot.Visitor) {
	if v.Flag(a.first() == a) {
		a.crew.state(v)
	}
	snapshot.Value(v, &a.slot)
	snapshot.List(v, &a.near)
	for _, n := range []*int{&a.live, &a.named, &a.unstarted, &a.open, &a.waits, &a.turn} {
		snapshot.Value(v, n)
	}
	for _, n := range []*int64{&a.number, &a.furthest, &a.looked, &a.from} {
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

// state saves or restores the state shared by the ranks of a partition block.
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

// state saves or restores all elements of a pool.
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

// readAgain reads the tasks that the rank had read when it was saved, from the start of the trace,
// without executing them.
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

// pass reads a task without executing it, or reaches the end of the trace.
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

// Restored implements node.Placed. It assigns the context IDs of communicators, which deadlock
// reports need.
func (a *actor) Restored(w *node.World) { a.groups.Settle(w) }

// Finish implements node.Finisher. It reads the rest of the trace without executing it, and adds
// the counts of omitted and corrected tasks to the report.
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
