package cmpi

import (
	"encoding/binary"
	"sync"
	"unsafe"

	"fabricast/cmpi/internal/host"
	"fabricast/collective"
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
	group, rank := s.program.block.job.splits.Split(
		&s.comm,
		meeting{c.Context, c.Root},
		int(c.Color),
		int(c.Key),
		tagSplit,
		s.found,
	)
	c.NewContext, c.NewRank, c.NewSize = group.context, max(rank, 0), int32(len(group.ranks))
	if rank < 0 {
		c.NewContext = -1
		return
	}
	c.NewRanks = &group.ranks[0]
}

// found makes the group of one color. members lists ranks of the communicator in their new order.
func (s *strand) found(members []int32) newcomers {
	ranks := host.NewRanks(len(members))
	for i, m := range members {
		ranks[i] = s.comm.world(int(m))
	}
	return newcomers{s.comm.ops.World().NewContexts(ranks), ranks}
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
	c := s.call
	w := s.program.block.job.windows.join(meeting{c.Context, c.Root}, &s.comm)
	c.NewContext, c.NewRanks = w.context, (*int32)(unsafe.Pointer(&w.pointers[0]))
	s.comm.sends, s.comm.receives = w.context, w.context
	collective.Barrier(&s.comm, collective.Default)
}

// join stores the pointer of a rank to its part of a window. The first rank to call it makes the
// window.
func (s *windows) join(key meeting, by *comm) *window {
	s.Lock()
	defer s.Unlock()
	w := s.open[key]
	n := by.Size()
	if w == nil {
		words := host.NewRanks(2*n + 2)
		w = &window{
			by.ops.World().NewContexts(by.ranks),
			unsafe.Slice((*uintptr)(unsafe.Pointer(&words[0])), n),
			0,
		}
		s.open[key] = w
	}
	w.pointers[by.Rank()] = uintptr(unsafe.Pointer(by.call.Send))
	if w.come++; w.come == n {
		delete(s.open, key)
	}
	return w
}
