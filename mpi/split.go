package mpi

import (
	"cmp"
	"slices"
	"sync"
)

// splits are the communicators being made from one communicator. The messages
// of Split take their simulated time and make sure that everybody's part is there; the
// values themselves go through this table, so that a split of n ranks needs O(n) memory and not O(n^2).
type splits struct {
	sync.Mutex
	open map[uint32]*split
}

// split is one call of Split by all ranks of a communicator.
type split struct {
	colors, keys []int
	place        []place
	unread       int // ranks that have yet to fetch their place
}

// place is where a rank went; its group is nil if nowhere.
type place struct {
	group *group
	rank  int32
}

// Bytes that one rank's part of a split takes in messages: color and key on
// the way up, context and rank on the way down.
const splitBytes = 8

// splitTag marks the messages of Split among those of collectives, whose own tags are small.
const splitTag = maxTag

// Split makes new communicators: one for each color, of the ranks that gave it,
// ordered by key and then by rank. Ranks with color Undefined get nil. All ranks of the communicator must call it.
func (c *Comm) Split(color, key int) *Comm {
	if c.rank.cursor != nil {
		panic(errOutcome)
	}
	sequence := c.splits
	c.splits++
	if color < 0 && color != Undefined {
		c.failColor(color)
	}
	c.group.splits.deposit(sequence, c.Size(), c.Rank(), color, key)
	c.gatherUp()
	if c.me == 0 {
		c.group.splits.arrange(sequence, c)
	}
	c.spreadDown()
	p := c.group.splits.fetch(sequence, c.Rank())
	if p.group == nil {
		return nil
	}
	return &Comm{rank: c.rank, group: p.group, me: p.rank}
}

// Dup makes a communicator of the same ranks in the same order. All of them must call it.
func (c *Comm) Dup() *Comm { return c.Split(0, c.Rank()) }

// gatherUp collects everybody's part at rank 0 along a binomial tree: a rank
// sends the parts of its subtree to the rank without its lowest set bit.
func (c *Comm) gatherUp() {
	p := (*private)(c)
	n, me := c.Size(), c.Rank()
	for bit := 1; bit < n; bit <<= 1 {
		if me&bit != 0 {
			p.Send(Size(splitBytes*min(bit, n-me)), me-bit, splitTag)
			return
		}
		if child := me + bit; child < n {
			p.Recv(Size(splitBytes*min(bit, n-child)), child, splitTag)
		}
	}
}

// spreadDown hands the result back along the same tree.
func (c *Comm) spreadDown() {
	p := (*private)(c)
	n, me := c.Size(), c.Rank()
	bit := 1
	for ; bit < n && me&bit == 0; bit <<= 1 {
	}
	if me != 0 {
		p.Recv(Size(splitBytes*min(bit, n-me)), me-bit, splitTag)
	}
	for bit >>= 1; bit > 0; bit >>= 1 {
		if child := me + bit; child < n {
			p.Send(Size(splitBytes*min(bit, n-child)), child, splitTag)
		}
	}
}

// deposit notes one rank's color and key.
func (s *splits) deposit(sequence uint32, n, rank, color, key int) {
	s.Lock()
	defer s.Unlock()
	if s.open == nil {
		s.open = make(map[uint32]*split)
	}
	t := s.open[sequence]
	if t == nil {
		t = &split{colors: make([]int, n), keys: make([]int, n), unread: n}
		s.open[sequence] = t
	}
	t.colors[rank], t.keys[rank] = color, key
}

// fetch returns where a rank went, and forgets the split after the last one.
func (s *splits) fetch(sequence uint32, rank int) place {
	s.Lock()
	defer s.Unlock()
	t := s.open[sequence]
	if t.unread--; t.unread == 0 {
		delete(s.open, sequence)
	}
	return t.place[rank]
}

// arrange makes the groups once all colors and keys are there.
func (s *splits) arrange(sequence uint32, c *Comm) {
	s.Lock()
	defer s.Unlock()
	t := s.open[sequence]
	order := make([]int32, 0, len(t.colors))
	for r, color := range t.colors {
		if color != Undefined {
			order = append(order, int32(r))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(t.colors[a], t.colors[b]), cmp.Compare(t.keys[a], t.keys[b]), cmp.Compare(a, b))
	})
	t.place = make([]place, len(t.colors))
	for first := 0; first < len(order); {
		end := first + 1
		for end < len(order) && t.colors[order[end]] == t.colors[order[first]] {
			end++
		}
		t.found(c, order[first:end])
		first = end
	}
}

// found makes the group of one color; members are ranks of c in their new order.
func (t *split) found(c *Comm, members []int32) {
	ranks := make([]int32, len(members))
	for i, m := range members {
		ranks[i] = c.world(int(m))
	}
	g := &group{ranks: ranks, size: len(ranks), context: c.rank.ops.World().NewContexts(ranks)}
	for i, m := range members {
		t.place[m] = place{group: g, rank: int32(i)}
	}
}
