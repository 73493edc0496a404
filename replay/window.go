package replay

import (
	"errors"
	"fmt"
	"io"

	"fabricast/trace"
)

// window is the size of the trace window: the number of tasks, read but not yet started, up to
// which a rank reads ahead. A rank reads further only if none of its tasks can continue.
const window = 1024

// fill reads tasks until the trace window is full.
func (a *actor) fill() error {
	for !a.read && a.unstarted < window {
		if err := a.readTask(); err != nil {
			return err
		}
	}
	return nil
}

// readTask reads the next task, or reaches the end of the trace.
func (a *actor) readTask() error {
	t := &a.scratch
	switch err := a.stream.Next(t); {
	case err == io.EOF:
		a.read = true
		if a.named > 0 {
			return &dependencyError{
				a.rank,
				a.furthest,
				fmt.Sprintf("is named by another one, but the trace has only %d tasks of the rank", a.number),
			}
		}
		return nil
	case err != nil:
		return a.broken(err)
	}
	a.last = t.Kind
	return a.take(t)
}

// broken handles an error of the trace. In a partial replay, damage ends the trace of the rank and
// is reported; otherwise broken returns the error.
func (a *actor) broken(err error) error {
	var damage *trace.Error
	if !a.job.partial || !errors.As(err, &damage) {
		return fmt.Errorf("rank %d: %w", a.rank, err)
	}
	a.job.damaged(&Damage{Rank: a.rank, Read: a.number, Last: taskNames[a.last], Err: damage})
	a.read, a.cut = true, true
	return nil
}

// take adds a task that has been read, with its dependencies.
func (a *actor) take(read *trace.Task) error {
	id, t := a.task(a.number)
	if t.stage != named {
		return &dependencyError{a.rank, a.number, "comes twice"}
	}
	a.named--
	a.number++
	a.unstarted++
	t.stage = waiting
	a.fillIn(t, read)
	t.missing += int32(read.Awaits)
	t.awaits += int32(read.Awaits)
	if t.awaits < 0 {
		return &dependencyError{
			a.rank,
			t.number,
			fmt.Sprintf("awaits %d others, but more than these have named it", read.Awaits),
		}
	}
	for _, d := range read.After {
		if err := a.depend(id, d, false); err != nil {
			return err
		}
	}
	for _, d := range read.Started {
		if err := a.depend(id, d, true); err != nil {
			return err
		}
	}
	if read.Kind == trace.TaskCollective {
		if err := a.follow(id, t); err != nil {
			return err
		}
	}
	for _, s := range read.Before {
		if err := a.precede(t, s, false); err != nil {
			return err
		}
	}
	for _, s := range read.BeforeAt {
		if err := a.precede(t, s, true); err != nil {
			return err
		}
	}
	if t.missing == 0 {
		a.makeReady(id, t)
	}
	return nil
}

// task returns the index in crew.tasks of unfinished task number, and the task. If there is none,
// it adds the task as named. If the task is plain, it gets an entry in crew.tasks again.
func (a *actor) task(number int64) (uint32, *task) {
	found := a.find(number)
	if found != 0 && found != plain {
		return found, a.tasks.at(found)
	}
	id, t := a.tasks.alloc()
	t.number, t.slot = number, a.slot
	if found == plain {
		t.stage, t.kind = running, trace.TaskReceive
		a.nearOf(number).task = id
		return id, t
	}
	a.note(id, number)
	a.named++
	a.furthest = max(a.furthest, number)
	return id, t
}

// depend makes task id wait for the end or, if start is true, the start of task on.
func (a *actor) depend(id uint32, on int64, start bool) error {
	t := a.tasks.at(id)
	if on < 0 || on == t.number {
		return &dependencyError{a.rank, t.number, fmt.Sprintf("depends on task %d", on)}
	}
	if on < a.number && a.find(on) == 0 {
		return nil // task on has ended
	}
	_, d := a.task(on)
	if start && d.stage >= submittedBegun {
		return nil
	}
	t.missing++
	a.addEdge(d, id, start)
	return nil
}

// precede makes task other wait for the end or, if start is true, the start of task t.
func (a *actor) precede(t *task, other int64, start bool) error {
	if other < 0 || other == t.number || other < a.number && a.find(other) == 0 {
		return &dependencyError{
			a.rank,
			t.number,
			fmt.Sprintf("precedes task %d, which does not await it", other),
		}
	}
	id, s := a.task(other)
	if s.awaits--; s.stage != named && s.awaits < 0 {
		return &dependencyError{
			a.rank,
			t.number,
			fmt.Sprintf("precedes task %d, which does not await it", other),
		}
	}
	a.addEdge(t, id, start)
	return nil
}

func (a *actor) addEdge(from *task, to uint32, start bool) {
	id, e := a.edges.alloc()
	e.waits, e.atStart = to, start
	from.edges.push(id, a.edgeLink)
}

// follow makes a collective wait for the previous collective of the same group.
func (a *actor) follow(id uint32, t *task) error {
	for i := a.groupsSeen; i != 0; i = a.latest.at(i).next {
		if l := a.latest.at(i); l.group == t.message.group {
			before := l.number
			l.number = t.number
			return a.depend(id, before, false)
		}
	}
	i, l := a.latest.alloc()
	l.group, l.number, l.next = t.message.group, t.number, a.groupsSeen
	a.groupsSeen = i
	return nil
}

// fillIn sets the fields of t from a task that has been read.
func (a *actor) fillIn(t *task, read *trace.Task) {
	t.kind = read.Kind
	switch read.Kind {
	case trace.TaskCompute:
		t.size = scaled(read.Duration, a.factor)
		t.message.peer = read.Lane
		a.several = a.several || read.Lane != 0
		for i := range read.Sends {
			s := &read.Sends[i]
			id, l := a.leaving.alloc()
			l.message, l.size = placeOf(&s.Message), a.job.size(s.Message.Size)
			l.offset = min(max(0, scaled(s.Offset, a.factor)), t.size)
			a.restOf(t).sends.push(id, a.leavingLink)
		}
	case trace.TaskSend, trace.TaskReceive:
		t.message, t.size = placeOf(&read.Message), a.job.size(read.Message.Size)
		if read.Kind == trace.TaskSend {
			t.rest = uint32(read.NIC)
		}
	case trace.TaskCollective:
		o := &read.Call
		t.call, t.uneven, t.size = o.Kind, o.Uneven, a.job.size(o.Size)
		t.message = place{peer: o.Root, group: o.Group}
		for _, size := range o.Blocks {
			id, b := a.blocks.alloc()
			b.size = a.job.size(size)
			a.restOf(t).blocks.push(id, a.blockLink)
		}
	case trace.TaskUntil:
		t.size = read.Duration
	case trace.TaskNothing:
		if read.Skipped != "" {
			a.skip(read.Skipped)
		}
	}
}

// placeOf returns the peer, tag and group of a message.
func placeOf(m *trace.Message) place {
	return place{peer: m.Peer, tag: int32(tag(m)), group: m.Group}
}
