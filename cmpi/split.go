package cmpi

import (
	"cmp"
	"slices"
	"sync"
	"unsafe"

	"fabricast/cmpi/internal/host"
	"fabricast/collective"
	"fabricast/node"
)

// splits are the communicators being made. The messages of a split take their simulated time and make
// sure that everybody's part is there; the values themselves go through this table, so that a
// split of n ranks needs O(n) memory and not O(n^2).
type splits struct {
	sync.Mutex
	open    map[splitKey]*split
	windows map[splitKey]*window
}

// splitKey is a split: the communicator's context, and which of its splits it is.
type splitKey struct{ context, number int32 }

// split is one split by all ranks of a communicator.
type split struct {
	colors, keys []int32
	place        []place
	unread       int
}

// place is where a rank went; its context is negative if nowhere.
type place struct {
	context, rank int32
	ranks         []int32
}

// splitBytes is what one rank's part takes in messages: color and key on the way up,
// context and rank on the way down.
const splitBytes = 8

// split makes new communicators, as mpi.Comm.Split does and in the same time.
func (s *strand) split() {
	c := s.call
	key := splitKey{c.Context, c.Root}
	table := &s.program.block.job.splits
	table.deposit(key, c)
	s.gatherUp()
	if c.Rank == 0 {
		table.arrange(key, s)
	}
	s.spreadDown()
	p := table.fetch(key, c.Rank)
	c.NewContext, c.NewRank, c.NewSize = p.context, p.rank, int32(len(p.ranks))
	if p.context >= 0 {
		c.NewRanks = &p.ranks[0]
	}
}

// gatherUp collects everybody's part at rank 0 along a binomial tree: a rank
// sends the parts of its subtree to the rank without its lowest set bit.
func (s *strand) gatherUp() {
	n, me := s.Size(), s.Rank()
	for bit := 1; bit < n; bit <<= 1 {
		if me&bit != 0 {
			s.Send(node.Size(splitBytes*min(bit, n-me)), me-bit, tagSplit)
			return
		}
		if child := me + bit; child < n {
			s.Recv(node.Size(splitBytes*min(bit, n-child)), child, tagSplit)
		}
	}
}

// spreadDown hands the result back along the same tree.
func (s *strand) spreadDown() {
	n, me := s.Size(), s.Rank()
	bit := 1
	for ; bit < n && me&bit == 0; bit <<= 1 {
	}
	if me != 0 {
		s.Recv(node.Size(splitBytes*min(bit, n-me)), me-bit, tagSplit)
	}
	for bit >>= 1; bit > 0; bit >>= 1 {
		if child := me + bit; child < n {
			s.Send(node.Size(splitBytes*min(bit, n-child)), child, tagSplit)
		}
	}
}

// deposit notes one rank's color and key.
func (s *splits) deposit(key splitKey, c *host.Call) {
	s.Lock()
	defer s.Unlock()
	t := s.open[key]
	if t == nil {
		n := int(c.Size)
		t = &split{colors: make([]int32, n), keys: make([]int32, n), unread: n}
		s.open[key] = t
	}
	t.colors[c.Rank], t.keys[c.Rank] = c.Color, c.Key
}

// fetch returns where a rank went, and forgets the split after the last one.
func (s *splits) fetch(key splitKey, rank int32) place {
	s.Lock()
	defer s.Unlock()
	t := s.open[key]
	if t.unread--; t.unread == 0 {
		delete(s.open, key)
	}
	return t.place[rank]
}

// arrange makes the groups once all colors and keys are there.
func (s *splits) arrange(key splitKey, by *strand) {
	s.Lock()
	defer s.Unlock()
	t := s.open[key]
	order := make([]int32, 0, len(t.colors))
	t.place = make([]place, len(t.colors))
	for r, color := range t.colors {
		t.place[r].context = -1
		if color >= 0 {
			order = append(order, int32(r))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(t.colors[a], t.colors[b]), cmp.Compare(t.keys[a], t.keys[b]), cmp.Compare(a, b))
	})
	for first := 0; first < len(order); {
		end := first + 1
		for end < len(order) && t.colors[order[end]] == t.colors[order[first]] {
			end++
		}
		t.found(by, order[first:end])
		first = end
	}
}

// found makes the group of one color; members are ranks of the communicator in their new order.
func (t *split) found(by *strand, members []int32) {
	ranks := host.NewRanks(len(members))
	for i, m := range members {
		ranks[i] = by.world(int(m))
	}
	context := by.ops.World().NewContexts(ranks)
	for i, m := range members {
		t.place[m] = place{context, int32(i), ranks}
	}
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
	table := &s.program.block.job.splits
	w := table.join(splitKey{c.Context, c.Root}, s)
	c.NewContext, c.NewRanks = w.context, (*int32)(unsafe.Pointer(&w.pointers[0]))
	c.Context = w.context
	collective.Barrier(s, collective.Default)
}

// join leaves a rank's pointer with the others.
func (s *splits) join(key splitKey, by *strand) *window {
	s.Lock()
	defer s.Unlock()
	w := s.windows[key]
	n := by.Size()
	if w == nil {
		words := host.NewRanks(2*n + 2)
		w = &window{by.ops.World().NewContexts(by.ranks), unsafe.Slice((*uintptr)(unsafe.Pointer(&words[0])), n), 0}
		s.windows[key] = w
	}
	w.pointers[by.Rank()] = uintptr(unsafe.Pointer(by.call.Send))
	if w.come++; w.come == n {
		delete(s.windows, key)
	}
	return w
}
