package partners

import (
	"math/bits"

	"fabricast/collective"
)

// Tree is a rank's position in the binomial tree of p ranks with any root. Places count from the
// root: Rel = (rank - root) mod p. The subtree of a place consists of the existing places among Rel
// to Rel+Span-1. The parent is place Rel-Span.
type Tree struct {
	P, root int // number of ranks, and the rank that is the root
	Rel     int // place of the rank
	Span    int // lowest set bit of Rel; at the root, the smallest power of two that is not below P
}

// NewTree returns the position of the calling rank in the tree with the given root.
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

// End returns the first place after the subtree of `span` places that starts at place rel.
func (t Tree) End(rel, span int) int { return min(rel+span, t.P) }
