package cmpi

import (
	"encoding/binary"
	"sync"
	"unsafe"

	"fabricast/cmpi/internal/host"
	"fabricast/collective"
)

// meeting is where the ranks of a communicator make something together: the communicator's
// context, and which of its meetings it is.
type meeting struct{ context, number int32 }

// newcomers are the ranks of a communicator that a split has made, by their numbers in the world.
type newcomers struct {
	context int32
	ranks   []int32
}

// contextBytes is how many bytes a context has in messages.
const contextBytes = 4

func putContext(b []byte, context int32) { binary.LittleEndian.PutUint32(b, uint32(context)) }
func contextOf(b []byte) int32           { return int32(binary.LittleEndian.Uint32(b)) }

// split makes new communicators, as mpi.Comm.Split does and in the same time.
func (s *strand) split() {
	c := s.call
	group, rank := s.program.block.job.splits.Split(s, meeting{c.Context, c.Root}, int(c.Color), int(c.Key), tagSplit, s.found)
	c.NewContext, c.NewRank, c.NewSize = group.context, max(rank, 0), int32(len(group.ranks))
	if rank < 0 {
		c.NewContext = -1
		return
	}
	c.NewRanks = &group.ranks[0]
}

// found makes the group of one color; members are ranks of the communicator in their new order.
func (s *strand) found(members []int32) newcomers {
	ranks := host.NewRanks(len(members))
	for i, m := range members {
		ranks[i] = s.world(int(m))
	}
	return newcomers{s.ops.World().NewContexts(ranks), ranks}
}

// windows are the windows of MPI that are being made.
type windows struct {
	sync.Mutex
	open map[meeting]*window
}

// window is a window that is being made: the C side of each rank leaves a pointer to what is its own.
type window struct {
	context  int32
	pointers []uintptr
	come     int
}

// meetWindow makes what the ranks of a window share. As with splits, values go through a table and a barrier
// takes its time in messages.
func (s *strand) meetWindow() {
	c := s.call
	w := s.program.block.job.windows.join(meeting{c.Context, c.Root}, s)
	c.NewContext, c.NewRanks = w.context, (*int32)(unsafe.Pointer(&w.pointers[0]))
	s.sends, s.receives = w.context, w.context
	collective.Barrier(s, collective.Default)
}

// join leaves a rank's pointer with the others.
func (s *windows) join(key meeting, by *strand) *window {
	s.Lock()
	defer s.Unlock()
	w := s.open[key]
	n := by.Size()
	if w == nil {
		words := host.NewRanks(2*n + 2)
		w = &window{by.ops.World().NewContexts(by.ranks), unsafe.Slice((*uintptr)(unsafe.Pointer(&words[0])), n), 0}
		s.open[key] = w
	}
	w.pointers[by.Rank()] = uintptr(unsafe.Pointer(by.call.Send))
	if w.come++; w.come == n {
		delete(s.open, key)
	}
	return w
}
