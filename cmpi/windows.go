package cmpi

import (
	"sync"
	"unsafe"

	"fabricast/cmpi/internal/host"
	"fabricast/collective"
	"fabricast/collective/barrier"
	"fabricast/internal/cluster"
	"fabricast/node"
)

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

// opens returns how the communicator of a window is made at a meeting.
func (m meeting) opens() node.Creation {
	return node.Creation{Kind: node.CreatedForWindow, Of: m.context, Number: m.number}
}

// --- Windows of ranks in several processes ---

// windowHead is what precedes a rank's part of a window for other processes.
type windowHead struct {
	Parent     int32 // context of the communicator
	Number     int32 // of the window there
	Size, Rank int32 // of the communicator
	Context    int32 // of the window, from rank 0; else -1
	Whole      int64 // bytes of the part in memory; those that others may need follow
}

// sendWindow makes other processes know this rank's part of a window.
func (j *Job) sendWindow(key meeting, by *comm, context int32) {
	c := by.call
	head := windowHead{key.context, key.number, by.size, by.rank, context, c.RecvSize}
	j.abroad.kinds.window.Send(cluster.Everyone, true, head, unsafe.Slice(c.Send, c.SendSize))
}

func (j *Job) receiveWindow(_ int, head windowHead, part []byte) {
	mirror := host.NewMirror(part, int(head.Whole))
	s := &j.windows
	s.Lock()
	defer s.Unlock()
	key := meeting{head.Parent, head.Number}
	w := s.of(key, int(head.Size))
	if head.Context >= 0 {
		w.context = head.Context
	}
	if s.come(key, w, int(head.Rank), mirror) {
		j.abroad.complete(w)
	}
}

// joinApart does what join does for ranks in several processes. The window is complete when all
// ranks have called.
func (j *Job) joinApart(key meeting, by *comm) *window {
	context := int32(-1)
	if by.rank == 0 {
		context = j.abroad.world.NewContexts(key.opens(), by.ranks)
	}
	s := &j.windows
	s.Lock()
	w := s.of(key, by.Size())
	if context >= 0 {
		w.context = context
	}
	if s.come(key, w, by.Rank(), uintptr(unsafe.Pointer(by.call.Send))) {
		j.abroad.complete(w)
	}
	s.Unlock()
	j.sendWindow(key, by, context)
	return w
}

// complete makes a window known by its context.
func (a *abroad) complete(w *window) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.mirrors[w.context] = w
}

// sendAttached makes other processes know what a rank has attached to a dynamic window.
func (p *program) sendAttached() {
	c := p.rank.Call
	var list []byte
	if c.SendSize > 0 {
		list = unsafe.Slice(c.Send, c.SendSize)
	}
	head := attachedHead{c.Context, c.Rank}
	p.block.job.abroad.kinds.attached.Send(cluster.Everyone, true, head, list)
}

// attachedHead says where memory has been attached.
type attachedHead struct {
	Context int32 // of the window
	Rank    int32
}

func (j *Job) receiveAttached(_ int, head attachedHead, list []byte) {
	a := j.abroad
	a.mutex.Lock()
	w := a.mirrors[head.Context]
	a.mutex.Unlock()
	if w != nil {
		host.MirrorAttached(w.pointers[head.Rank], list)
	}
}
