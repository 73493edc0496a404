package deadlock

import (
	"fmt"
	"strings"

	"fabricast/internal/humanize"
	"fabricast/internal/units"
	"fabricast/node/internal/model"
)

// MaxWaits is how many blocked ranks, and how many members of a cycle, an explanation names.
const MaxWaits = 10

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
	In    model.Kind // WaitAll, WaitAny or Probe; Test or Iprobe if the program asks again and again
	// Recv, Send, Probe, or Put for any one-sided operation of its own; Sync if it waits for
	// nothing
	For    model.Kind
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
			if i == MaxWaits {
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
	if w.In == model.Test || w.In == model.Iprobe {
		s.WriteString("asks again and again, and ")
	}
	switch {
	case w.Rendezvous:
		s.WriteString("waits for a receive of its message by " + w.pattern())
	case w.For == model.Send:
		s.WriteString("waits for the network to take a message that it sends")
	case w.Lock:
		fmt.Fprintf(&s, "waits for the lock of rank %d's memory, which rank %d has", w.Of, w.Source)
	case w.For == model.Put:
		s.WriteString("waits for a one-sided operation to be carried out")
	case w.For == model.Sync:
		s.WriteString("waits, but for nothing")
	case w.For == model.Probe:
		s.WriteString("probes for a " + w.what() + " from " + w.pattern())
	default:
		s.WriteString("waits for a " + w.what() + " from " + w.pattern())
	}
	if (w.In == model.WaitAny || w.In == model.WaitNext) && w.More > 0 {
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
	if w.Source == int(model.AnySource) {
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
	case w.Tag == int(model.AnyTag):
		s.WriteString(" with any tag")
	default:
		fmt.Fprintf(&s, " with tag %d", w.Tag)
	}
	return s.String()
}

// ForRank reports whether the wait is for one particular rank.
func (w *Wait) ForRank() bool {
	return (w.For == model.Recv || w.For == model.Probe || w.Rendezvous || w.Lock) && w.Source != int(model.AnySource)
}
