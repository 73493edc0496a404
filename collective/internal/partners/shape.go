package partners

import (
	"math/bits"

	"fabricast/collective"
)

// Shape is a rank's position in a tree: its parent (-1 at the root), and its children in the order
// in which the rank sends to them or receives from them.
type Shape struct {
	Parent   int
	Children []int
}

// Shaper returns the position of a place in a tree of p places whose root is place 0.
type Shaper func(p, place int) Shape

// At returns this rank's position in a tree with the given root: place i is the i-th rank above the
// root.
func (f Shaper) At(c collective.Comm, root int) Shape {
	p := c.Size()
	s := f(p, (c.Rank()-root+p)%p)
	if s.Parent >= 0 {
		s.Parent = (s.Parent + root) % p
	}
	for i := range s.Children {
		s.Children[i] = (s.Children[i] + root) % p
	}
	return s
}

// ChainShape returns a Shaper for a tree of several chains below the root, each of consecutive
// places. The lengths of the chains differ by at most one, and longer chains come first.
func ChainShape(chains int) Shaper {
	return func(p, place int) Shape {
		length, longer := (p-1)/chains, (p-1)%chains
		head := func(chain int) int { return 1 + chain*length + min(chain, longer) }
		if place == 0 {
			s := Shape{Parent: -1}
			for chain := range min(chains, p-1) {
				s.Children = append(s.Children, head(chain))
			}
			return s
		}
		chain := 0
		if at := place - 1; at < longer*(length+1) {
			chain = at / (length + 1)
		} else {
			chain = longer + (at-longer*(length+1))/length
		}
		s := Shape{Parent: place - 1}
		if place == head(chain) {
			s.Parent = 0
		}
		if place+1 < head(chain+1) {
			s.Children = []int{place + 1}
		}
		return s
	}
}

// BinaryShape is the Shaper of a balanced binary tree. All odd places are below place 1, and all
// even ones below place 2. The children of a place on level l are the places 2^l and 2^(l+1) above
// it.
func BinaryShape(p, place int) Shape {
	level := bits.Len(uint(place+1)) - 1
	s := Shape{Parent: -1}
	if level > 0 {
		first := 1<<level - 1 // first place of the level; the previous level has half as many places
		for s.Parent = place - 1<<(level-1); s.Parent >= first; {
			s.Parent -= 1 << (level - 1)
		}
	}
	for _, child := range [...]int{place + 1<<level, place + 2<<level} {
		if child < p {
			s.Children = append(s.Children, child)
		}
	}
	return s
}

// DoublingShape is the Shaper of the binomial tree in which the distance between parent and child
// doubles from round to round. In round k, all places below 2^k send to the place 2^k above them.
func DoublingShape(p, place int) Shape {
	s := Shape{Parent: -1}
	bit := 1 << bits.Len(uint(place))
	if place > 0 {
		s.Parent = place - bit>>1
	}
	for ; place+bit < p; bit <<= 1 {
		s.Children = append(s.Children, place+bit)
	}
	return s
}

// KnomialShape returns a Shaper for the k-nomial tree, with the largest subtrees first. In each
// round, a place that has the message sends it to k-1 others, and the distance decreases by a
// factor of k. For k = 2 this is the binomial tree.
func KnomialShape(k int) Shaper {
	return func(p, place int) Shape {
		s := Shape{Parent: -1}
		reach := 1
		for ; reach < p; reach *= k {
			if digit := place / reach % k; digit != 0 {
				s.Parent = place - digit*reach
				break
			}
		}
		for reach /= k; reach > 0; reach /= k {
			for i := 1; i < k && place+i*reach < p; i++ {
				s.Children = append(s.Children, place+i*reach)
			}
		}
		return s
	}
}

// BinomialDown is the Shaper of the binomial tree with the largest subtrees first.
var BinomialDown = Shaper(KnomialShape(2))

// InOrderShape is the Shaper of a binary tree whose root is the last place. The two subtrees of a
// place are the consecutive places before it; the subtree of its first child is the nearer one.
// Operands combined up the tree thus stay in the order of places.
func InOrderShape(p, place int) Shape {
	first, size, parent := 0, p, -1
	for {
		root := first + size - 1
		lower := size / 2 // number of places in the second child's subtree
		if place == root {
			s := Shape{Parent: parent}
			if size > 1 {
				s.Children = append(s.Children, root-1)
			}
			if lower > 0 && size-1-lower > 0 {
				s.Children = append(s.Children, first+lower-1)
			}
			return s
		}
		parent = root
		if size == 2 || place >= first+lower {
			if size == 2 {
				lower = 0
			}
			first, size = first+lower, size-1-lower
		} else {
			size = lower
		}
	}
}

// BinomialUp is the Shaper of the binomial tree in which each place combines its smallest subtree
// first.
func BinomialUp(p, place int) Shape {
	s := KnomialShape(2)(p, place)
	for i, j := 0, len(s.Children)-1; i < j; i, j = i+1, j-1 {
		s.Children[i], s.Children[j] = s.Children[j], s.Children[i]
	}
	return s
}
