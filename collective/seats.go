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
	places  []int32   // by rank: its index in Members
	of      []int32   // by rank: its seat
	rails   []int32   // by rank: its rail; nil: messages do not change rails
	onRail  [][]int32 // by node and rail: the first rank there; -1: none
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

// setRails says on which rail each seat is.
func (s *Seats) setRails(rail func(seat int32) int32) {
	most := int32(0)
	for _, seat := range s.of {
		s.rails = append(s.rails, rail(seat))
		most = max(most, rail(seat))
	}
	for _, ranks := range s.Members {
		first := slices.Repeat([]int32{-1}, int(most)+1)
		for _, r := range slices.Backward(ranks) {
			first[s.rails[r]] = r
		}
		s.onRail = append(s.onRail, first)
	}
}

// Railed reports whether messages to another node change to the rail of the receiver first.
func (s *Seats) Railed() bool { return s.rails != nil }

// Rail returns the rail of a rank. REQUIRES: Railed.
func (s *Seats) Rail(rank int) int32 { return s.rails[rank] }

// OnRail returns the first rank of a node that is on a rail, if there is one. REQUIRES: Railed.
func (s *Seats) OnRail(node int, rail int32) (rank int, ok bool) {
	r := s.onRail[node][rail]
	return int(r), r >= 0
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
