package flows

import (
	"cmp"
	"slices"
)

// builder makes the tasks of ranks, in the order in which a replay should read them.
type builder struct {
	*graph
	following map[Event][]int32 // by event: the signals that tell of it
	// by rank: flows that it sends, first those with a start, by time, then those with a trigger
	sent [][]int32
}

func newBuilder(s *Set) *builder {
	g := &graph{
		Set: s, tasks: make([][]entry, s.Ranks), sendAt: make([]int32, len(s.Flows)),
		receives: make([]int32, len(s.Flows)), told: map[tellKey]int32{},
	}
	b := &builder{graph: g, following: map[Event][]int32{}, sent: make([][]int32, s.Ranks)}
	for i := range s.Flows {
		b.sent[s.Flows[i].Src] = append(b.sent[s.Flows[i].Src], int32(i))
	}
	for _, list := range b.sent {
		slices.SortStableFunc(list, func(x, y int32) int {
			fx, fy := &s.Flows[x], &s.Flows[y]
			if fx.Trigger != 0 || fy.Trigger != 0 {
				return cmp.Compare(min(fx.Trigger, 1), min(fy.Trigger, 1))
			}
			return cmp.Compare(fx.Start, fy.Start)
		})
	}
	b.findSignals()
	return b
}

// findSignals finds the events that another host has to be told of.
func (b *builder) findSignals() {
	for i := range b.Flows {
		f := &b.Flows[i]
		if f.Trigger == 0 {
			continue
		}
		for _, e := range b.Set.Triggers[f.Trigger-1].Events {
			from, key := b.place(e), tellKey{e, f.Src}
			if _, found := b.told[key]; found || from == f.Src {
				continue
			}
			b.told[key] = int32(len(b.signals))
			b.following[e] = append(b.following[e], int32(len(b.signals)))
			b.signals = append(b.signals, signalTo{event: e, from: from, to: f.Src})
		}
	}
}

// place returns the rank where an event happens.
func (g *graph) place(e Event) int32 {
	if e.Received {
		return g.Flows[e.Flow].Dst
	}
	return g.Flows[e.Flow].Src
}

// add adds a task to a rank and returns its number.
func (b *builder) add(rank int32, e entry) int32 {
	b.tasks[rank] = append(b.tasks[rank], e)
	return int32(len(b.tasks[rank]) - 1)
}

// tell adds the signals that follow an event.
func (b *builder) tell(e Event) {
	for _, s := range b.following[e] {
		b.add(b.signals[s].from, entry{signal, s, -1})
	}
}

// notes adds what is omitted to the first rank.
func (b *builder) notes() {
	for i := range b.Omitted {
		b.add(0, entry{note, int32(i), -1})
	}
}

// receive adds the receives of all ranks.
func (b *builder) receive() {
	for i := range b.Flows {
		b.receives[i] = b.add(b.Flows[i].Dst, entry{receive, int32(i), -1})
	}
	for i := range b.signals {
		b.signals[i].received = b.add(b.signals[i].to, entry{signalReceive, int32(i), -1})
	}
	for i := range b.Flows {
		b.tell(Event{int32(i), true})
	}
}

// timed adds the sends of flows that start at a given time. The rank waits for one time after the
// other.
func (b *builder) timed() {
	for rank := range int32(b.Set.Ranks) {
		last, at := int32(-1), int64(0)
		for _, i := range b.sent[rank] {
			f := &b.Flows[i]
			if f.Trigger != 0 {
				break
			}
			if f.Start > at {
				last, at = b.add(rank, entry{until, i, last}), f.Start
			}
			b.sendAt[i] = b.add(rank, entry{send, i, last})
			b.tell(Event{i, false})
		}
	}
}

// triggered adds the sends of flows that triggers start.
func (b *builder) triggered() {
	for rank := range int32(b.Set.Ranks) {
		for _, i := range b.sent[rank] {
			if b.Flows[i].Trigger == 0 {
				continue
			}
			b.sendAt[i] = b.add(rank, entry{send, i, -1})
			b.tell(Event{i, false})
		}
	}
}
