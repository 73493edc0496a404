package collective

import "math/bits"

// tree is a rank's place in the binomial tree over p ranks whose root may be
// any of them. Places count from the root: rel = (rank - root) mod p. The
// subtree of a place holds the places rel to rel+span-1, as far as they exist;
// its parent is rel-span.
type tree struct {
	p, root int
	rel     int
	span    int // a power of two: lowest set bit of rel, or at the root the first one not below p
}

func newTree(c Comm, root int) tree {
	p := c.Size()
	rel := (c.Rank() - root + p) % p
	span := rel & -rel
	if rel == 0 {
		span = 1 << bits.Len(uint(p-1))
	}
	return tree{p: p, root: root, rel: rel, span: span}
}

// rank is the rank at a place; the place may be up to one round too large.
func (t tree) rank(rel int) int { return (rel + t.root) % t.p }

// end is the first place beyond a subtree.
func (t tree) end(rel, span int) int { return min(rel+span, t.p) }
