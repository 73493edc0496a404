package cmpi

import (
	"fabricast/cmpi/internal/host"
	"fabricast/collective"
	"fabricast/collective/barrier"
	"fabricast/node"
	"fabricast/pacing"
)

// kinds maps calls to the collectives whose algorithms they use. counted maps calls that have a
// count for each rank, and so algorithms of their own.
var (
	kinds = map[int32]collective.Kind{
		host.Barrier: collective.KindBarrier, host.Broadcast: collective.KindBroadcast,
		host.Gather:  collective.KindGather,
		host.Scatter: collective.KindScatter, host.Allgather: collective.KindAllgather,
		host.Alltoall: collective.KindAlltoall,
		host.Reduce:   collective.KindReduce, host.Allreduce: collective.KindAllreduce,
		host.ReduceScatter: collective.KindReduceScatter,
		host.Scan:          collective.KindScan, host.Exscan: collective.KindExscan,
	}
	counted = map[int32]collective.Kind{
		host.Gatherv: collective.KindGather, host.Scatterv: collective.KindScatter,
		host.Allgatherv: collective.KindAllgather,
		host.Alltoallv:  collective.KindAlltoall, host.ReduceScatterv: collective.KindReduceScatter,
	}
)

// pace holds how the messages of a collective are paced.
type pace struct {
	schedule *pacing.Schedule // nil if they are not paced
	step     int
}

// Start implements collective.Starter: it paces a collective that the program called if the
// experiment selects that.
func (c *comm) Start(at collective.Start) collective.Comm {
	pacer := pacing.Of(c.ops.World())
	if !pacer.Paces(at.Kind) || c.call.Remote != nil || kinds[c.call.What] != at.Kind {
		return c
	}
	schedule, err := pacer.Schedule(at, c.call.Context, c.Size(), c.ranks)
	if err != nil {
		panic(err)
	}
	if schedule.Every != 0 {
		barrier.Meet(c)
	}
	c.pace = pace{schedule: schedule}
	return c
}

// nextStep moves a paced collective to its next step, and returns the options for messages of the
// step before.
func (c *comm) nextStep() node.Options {
	schedule := c.pace.schedule
	if schedule == nil {
		return node.Options{}
	}
	if schedule.MeetsBefore(c.pace.step) {
		c.pace.schedule = nil
		barrier.Meet(c)
		c.pace.schedule = schedule
	}
	c.pace.step++
	return node.Options{Gap: schedule.Gap(c.Rank(), c.pace.step-1)}
}

// tellUnpaced records that the call cannot be paced although the experiment selects that.
func (c *comm) tellUnpaced() {
	pacer := pacing.Of(c.ops.World())
	if pacer == nil {
		return
	}
	call := c.call
	kind, several := counted[call.What]
	switch {
	case several:
		pacer.Unpaced(kind, "calls with a count for each rank")
	case call.Remote != nil:
		pacer.Unpaced(kinds[call.What], "calls on intercommunicators")
	case call.What == host.ReduceScatter && call.Commutative == 0:
		pacer.Unpaced(kinds[call.What], "calls with an operation that is not commutative")
	}
}
