package pacing

import (
	"fmt"
	"iter"

	"fabricast/collective"
)

// Schedule says how the messages of a collective are paced. It must not be changed once it is in
// use.
type Schedule struct {
	// Gaps holds, for each step of a collective (see Steps), the pause of the NIC after each
	// packet, in packet times. The last entry also applies to all further steps.
	Gaps []uint32
	// Steps holds, by rank, the step of each of its calls that send, or that receive and block.
	// Calls that are not listed have the steps 0, 1, 2, and so on.
	Steps [][]int32
	// Every is the number of steps between barriers. There is a barrier before the collective
	// starts, and one before each Every-th step. Once means only the one before the start, and 0
	// means none. With barriers between steps, all ranks must have the same number of steps.
	Every int
}

// Once is a value of Schedule.Every: a barrier only before a collective starts.
const Once = -1

// Check returns an error if the schedule is invalid for a rank.
func (s *Schedule) Check(rank int) error {
	if s.Every < Once {
		return fmt.Errorf(
			"pacing with a barrier every %d steps: expected at least 1, 0 for none or mpi.Once (%d)",
			s.Every, Once,
		)
	}
	if rank >= len(s.Steps) {
		return nil
	}
	for call, step := range s.Steps[rank] {
		if step < 0 {
			return fmt.Errorf(
				"pacing with step %d for call %d of rank %d: expected steps from 0 on",
				step, call, rank,
			)
		}
	}
	return nil
}

// MeetsBefore reports whether there is a barrier before a step other than the first.
func (s *Schedule) MeetsBefore(step int) bool { return s.Every > 0 && step > 0 && step%s.Every == 0 }

// Gap returns the gap, in packet times, of a rank's call with index call.
func (s *Schedule) Gap(rank, call int) uint32 {
	if len(s.Gaps) == 0 {
		return 0
	}
	if rank < len(s.Steps) && call < len(s.Steps[rank]) {
		call = int(s.Steps[rank][call])
	}
	return s.Gaps[min(call, len(s.Gaps)-1)]
}

// Schedule computes MOD pacing of a collective. run calls the collective for one rank, and hosts
// holds the host of each rank.
func (n *Network) Schedule(hosts []int32, run func(c collective.Comm)) (*Schedule, error) {
	return n.schedule(hosts, run, n.Gaps)
}

// schedule is like Schedule, with gaps computed by the function rule.
func (n *Network) schedule(
	hosts []int32,
	run func(c collective.Comm),
	rule func(iter.Seq[Message]) ([]uint32, error),
) (*Schedule, error) {
	late := laggards{rows: make([][]int32, len(hosts))}
	gaps, err := rule(placed(late.note(Steps(len(hosts), run)), hosts))
	if err != nil {
		return nil, err
	}
	s := &Schedule{Gaps: gaps}
	if late.some {
		s.Steps = late.rows
	}
	return s, nil
}

// laggards records the steps of calls for ranks where these differ from the index of the call.
type laggards struct {
	rows [][]int32 // by rank: the step of each call
	some bool
}

// note returns the same sequence of messages, and records the steps of messages that are sent in a
// later step than the index of their call.
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

// placed converts a pattern between ranks to one between their hosts.
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
