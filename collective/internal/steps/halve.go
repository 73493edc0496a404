package steps

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/node"
)

// Halve performs a reduce-scatter by recursive halving. Afterwards, each place has the complete
// result of one of Pow2 chunks. Halve returns the number of this rank's chunk.
func Halve(c collective.Comm, f partners.Fold, acc, in node.Buf, op *collective.Op, tag int) (lo int) {
	rank := c.Rank()
	place := f.Place(rank)
	width := f.Pow2
	for bit := 1; bit < f.Pow2; bit <<= 1 {
		width >>= 1
		keep, give := lo, lo+width
		if place&bit != 0 {
			keep, give = give, keep
		}
		partner := f.Rank(place ^ bit)
		mine := Chunks(op, acc, keep, keep+width, f.Pow2)
		got := in.Slice(0, mine.Len())
		c.Sendrecv(Chunks(op, acc, give, give+width, f.Pow2), partner, tag,
			got, partner, tag)
		Combine(c, op, mine, got, partner < rank)
		lo = keep
	}
	return lo
}

// FoldIn sends the operands of idle ranks to their partners (see partners.Fold), which combine
// them. At an idle rank, it waits for the result and returns false, because the rank has nothing
// else to do.
func FoldIn(c collective.Comm, f partners.Fold, acc, in node.Buf, op *collective.Op, tag int) bool {
	rank := c.Rank()
	switch {
	case f.Idle(rank):
		c.Send(acc, rank+1, tag)
		c.Recv(acc, rank+1, tag)
		return false
	case f.Paired(rank):
		c.Recv(in, rank-1, tag)
		Combine(c, op, acc, in, true)
	}
	return true
}

// FoldOut sends the result to the idle ranks.
func FoldOut(c collective.Comm, f partners.Fold, acc node.Buf, tag int) {
	if f.Paired(c.Rank()) {
		c.Send(acc, c.Rank()-1, tag)
	}
}
