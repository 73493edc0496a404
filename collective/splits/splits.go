package splits

import (
	"cmp"
	"slices"
	"sync"

	"fabricast/collective"
	"fabricast/node"
)

// Table holds the splits of communicators that are in progress. K identifies a split; G is what
// the ranks of a new communicator share. The messages of a split only simulate its time and ensure
// that the data of all ranks is present. The values themselves go through this table, so a split of
// n ranks needs O(n) memory instead of O(n^2). The zero value is ready to use.
type Table[K comparable, G any] struct {
	mutex sync.Mutex
	open  map[K]*split[G]
}

// split is one split by all ranks of a communicator.
type split[G any] struct {
	colors, orders []int
	place          []splitPlace[G]
	unread         int // ranks that have not fetched their place yet
}

// splitPlace is the new communicator of a rank, and its rank there.
type splitPlace[G any] struct {
	group G
	rank  int32 // -1: in no new communicator
}

// splitBytes is the size of one rank's data in messages: color and key on the way up, context and
// rank on the way down.
const splitBytes = 8

// Split makes new communicators: one for each color, with the ranks that passed that color, ordered
// by order and then by rank. It returns what the caller's new communicator shares, and the caller's
// rank there. Ranks with a negative color get the rank -1 and no communicator. All ranks of c must
// call it with the same key and tag. found makes what the ranks of one color share from their ranks
// in c, in their new order; it is called at rank 0.
func (s *Table[K, G]) Split(c collective.Comm, key K, color, order, tag int, found func(members []int32) G) (G, int32) {
	s.deposit(key, c, color, order)
	splitUp(c, tag)
	if c.Rank() == 0 {
		s.arrange(key, found)
	}
	splitDown(c, tag)
	return s.fetch(key, c.Rank())
}

// splitUp sends the data of all ranks to rank 0 along a binomial tree: a rank sends the data of its
// subtree to the rank without its lowest set bit.
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

// splitDown sends the results back along the same tree.
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

// deposit stores one rank's color and order.
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

// fetch returns a rank's new communicator and its rank there. The last call removes the split.
func (s *Table[K, G]) fetch(key K, rank int) (G, int32) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	t := s.open[key]
	if t.unread--; t.unread == 0 {
		delete(s.open, key)
	}
	return t.place[rank].group, t.place[rank].rank
}

// arrange makes the new groups once all colors and orders are stored.
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
