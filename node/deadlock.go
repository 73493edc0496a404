package node

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"fabricast/internal/humanize"
	"fabricast/internal/units"
)

// maxWaits is how many blocked ranks, and how many members of a cycle, an explanation names.
const maxWaits = 10

// DeadlockError explains why ranks cannot go on although no message or event is left.
type DeadlockError struct {
	Since    units.Time // the latest of the ranks' clocks, since which none goes on
	Ranks    int        // in the world
	Finished int        // that ended properly
	Blocked  int        // that wait for ever
	Waits    []Wait     // of the first few, by rank
	// ranks each of which waits for the next, and the last for the first; nil if there is no cycle
	Cycle []int
}

// Wait is what a blocked rank waits for.
type Wait struct {
	Rank  int
	Time  units.Time // its clock
	Doing string     // what the program says that it does; empty if it does not
	In    Kind       // WaitAll, WaitAny or Probe; Test or Iprobe if the program asks again and again
	// Recv, Send, Probe, or Put for any one-sided operation of its own; Sync if it waits for
	// nothing
	For    Kind
	Source int // world rank, or AnySource
	Tag    int // or AnyTag
	Group  int // ranks in the communicator
	More   int // further requests that it waits for
	// Rendezvous: the wait is for a send whose receive has not been posted. Source is the receiver.
	Rendezvous bool
	// Lock: the wait is for the lock of rank Of's memory. Source is the rank that got it last.
	Lock bool
	Of   int
	// Collective: the message belongs to a collective.
	Collective bool
	// Put: the wait is for a put of another rank to be in memory.
	Put bool
	// Ended: the source's program has ended.
	Ended bool
}

// unanswered holds the requests of blocked ranks that have reached another rank and wait there.
type unanswered struct {
	sends map[sendOf]unmetSend
	locks map[sendOf]awaitedLock
	watch map[int32][]uint32
}

// Deadlock returns an explanation of what keeps ranks from ending, a *DeadlockError; nil if all
// have ended. Call it when no event is left.
func (w *World) Deadlock() error {
	e := &DeadlockError{Ranks: len(w.hostOf)}
	open := unanswered{w.unmetSends(), w.awaitedLocks(), w.openWatches()}
	if w.elsewhere != nil {
		open.share(w.elsewhere)
		w.shareWaits(open)
	}
	for id := range w.hostOf {
		clock, state, explain, found := w.stand(int32(id), open)
		e.Since = max(e.Since, units.Time(clock))
		switch {
		case !found:
		case state == Exit:
			e.Finished++
		default:
			e.Blocked++
			if len(e.Waits) < maxWaits {
				e.Waits = append(e.Waits, explain())
			}
		}
	}
	if e.Blocked == 0 {
		return nil
	}
	e.Cycle = w.cycle(open)
	return e
}

// stand returns where a rank stands: its clock (ps), its state, and what it waits for. found is
// false if it has no host.
func (w *World) stand(id int32, open unanswered) (clock int64, state Kind, explain func() Wait, found bool) {
	if w.elsewhere != nil {
		x, found := w.elsewhere.waits[id]
		return x.Clock, x.State, func() Wait { return x.Wait }, found
	}
	b, r := w.locate(id)
	if r == nil {
		return 0, Sync, nil, false
	}
	return r.clock, r.state, func() Wait { return b.explain(r, open) }, true
}

// locate returns a rank and its block; nil if none of the blocks has it.
func (w *World) locate(id int32) (*Block, *rank) {
	slot := w.slot(id)
	for _, b := range w.blocks.all() {
		if int(slot) < len(b.ranks) && b.ranks[slot].id == id {
			return b, &b.ranks[slot]
		}
	}
	return nil, nil
}

// explain returns what a blocked rank waits for.
func (b *Block) explain(r *rank, open unanswered) Wait {
	wait := Wait{Rank: int(r.id), Time: units.Time(r.clock), In: r.state}
	if p, ok := b.programs.running[b.world.slot(r.id)].(Doer); ok {
		wait.Doing = p.Doing()
	}
	context := int32(0)
	if r.state == Probe || r.state == Iprobe {
		wait.For, context = Probe, r.probe
		wait.Source, wait.Tag = int(r.message.Source), int(r.message.Tag)
	}
	for id := range b.waitedFor(r, open.watch) {
		q := b.requests.of(id)
		switch {
		case q.complete():
		case wait.For != Sync:
			wait.More++
		default:
			wait.For = q.kind()
			if wait.For == Recv {
				q := b.requests.receives.at(indexOf(id))
				context, wait.Source, wait.Tag = q.context, int(q.source), int(q.tag)
			} else if s, unmet := open.sends[sendOf{r.id, id}]; unmet {
				wait.Rendezvous = true
				context, wait.Source, wait.Tag = s.context, int(s.to), int(s.tag)
			} else if l, awaited := open.locks[sendOf{r.id, id}]; awaited {
				wait.Lock = true
				wait.Source, wait.Of = int(l.holder), int(l.of)
			}
		}
	}
	b.world.translate(&wait, context)
	return wait
}

// waitedFor yields the requests that a blocked rank waits for, and those that it watches.
func (b *Block) waitedFor(r *rank, watched map[int32][]uint32) iter.Seq[uint32] {
	if r.state == WaitNext {
		return slices.Values(watched[r.id])
	}
	return func(yield func(uint32) bool) {
		for id := r.chain; id != 0 && yield(id); {
			id = b.requests.of(id).chain
		}
	}
}

// translate turns a wait's source from the communicator's numbering into the world's.
func (w *World) translate(wait *Wait, context int32) {
	wait.Collective = context%contextsOfEach == Collectives
	wait.Put = ofPuts(context)
	wait.Group = len(w.RanksOf(context))
	if wait.Group == 0 {
		wait.Group = len(w.hostOf)
	}
	if wait.forRank() {
		if !wait.Rendezvous && !wait.Lock {
			wait.Source = int(w.worldRank(context, int32(wait.Source)))
		}
		_, r := w.locate(int32(wait.Source))
		wait.Ended = r != nil && r.state == Exit
	}
}

// forRank reports whether the wait is for one particular rank.
func (w *Wait) forRank() bool {
	return (w.For == Recv || w.For == Probe || w.Rendezvous || w.Lock) && w.Source != int(AnySource)
}

// next returns the rank that a blocked rank waits for first; -1 if it waits for no particular one.
func (w *World) next(id int32, open unanswered) int32 {
	_, state, explain, found := w.stand(id, open)
	if !found || state == Exit || state == failed {
		return -1
	}
	wait := explain()
	if !wait.forRank() {
		return -1
	}
	return int32(wait.Source)
}

// cycle returns ranks that wait for one another in a cycle, beginning with the lowest rank that
// leads to one.
func (w *World) cycle(open unanswered) []int {
	seen := make([]int32, len(w.hostOf)) // by rank: the walk that came by, plus 1
	for start := range w.hostOf {
		id := int32(start)
		for id >= 0 && seen[id] == 0 {
			seen[id] = int32(start) + 1
			id = w.next(id, open)
		}
		if id >= 0 && seen[id] == int32(start)+1 {
			cycle := []int{int(id)}
			for at := w.next(id, open); at != id; at = w.next(at, open) {
				cycle = append(cycle, int(at))
			}
			return cycle
		}
	}
	return nil
}

func (e *DeadlockError) Error() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s of %s ranks wait for ever", humanize.Count(e.Blocked), humanize.Count(e.Ranks))
	if e.Finished > 0 {
		fmt.Fprintf(&s, " (%s have ended)", humanize.Count(e.Finished))
	}
	for i := range e.Waits {
		fmt.Fprintf(&s, "\n  %v", &e.Waits[i])
	}
	if more := e.Blocked - len(e.Waits); more > 0 {
		fmt.Fprintf(&s, "\n  and %s more", humanize.Count(more))
	}
	if len(e.Cycle) > 0 {
		fmt.Fprintf(&s, "\n  cycle: rank %d waits for ", e.Cycle[0])
		for i, r := range e.Cycle[1:] {
			if i == maxWaits {
				fmt.Fprintf(&s, "(%d more ranks), and the last for ", len(e.Cycle)-1-i)
				break
			}
			fmt.Fprintf(&s, "rank %d, which waits for ", r)
		}
		fmt.Fprintf(&s, "rank %d", e.Cycle[0])
	}
	return s.String()
}

// String returns a sentence about the wait.
func (w *Wait) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "rank %d at %s ", w.Rank, humanize.Time(w.Time))
	if w.Doing != "" {
		fmt.Fprintf(&s, "in %s ", w.Doing)
	}
	if w.In == Test || w.In == Iprobe {
		s.WriteString("asks again and again, and ")
	}
	switch {
	case w.Rendezvous:
		s.WriteString("waits for a receive of its message by " + w.pattern())
	case w.For == Send:
		s.WriteString("waits for the network to take a message that it sends")
	case w.Lock:
		fmt.Fprintf(&s, "waits for the lock of rank %d's memory, which rank %d has", w.Of, w.Source)
	case w.For == Put:
		s.WriteString("waits for a one-sided operation to be carried out")
	case w.For == Sync:
		s.WriteString("waits, but for nothing")
	case w.For == Probe:
		s.WriteString("probes for a " + w.what() + " from " + w.pattern())
	default:
		s.WriteString("waits for a " + w.what() + " from " + w.pattern())
	}
	if (w.In == WaitAny || w.In == WaitNext) && w.More > 0 {
		fmt.Fprintf(&s, ", or any of %d more requests", w.More)
	} else if w.More > 0 {
		fmt.Fprintf(&s, ", and %d more requests", w.More)
	}
	return s.String()
}

// what returns the name of what the rank waits for.
func (w *Wait) what() string {
	if w.Put {
		return "put"
	}
	return "message"
}

// pattern describes which messages would end the wait.
func (w *Wait) pattern() string {
	var s strings.Builder
	if w.Source == int(AnySource) {
		s.WriteString("any rank")
	} else {
		fmt.Fprintf(&s, "rank %d", w.Source)
	}
	if w.Ended {
		s.WriteString(", which has ended,")
	}
	switch {
	case w.Collective:
		fmt.Fprintf(&s, " in a collective of %d ranks", w.Group)
	case w.Tag == int(AnyTag):
		s.WriteString(" with any tag")
	default:
		fmt.Fprintf(&s, " with tag %d", w.Tag)
	}
	return s.String()
}
