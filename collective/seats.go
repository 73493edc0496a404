package collective

import (
	"cmp"
	"slices"
)

// Seats says at which hosts of their nodes the ranks of a communicator are, in networks whose nodes
// are networks of several hosts, such as GPUs. The same seat of each node is on the same rail.
type Seats struct {
	Members [][]int32 // the ranks of each of Layout.Nodes by their seats. The caller must not change it
	Most    int       // one more than the highest seat
	Rates   Rates
	places  []int32 // by rank: its index in Members
	of      []int32 // by rank: its seat
}

// Rates are how fast the network of a node and its NICs are, in MB/s; 0 if not known.
type Rates struct {
	Within  int // of the links of a host to others of its node
	Between int // of all NICs of a node
}

// newSeats returns the seats of ranks. seats has one for each.
func newSeats(nodes *Teams, seats []int32, rates Rates) *Seats {
	s := &Seats{Rates: rates, places: make([]int32, len(seats)), of: seats}
	for _, ranks := range nodes.Members {
		ranks = slices.Clone(ranks)
		slices.SortStableFunc(ranks, func(a, b int32) int { return cmp.Compare(seats[a], seats[b]) })
		for i, r := range ranks {
			s.places[r] = int32(i)
		}
		s.Most = max(s.Most, 1+int(seats[ranks[len(ranks)-1]]))
		s.Members = append(s.Members, ranks)
	}
	return s
}

// Place returns the index of a rank among the members of its node.
func (s *Seats) Place(rank int) int { return int(s.places[rank]) }

// From returns the index of the first member of a node at a seat or beyond it, 0 if there is none.
func (s *Seats) From(node, seat int) int {
	ranks := s.Members[node]
	i, _ := slices.BinarySearchFunc(ranks, int32(seat), func(rank, seat int32) int {
		return cmp.Compare(s.of[rank], seat)
	})
	return i % len(ranks)
}
