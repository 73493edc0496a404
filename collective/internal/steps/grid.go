package steps

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/node"
)

// Schedule returns the rounds on a grid of a share that begins in a dimension.
type Schedule func(dims []int, first int, mirror bool) partners.Rounds

// SwingSchedule is the Schedule of Swing.
func SwingSchedule(dims []int, first int, mirror bool) partners.Rounds {
	return partners.NewSwinging(dims, first, mirror)
}

// BucketSchedule is the Schedule of rings in each dimension.
func BucketSchedule(dims []int, first int, mirror bool) partners.Rounds {
	return partners.NewBucket(dims, first, mirror)
}

// GridOf returns the box that the ranks fill. It panics if they fill none.
func GridOf(c collective.Comm, k collective.Kind, a collective.Algorithm) *collective.Box {
	l := collective.LayoutOf(c)
	l.Require(k, a, collective.NeedsBox)
	return l.Box
}

// RowOf returns the box of ranks in a row.
func RowOf(c collective.Comm) *collective.Box { return collective.Row(c.Size()) }

// BufferLanes returns the lanes of an allreduce, which divides a buffer among shares, and those among
// places.
func BufferLanes(c collective.Comm, box *collective.Box, ways int, s Schedule, op *collective.Op, size int) []Lane {
	p := c.Size()
	whole := Divide(op, size, ways)
	return lanes(c, box, ways, s, func(way int, rounds partners.Rounds) func(int) (int, int) {
		first := whole.offset(way)
		share := Divide(op, whole.offset(way+1)-first, p)
		return func(place int) (int, int) {
			i := rounds.Index(place)
			at := share.offset(i)
			return first + at, share.offset(i+1) - at
		}
	})
}

// BlockLanes returns the lanes of a collective with a block for each rank, of which each share takes a
// part.
func BlockLanes(c collective.Comm, box *collective.Box, ways int, s Schedule, op *collective.Op, block int) []Lane {
	parts := Divide(op, block, ways)
	return lanes(c, box, ways, s, func(way int, _ partners.Rounds) func(int) (int, int) {
		first, n := parts.offset(way), parts.offset(way+1)-parts.offset(way)
		return func(place int) (int, int) { return box.Rank(place)*block + first, n }
	})
}

func lanes(
	c collective.Comm, box *collective.Box, ways int, s Schedule,
	chunks func(way int, rounds partners.Rounds) func(int) (int, int),
) []Lane {
	list := make([]Lane, ways)
	for way := range list {
		first, mirror := Way(box.Dims, way)
		rounds := s(box.Dims, first, mirror)
		list[way] = Lane{
			Rounds: rounds, Place: box.Place(c.Rank()), Rank: box.Rank, Chunk: chunks(way, rounds),
		}
	}
	return list
}

// ReduceWhole combines the operands of all ranks in acc at every rank. In each step every rank
// exchanges the whole of each share. The distances halve from step to step: then the ranks whose
// operands two ranks have combined are the same or others, and all ranks combine in the same order.
// In a dimension whose size is no power of two, pairs of neighbours act as one. The operation must be
// commutative.
func ReduceWhole(c collective.Comm, acc node.Buf, box *collective.Box, ways int, op *collective.Op, tag int) {
	g := newFolded(box.Dims)
	in := Scratch(acc.Len(), acc)
	me := box.Place(c.Rank())
	if active := g.active(me); active != me {
		c.Send(acc, box.Rank(active), tag)
		c.Recv(acc, box.Rank(active), tag)
		return
	}
	idle := g.idle(me)
	for _, place := range idle {
		c.Recv(in, box.Rank(place), tag)
		Combine(c, op, acc, in, true)
	}
	shares := Divide(op, acc.Len(), ways)
	b := make([]*partners.Swinging, ways)
	for way := range b {
		first, mirror := Way(box.Dims, way)
		b[way] = partners.NewSwinging(g.dims, first, mirror)
	}
	for s := b[0].Count() - 1; s >= 0; s-- {
		requests := make([]node.Request, 0, 2*ways)
		for way := range b {
			other := box.Rank(g.place(b[way].To(s, g.number(me))))
			requests = append(requests, c.Irecv(shares.Chunks(in, way, way+1), other, tag))
		}
		for way := range b {
			other := box.Rank(g.place(b[way].To(s, g.number(me))))
			requests = append(requests, c.Isend(shares.Chunks(acc, way, way+1), other, tag))
		}
		c.WaitAll(requests)
		Combine(c, op, acc, in, true)
	}
	for _, place := range idle {
		c.Send(acc, box.Rank(place), tag)
	}
}

// folded reduces each dimension of a grid to a power of two (see partners.Fold).
type folded struct {
	full, dims []int
	folds      []partners.Fold
}

func newFolded(dims []int) *folded {
	g := &folded{full: dims}
	for _, k := range dims {
		f := partners.NewFold(k)
		g.folds, g.dims = append(g.folds, f), append(g.dims, f.Pow2)
	}
	return g
}

// active returns the place that takes part for a place.
func (g *folded) active(place int) int {
	stride, rest := 1, place
	for d, k := range g.full {
		if g.folds[d].Idle(rest % k) {
			place += stride
		}
		rest /= k
		stride *= k
	}
	return place
}

// idle lists the places for which an active place takes part.
func (g *folded) idle(place int) []int {
	list := []int{place}
	stride, rest := 1, place
	for d, k := range g.full {
		if g.folds[d].Paired(rest % k) {
			for _, p := range list {
				list = append(list, p-stride)
			}
		}
		rest /= k
		stride *= k
	}
	return list[1:]
}

// number returns the place of an active place in the reduced grid, and place the reverse.
func (g *folded) number(place int) (n int) {
	stride := 1
	for d, k := range g.full {
		n += g.folds[d].Place(place%k) * stride
		place /= k
		stride *= g.dims[d]
	}
	return n
}

func (g *folded) place(number int) (place int) {
	stride := 1
	for d, k := range g.dims {
		place += g.folds[d].Rank(number%k) * stride
		number /= k
		stride *= g.full[d]
	}
	return place
}
