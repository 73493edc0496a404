package cmpi

import (
	"encoding/binary"

	"fabricast/cmpi/internal/host"
	"fabricast/collective/splits"
	"fabricast/node"
)

// meeting identifies a joint creation by all ranks of a communicator: the communicator's context,
// and the number of the creation.
type meeting struct{ context, number int32 }

// newcomers lists the world ranks of a communicator that a split has made.
type newcomers struct {
	context int32
	ranks   []int32
}

// contextBytes is the size of a context in messages.
const contextBytes = 4

func putContext(b []byte, context int32) { binary.LittleEndian.PutUint32(b, uint32(context)) }
func contextOf(b []byte) int32           { return int32(binary.LittleEndian.Uint32(b)) }

// split makes new communicators, like mpi.Comm.Split and in the same simulated time.
func (s *strand) split() {
	c := s.call
	if s.program.block.job.abroad != nil {
		s.splitApart()
		return
	}
	group, rank := s.program.block.job.splits.Split(
		&s.comm,
		meeting{c.Context, c.Root},
		int(c.Color),
		int(c.Key),
		tagSplit,
		s.founder(meeting{c.Context, c.Root}),
	)
	c.NewContext, c.NewRank, c.NewSize = group.context, max(rank, 0), int32(len(group.ranks))
	if rank < 0 {
		c.NewContext = -1
		return
	}
	c.NewRanks = &group.ranks[0]
}

// splitApart does what split does where several processes share the run.
func (s *strand) splitApart() {
	c := s.call
	context, rank := s.meetApart(meeting{c.Context, c.Root}, int(c.Color), int(c.Key))
	c.NewContext, c.NewRank = context, max(rank, 0)
	if rank < 0 {
		return
	}
	ranks := s.program.block.job.abroad.ranksOf(context)
	c.NewRanks, c.NewSize = &ranks[0], int32(len(ranks))
}

// meetApart splits the ranks that the strand communicates with, which may be in several processes.
// It returns the context of the rank's new communicator and its rank there, -1 if it is in none.
func (s *strand) meetApart(at meeting, color, key int) (context, rank int32) {
	world := s.comm.ops.World()
	return splits.Apart(&s.comm, color, key, tagSplit, func(members []int32) int32 {
		ranks := make([]int32, len(members))
		for i, m := range members {
			ranks[i] = s.comm.world(int(m))
		}
		return world.NewContexts(at.founds(members), ranks)
	})
}

// founder returns the function that makes the group of one color at a meeting. members lists ranks of
// the communicator in their new order.
func (s *strand) founder(at meeting) func(members []int32) newcomers {
	return func(members []int32) newcomers {
		ranks := host.NewRanks(len(members))
		for i, m := range members {
			ranks[i] = s.comm.world(int(m))
		}
		return newcomers{s.comm.ops.World().NewContexts(at.founds(members), ranks), ranks}
	}
}

// founds returns how the communicator of some ranks is made at a meeting.
func (m meeting) founds(members []int32) node.Creation {
	return node.Creation{Kind: node.CreatedBySplit, Of: m.context, Number: m.number, First: members[0]}
}
