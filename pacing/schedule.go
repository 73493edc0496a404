package pacing

import (
	"fmt"
	"iter"

	"fabricast/collective"
)

// Schedule tells how the messages of a collective are paced. It must not be changed once it is in use.
type Schedule struct {
	// Gaps says, for each step of a collective (see Steps), for how many packet times the NIC pauses after
	// each packet. For further steps the last one holds.
	Gaps []uint32
	// Steps says, for each rank, of which step each of its calls that send, or receive and block, is. Without it, or for
	// ranks and calls that it does not name, they are 0, 1, 2, and so on.
	Steps [][]int32
	// Every is for how many steps ranks may drift apart: they meet at a barrier before the
	// collective begins, and again before each Every-th step, or not again if it is Once. 0: they do
	// not meet. If they meet again, all must go through the same steps.
	Every int
}

// Once has ranks meet only before a collective begins.
const Once = -1

// Check says what is wrong with the schedule for a rank.
func (s *Schedule) Check(rank int) error {
	if s.Every < Once {
		return fmt.Errorf("pacing with a barrier every %d steps: expected at least 1, 0 for none or mpi.Once (%d)", s.Every, Once)
	}
	if rank >= len(s.Steps) {
		return nil
	}
	for call, step := range s.Steps[rank] {
		if step < 0 {
			return fmt.Errorf("pacing with step %d for call %d of rank %d: expected steps from 0 on", step, call, rank)
		}
	}
	return nil
}

// MeetsBefore tells whether ranks, which may have met at the start, meet again before a step.
func (s *Schedule) MeetsBefore(step int) bool { return s.Every > 0 && step > 0 && step%s.Every == 0 }

// Gap is that of a call of a rank.
func (s *Schedule) Gap(rank, call int) uint32 {
	if len(s.Gaps) == 0 {
		return 0
	}
	if rank < len(s.Steps) && call < len(s.Steps[rank]) {
		call = int(s.Steps[rank][call])
	}
	return s.Gaps[min(call, len(s.Gaps)-1)]
}

// Schedule finds MOD pacing of a collective, which the function calls for a rank, on ranks that run on the given hosts.
func (n *Network) Schedule(hosts []int32, run func(c collective.Comm)) (*Schedule, error) {
	late := laggards{rows: make([][]int32, len(hosts))}
	gaps, err := n.Gaps(placed(late.note(Steps(len(hosts), run)), hosts))
	if err != nil {
		return nil, err
	}
	s := &Schedule{Gaps: gaps}
	if late.some {
		s.Steps = late.rows
	}
	return s, nil
}

// laggards are the ranks whose calls do not count the steps, and the steps of their calls.
type laggards struct {
	rows [][]int32 // by rank
	some bool
}

// note takes a pattern's steps down.
func (l *laggards) note(pattern iter.Seq[Message]) iter.Seq[Message] {
	return func(yield func(Message) bool) {
		for m := range pattern {
			if row := &l.rows[m.From]; m.Step != m.Call || *row != nil {
				for call := len(*row); call <= m.Call; call++ {
					*row = append(*row, int32(call))
				}
				(*row)[m.Call] = int32(m.Step)
				l.some = true
			}
			if !yield(m) {
				return
			}
		}
	}
}

// placed makes a pattern between ranks one between their hosts.
func placed(pattern iter.Seq[Message], hosts []int32) iter.Seq[Message] {
	return func(yield func(Message) bool) {
		for m := range pattern {
			m.From, m.To = int(hosts[m.From]), int(hosts[m.To])
			if !yield(m) {
				return
			}
		}
	}
}
