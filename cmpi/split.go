package cmpi

import (
	"encoding/binary"
	"sync"
	"unsafe"

	"fabricast/cmpi/internal/host"
	"fabricast/collective"
	"fabricast/collective/barrier"
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

// opens returns how the communicator of a window is made at a meeting.
func (m meeting) opens() node.Creation {
	return node.Creation{Kind: node.CreatedForWindow, Of: m.context, Number: m.number}
}

// windows holds the MPI windows that are being made.
type windows struct {
	sync.Mutex
	open map[meeting]*window
}

// window is an MPI window that is being made. The C side of each rank stores a pointer to its own
// part.
type window struct {
	context  int32
	pointers []uintptr
	come     int
}

// meetWindow makes what the ranks of a window share. Values are exchanged through a table, as for
// splits; a barrier simulates the time of the exchange.
func (s *strand) meetWindow() {
	c, job := s.call, s.program.block.job
	if job.abroad != nil {
		// the context is known to all after the barrier
		w := job.joinApart(meeting{c.Context, c.Root}, &s.comm)
		barrier.Run(&s.comm, collective.Default)
		c.NewContext, c.NewRanks = w.context, (*int32)(unsafe.Pointer(&w.pointers[0]))
		return
	}
	w := job.windows.join(meeting{c.Context, c.Root}, &s.comm)
	c.NewContext, c.NewRanks = w.context, (*int32)(unsafe.Pointer(&w.pointers[0]))
	barrier.Run(&s.comm, collective.Default)
}

// of returns the window that is made at a meeting of n ranks. REQUIRES: the lock.
func (s *windows) of(key meeting, n int) *window {
	w := s.open[key]
	if w == nil {
		words := host.NewRanks(2*n + 2)
		w = &window{pointers: unsafe.Slice((*uintptr)(unsafe.Pointer(&words[0])), n)}
		s.open[key] = w
	}
	return w
}

// come stores the pointer to a rank's part of a window, and reports whether it is the last one.
// REQUIRES: the lock.
func (s *windows) come(key meeting, w *window, rank int, part uintptr) (all bool) {
	w.pointers[rank] = part
	if w.come++; w.come == len(w.pointers) {
		delete(s.open, key)
		return true
	}
	return false
}

// join stores the pointer of a rank to its part of a window. The first rank to call it makes the
// window.
func (s *windows) join(key meeting, by *comm) *window {
	s.Lock()
	defer s.Unlock()
	w := s.of(key, by.Size())
	if w.come == 0 {
		w.context = by.ops.World().NewContexts(key.opens(), by.ranks)
	}
	s.come(key, w, by.Rank(), uintptr(unsafe.Pointer(by.call.Send)))
	return w
}
