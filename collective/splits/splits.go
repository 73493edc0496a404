package splits

import (
	"cmp"
	"slices"
	"sync"

	"fabricast/collective"
	"fabricast/node"
)

// Table holds the splits of communicators that are in progress. K identifies a split, and G is the
// data that the ranks of a new communicator share. The messages of a split only simulate its
// duration and ensure that the data of all ranks is there. The values themselves are passed in this
// table, so that a split of n ranks needs O(n) memory instead of O(n^2). The zero value is ready to
// use.
type Table[K comparable, G any] struct {
	mutex sync.Mutex
	open  map[K]*split[G]
}

// split is one split by all ranks of a communicator.
type split[G any] struct {
	colors, orders []int
	place          []splitPlace[G]
	unread         int // number of ranks that have not fetched their result yet
}

// splitPlace is the result of a split for one rank: its new communicator, and its rank there.
type splitPlace[G any] struct {
	group G
	rank  int32 // -1: the rank is in no new communicator
}

// splitBytes is the size of one rank's data in messages: color and key on the way up the tree,
// context and rank on the way down.
const splitBytes = 8

// Split creates one communicator for each color, with the ranks that passed that color, sorted by
// order and then by rank. It returns the data that the ranks of the caller's new communicator
// share, and the caller's rank there. Ranks with a negative color get the rank -1 and no
// communicator. All ranks of c must call Split with the same key and tag. found is called at rank
// 0. It creates the shared data from the members' ranks in c, in their new order.
func (s *Table[K, G]) Split(c collective.Comm, key K, color, order, tag int, found func(members []int32) G) (G, int32) {
	s.deposit(key, c, color, order)
	splitUp(c, tag)
	if c.Rank() == 0 {
		s.arrange(key, found)
	}
	splitDown(c, tag)
	return s.fetch(key, c.Rank())
}

// splitUp sends the data of all ranks to rank 0 along a binomial tree. The parent of a rank, to
// which it sends the data of its subtree, has the rank's number without the lowest set bit.
func splitUp(c collective.Comm, tag int) {
	n, me := c.Size(), c.Rank()
	for bit := 1; bit < n; bit <<= 1 {
		if me&bit != 0 {
			c.Send(node.Size(splitBytes*min(bit, n-me)), me-bit, tag)
			return
		}
		if child := me + bit; child < n {
			c.Recv(node.Size(splitBytes*min(bit, n-child)), child, tag)
		}
	}
}

// splitDown sends the results back down the same tree.
func splitDown(c collective.Comm, tag int) {
	n, me := c.Size(), c.Rank()
	bit := 1
	for ; bit < n && me&bit == 0; bit <<= 1 {
	}
	if me != 0 {
		c.Recv(node.Size(splitBytes*min(bit, n-me)), me-bit, tag)
	}
	for bit >>= 1; bit > 0; bit >>= 1 {
		if child := me + bit; child < n {
			c.Send(node.Size(splitBytes*min(bit, n-child)), child, tag)
		}
	}
}

// deposit stores the color and order of one rank.
func (s *Table[K, G]) deposit(key K, c collective.Comm, color, order int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.open == nil {
		s.open = make(map[K]*split[G])
	}
	t := s.open[key]
	if t == nil {
		n := c.Size()
		t = &split[G]{colors: make([]int, n), orders: make([]int, n), unread: n}
		s.open[key] = t
	}
	t.colors[c.Rank()], t.orders[c.Rank()] = color, order
}

// fetch returns a rank's new communicator and its rank there. The last call of a split removes it.
func (s *Table[K, G]) fetch(key K, rank int) (G, int32) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	t := s.open[key]
	if t.unread--; t.unread == 0 {
		delete(s.open, key)
	}
	return t.place[rank].group, t.place[rank].rank
}

// arrange creates the new communicators when all colors and orders are stored.
func (s *Table[K, G]) arrange(key K, found func(members []int32) G) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	t := s.open[key]
	members := make([]int32, 0, len(t.colors))
	t.place = make([]splitPlace[G], len(t.colors))
	for r, color := range t.colors {
		t.place[r].rank = -1
		if color >= 0 {
			members = append(members, int32(r))
		}
	}
	slices.SortFunc(members, func(a, b int32) int {
		return cmp.Or(
			cmp.Compare(t.colors[a], t.colors[b]), cmp.Compare(t.orders[a], t.orders[b]),
			cmp.Compare(a, b),
		)
	})
	for len(members) > 0 {
		end := 1
		for end < len(members) && t.colors[members[end]] == t.colors[members[0]] {
			end++
		}
		group := found(members[:end])
		for i, m := range members[:end] {
			t.place[m] = splitPlace[G]{group, int32(i)}
		}
		members = members[end:]
	}
}
