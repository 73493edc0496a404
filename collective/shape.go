package collective

import "math/bits"

// shape is a rank's place in a tree: its parent, -1 at the root, and its children in the order in
// which the rank serves them.
type shape struct {
	parent   int
	children []int
}

// shaper returns a place's shape in a tree over p places whose root is place 0.
type shaper func(p, place int) shape

// at returns this rank's shape in a tree whose root is a rank: place i is the i-th rank above it.
func (f shaper) at(c Comm, root int) shape {
	p := c.Size()
	s := f(p, (c.Rank()-root+p)%p)
	if s.parent >= 0 {
		s.parent = (s.parent + root) % p
	}
	for i := range s.children {
		s.children[i] = (s.children[i] + root) % p
	}
	return s
}

// chainShape returns a place's shape in a tree of several chains below the root, each of
// consecutive places. The lengths of chains differ by one at most, and the longer ones come first.
func chainShape(chains int) shaper {
	return func(p, place int) shape {
		length, longer := (p-1)/chains, (p-1)%chains
		head := func(chain int) int { return 1 + chain*length + min(chain, longer) }
		if place == 0 {
			s := shape{parent: -1}
			for chain := range min(chains, p-1) {
				s.children = append(s.children, head(chain))
			}
			return s
		}
		chain := 0
		if at := place - 1; at < longer*(length+1) {
			chain = at / (length + 1)
		} else {
			chain = longer + (at-longer*(length+1))/length
		}
		s := shape{parent: place - 1}
		if place == head(chain) {
			s.parent = 0
		}
		if place+1 < head(chain+1) {
			s.children = []int{place + 1}
		}
		return s
	}
}

// binaryShape returns a place's shape in a balanced binary tree. All odd places are below place 1,
// and all even ones below place 2. A place of level l has the children 2^l and 2^(l+1) above it.
func binaryShape(p, place int) shape {
	level := bits.Len(uint(place+1)) - 1
	s := shape{parent: -1}
	if level > 0 {
		first := 1<<level - 1 // of the level; the level before has half as many places
		for s.parent = place - 1<<(level-1); s.parent >= first; {
			s.parent -= 1 << (level - 1)
		}
	}
	for _, child := range [...]int{place + 1<<level, place + 2<<level} {
		if child < p {
			s.children = append(s.children, child)
		}
	}
	return s
}

// doublingShape returns a place's shape in the binomial tree in which the distance between parent
// and child doubles from round to round. In round k all places below 2^k send to the place 2^k
// above.
func doublingShape(p, place int) shape {
	s := shape{parent: -1}
	bit := 1 << bits.Len(uint(place))
	if place > 0 {
		s.parent = place - bit>>1
	}
	for ; place+bit < p; bit <<= 1 {
		s.children = append(s.children, place+bit)
	}
	return s
}

// knomialShape returns a place's shape in a k-nomial tree, with the largest subtrees first. In each
// round a place that has the message sends it to k-1 others, and the distance falls by the factor
// k. With k = 2 it is the binomial tree.
func knomialShape(k int) shaper {
	return func(p, place int) shape {
		s := shape{parent: -1}
		reach := 1
		for ; reach < p; reach *= k {
			if digit := place / reach % k; digit != 0 {
				s.parent = place - digit*reach
				break
			}
		}
		for reach /= k; reach > 0; reach /= k {
			for i := 1; i < k && place+i*reach < p; i++ {
				s.children = append(s.children, place+i*reach)
			}
		}
		return s
	}
}

// binomialDown returns a place's shape in the binomial tree with the largest subtrees first.
var binomialDown = shaper(knomialShape(2))

// inOrderShape returns a place's shape in a binary tree whose root is the last place. Both subtrees
// of a place hold the consecutive places before it, the first child's subtree the nearer ones. So
// operands combined up the tree stay in the order of places.
func inOrderShape(p, place int) shape {
	first, size, parent := 0, p, -1
	for {
		root := first + size - 1
		lower := size / 2 // places of the second child's subtree
		if place == root {
			s := shape{parent: parent}
			if size > 1 {
				s.children = append(s.children, root-1)
			}
			if lower > 0 && size-1-lower > 0 {
				s.children = append(s.children, first+lower-1)
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
