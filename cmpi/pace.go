package cmpi

import (
	"fabricast/cmpi/internal/host"
	"fabricast/collective"
	"fabricast/node"
	"fabricast/pacing"
)

// kinds are the collectives that calls run by the algorithms of package collective, and counted those whose calls have a
// count for each rank and ways of their own.
var (
	kinds = map[int32]collective.Kind{
		host.Barrier: collective.KindBarrier, host.Broadcast: collective.KindBroadcast, host.Gather: collective.KindGather,
		host.Scatter: collective.KindScatter, host.Allgather: collective.KindAllgather, host.Alltoall: collective.KindAlltoall,
		host.Reduce: collective.KindReduce, host.Allreduce: collective.KindAllreduce, host.ReduceScatter: collective.KindReduceScatter,
	}
	counted = map[int32]collective.Kind{
		host.Gatherv: collective.KindGather, host.Scatterv: collective.KindScatter, host.Allgatherv: collective.KindAllgather,
		host.Alltoallv: collective.KindAlltoall, host.ReduceScatterv: collective.KindReduceScatter,
	}
)

// Start implements collective.Starter: a collective that the program has called is paced if the experiment says so.
func (s *strand) Start(at collective.Start) collective.Comm {
	pacer := pacing.Of(s.ops.World())
	if !pacer.Paces(at.Kind) || s.call.Remote != nil || kinds[s.call.What] != at.Kind {
		return s
	}
	schedule, err := pacer.Schedule(at, s.call.Context, s.Size(), s.ranks)
	if err != nil {
		panic(err)
	}
	if schedule.Every != 0 {
		collective.Meet(s)
	}
	s.paces, s.step = schedule, 0
	return s
}

// nextStep goes on to the next step of a collective, if it is paced, and returns the options of what is sent in the one before.
func (s *strand) nextStep() node.Options {
	paces := s.paces
	if paces == nil {
		return node.Options{}
	}
	if paces.MeetsBefore(s.step) {
		s.paces = nil
		collective.Meet(s)
		s.paces = paces
	}
	s.step++
	return node.Options{Gap: paces.Gap(s.Rank(), s.step-1)}
}

// tellUnpaced notes that the call cannot be paced, if the experiment asks for it.
func (s *strand) tellUnpaced() {
	pacer := pacing.Of(s.ops.World())
	if pacer == nil {
		return
	}
	c := s.call
	kind, several := counted[c.What]
	switch {
	case several:
		pacer.Unpaced(kind, "calls with a count for each rank")
	case c.Remote != nil:
		pacer.Unpaced(kinds[c.What], "calls on intercommunicators")
	case c.What == host.ReduceScatter && c.Commutative == 0:
		pacer.Unpaced(kinds[c.What], "calls with an operation that is not commutative")
	}
}
