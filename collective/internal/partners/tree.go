package partners

import (
	"math/bits"

	"fabricast/collective"
)

// Tree is a rank's position in the binomial tree over p ranks with any root. Places count from the
// root: rel = (rank - root) mod p. The subtree of a place holds the places rel to rel+span-1 that
// exist; its parent is rel-span.
type Tree struct {
	P, root int // ranks, and the root among them
	Rel     int // the place
	Span    int // a power of two: lowest set bit of rel; at the root, the smallest not below p
}

// NewTree returns the position of the calling rank.
func NewTree(c collective.Comm, root int) Tree {
	p := c.Size()
	rel := (c.Rank() - root + p) % p
	span := rel & -rel
	if rel == 0 {
		span = 1 << bits.Len(uint(p-1))
	}
	return Tree{P: p, root: root, Rel: rel, Span: span}
}

// Rank returns the rank at place rel, which must be less than 2p.
func (t Tree) Rank(rel int) int { return (rel + t.root) % t.P }

// End returns the first place after a subtree.
func (t Tree) End(rel, span int) int { return min(rel+span, t.P) }
