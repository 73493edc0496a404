package dumpi

import (
	"maps"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"fabricast/trace"
)

// cluster draws calls of ranks that create communicators, and holds the resulting communicators.
type cluster struct {
	t     *rapid.T
	ranks []*writer
	comms []drawnComm
	next  []uint16             // by rank: the next handle
	held  []map[uint16][]int32 // by rank and handle: the members of the communicator
}

// drawnComm is a communicator that has been drawn.
type drawnComm struct {
	members []int32
	handles map[int32]uint16 // by rank
	dims    []int32
}

func newCluster(t *rapid.T) *cluster {
	c := &cluster{t: t}
	world := drawnComm{handles: map[int32]uint16{}}
	for rank := range rapid.IntRange(1, 12).Draw(t, "ranks") {
		c.ranks = append(c.ranks, &writer{})
		c.next = append(c.next, 4)
		c.held = append(c.held, map[uint16][]int32{})
		world.members = append(world.members, int32(rank))
		world.handles[int32(rank)] = commWorld
	}
	c.comms = []drawnComm{world}
	return c
}

// handle returns a new handle of a rank.
func (c *cluster) handle(rank int32) uint16 {
	c.next[rank] += uint16(rapid.IntRange(1, 3).Draw(c.t, "handle"))
	return c.next[rank]
}

// make adds a communicator with the given members and their handles of it.
func (c *cluster) make(members []int32, handles map[int32]uint16, dims []int32) {
	if len(members) == 0 {
		return
	}
	c.comms = append(c.comms, drawnComm{members, handles, dims})
	for _, rank := range members {
		c.held[rank][handles[rank]] = members
	}
}

// step draws a collective call on a communicator that creates communicators.
func (c *cluster) step() {
	old := rapid.SampledFrom(c.comms).Draw(c.t, "communicator")
	handles := map[int32]uint16{}
	for _, rank := range old.members {
		handles[rank] = c.handle(rank)
	}
	call := func(f uint16, rank int32, arguments ...any) { c.ranks[rank].call(f, 0, 0, arguments...) }
	n := len(old.members)
	switch rapid.IntRange(0, 4).Draw(c.t, "kind") {
	case 0:
		for _, rank := range old.members {
			call(commDup, rank, old.handles[rank], handles[rank])
		}
		c.make(old.members, handles, old.dims)
	case 1:
		c.split(old, handles)
	case 2: // a range of ranks with a step in reverse order, or all other ranks
		from, step := rapid.IntRange(0, n-1).Draw(c.t, "from"), rapid.IntRange(1, 3).Draw(c.t, "step")
		var members []int32
		for i := n - 1; i >= from; i -= step {
			members = append(members, old.members[i])
		}
		exclude := rapid.Bool().Draw(c.t, "exclude")
		for _, rank := range old.members {
			call(commGroup, rank, old.handles[rank], uint16(3))
			f := uint16(groupRangeIncl)
			if exclude {
				f = groupRangeExcl
			}
			call(
				f,
				rank,
				uint16(3),
				int32(1),
				uint32(1),
				[]int32{int32(n - 1), int32(from), int32(-step)},
				uint16(4),
			)
			call(commCreate, rank, old.handles[rank], uint16(4), handles[rank])
		}
		if exclude {
			members = slices.DeleteFunc(
				slices.Clone(old.members),
				func(r int32) bool { return slices.Contains(members, r) },
			)
		}
		c.make(members, handles, nil)
	case 3:
		dims := []int32{int32(rapid.IntRange(1, n).Draw(c.t, "rows"))}
		dims = append(dims, int32(n)/dims[0])
		for _, rank := range old.members {
			call(cartCreate, rank, old.handles[rank], int32(2), dims, dims, int32(0), handles[rank])
		}
		c.make(old.members[:dims[0]*dims[1]], handles, dims)
	default:
		if len(old.dims) == 0 {
			return
		}
		for _, rank := range old.members {
			call(cartSub, rank, int32(2), old.handles[rank], []int32{0, 1}, handles[rank])
		}
		for row := range int(old.dims[0]) {
			columns := int(old.dims[1])
			c.make(old.members[row*columns:(row+1)*columns], handles, nil)
		}
	}
}

// split draws MPI_Comm_split.
func (c *cluster) split(old drawnComm, handles map[int32]uint16) {
	type part struct{ key, rank int32 }
	parts := map[int32][]part{}
	for _, rank := range old.members {
		color, key := int32(rapid.IntRange(-1, 2).Draw(c.t, "color")), int32(
			rapid.IntRange(-2, 2).Draw(c.t, "key"),
		)
		c.ranks[rank].call(commSplit, 0, 0, old.handles[rank], color, key, handles[rank])
		if color >= 0 {
			parts[color] = append(parts[color], part{key, rank})
		}
	}
	for _, color := range slices.Sorted(maps.Keys(parts)) {
		list := parts[color]
		slices.SortStableFunc(list, func(a, b part) int { return int(a.key - b.key) })
		var members []int32
		for _, p := range list {
			members = append(members, p.rank)
		}
		c.make(members, handles, nil)
	}
}

// TestCommunicators checks the members of all communicators after a random sequence of calls that
// create them.
func TestCommunicators(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newCluster(t)
		for range rapid.IntRange(0, 12).Draw(t, "steps") {
			c.step()
		}
		var want [][][]int32
		var files [][]byte
		for rank, w := range c.ranks {
			var groups [][]int32
			for _, handle := range slices.Sorted(maps.Keys(c.held[rank])) {
				w.call(65, 0, 0, int32(1), aInt, uint8(3), handle)
				groups = append(groups, c.held[rank][handle])
			}
			want, files = append(want, groups), append(files, w.bytes())
		}
		dir, err := os.MkdirTemp("", "dumpi")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		s, err := Open(write(t, dir, files...))
		if err != nil {
			t.Fatal(err)
		}
		for rank := range files {
			list, _, err := read(s, rank)
			if err != nil {
				t.Fatal(err)
			}
			var got [][]int32
			for _, r := range list {
				if r.Kind != trace.Collective {
					t.Fatalf("rank %d: %+v", rank, r)
				}
				members := s.Groups()[r.Call.Group]
				if members == nil {
					members = c.comms[0].members
				}
				got = append(got, members)
			}
			if !slices.EqualFunc(got, want[rank], slices.Equal) {
				t.Fatalf("rank %d: %v, want %v", rank, got, want[rank])
			}
		}
	})
}
