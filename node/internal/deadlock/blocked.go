package deadlock

import (
	"fmt"
	"strings"

	"fabricast/internal/humanize"
	"fabricast/internal/units"
	"fabricast/node/internal/model"
)

// MaxWaits is the maximum number of blocked ranks, and of members of a cycle, that an explanation
// lists.
const MaxWaits = 10

// DeadlockError explains why ranks are blocked, or have stopped, although no message or event is left.
type DeadlockError struct {
	Since    units.Time // latest clock of any rank
	Ranks    int        // number of ranks in the world
	Finished int        // number that have ended normally
	Blocked  int        // number that are blocked
	Stopped  int        // number that have stopped with their hosts
	// StoppedRanks are the first few of these.
	StoppedRanks []int
	Waits        []Wait // the waits of the first few blocked ranks, by rank
	// Cycle lists ranks each of which waits for the next, and the last for the first; nil if there
	// is no cycle.
	Cycle []int
}

// Wait describes what a blocked rank waits for.
type Wait struct {
	Rank  int
	Time  units.Time // time on its clock
	Doing string     // what the program reports to be doing; empty if it reports nothing
	In    model.Kind // WaitAll, WaitAny or Probe; Test or Iprobe for a program that polls
	// For is Recv, Send, Probe, or Put for any one-sided operation of the rank; Sync if it waits
	// for nothing
	For    model.Kind
	Source int // world rank, or AnySource
	Tag    int // or AnyTag
	Group  int // number of ranks in the communicator
	More   int // number of further requests that it waits for
	// Rendezvous: the wait is for a send whose receive has not been posted. Source is the receiver.
	Rendezvous bool
	// Lock: the wait is for the lock of rank Of's memory. Source is the rank that acquired it last.
	Lock bool
	Of   int
	// Collective: the message belongs to a collective.
	Collective bool
	// Put: the wait is for another rank's put to be in memory.
	Put bool
	// Ended: the program of the source has ended. Stopped: the source has stopped with its host.
	Ended, Stopped bool
}

func (e *DeadlockError) Error() string {
	var s strings.Builder
	e.tellStopped(&s)
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

// tellStopped lists the ranks that have stopped.
func (e *DeadlockError) tellStopped(s *strings.Builder) {
	if e.Stopped == 0 {
		return
	}
	s.WriteString(humanize.Plural(e.Stopped, "rank") + " stopped: ")
	for i, r := range e.StoppedRanks {
		if i > 0 {
			s.WriteString(", ")
		}
		fmt.Fprint(s, r)
	}
	if more := e.Stopped - len(e.StoppedRanks); more > 0 {
		s.WriteString(" and " + humanize.Count(more) + " more")
	}
	s.WriteString("; ")
}

// String describes the wait in a sentence.
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

// what returns the name of the operation that the rank waits for.
func (w *Wait) what() string {
	if w.Put {
		return "put"
	}
	return "message"
}

// pattern describes the messages that would end the wait.
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
	if w.Stopped {
		s.WriteString(", which has stopped,")
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

// ForRank reports whether the wait is for one specific rank.
func (w *Wait) ForRank() bool {
	return (w.For == model.Recv || w.For == model.Probe || w.Rendezvous || w.Lock) && w.Source != int(model.AnySource)
}
