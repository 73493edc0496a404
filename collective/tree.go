package collective

import "math/bits"

// tree is a rank's position in the binomial tree over p ranks with any root. Places count from the
// root: rel = (rank - root) mod p. The subtree of a place holds the places rel to rel+span-1 that
// exist; its parent is rel-span.
type tree struct {
	p, root int
	rel     int
	span    int // a power of two: lowest set bit of rel; at the root, the smallest not below p
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

// rank returns the rank at place rel, which must be less than 2p.
func (t tree) rank(rel int) int { return (rel + t.root) % t.p }

// end returns the first place after a subtree.
func (t tree) end(rel, span int) int { return min(rel+span, t.p) }
