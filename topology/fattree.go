package topology

import "fmt"

// FatTreeSpec describes a fat tree of switches with the same number of ports
// (a folded Clos network): of full bisection, or tapered at the leaves.
type FatTreeSpec struct {
	Radix  int // ports of a switch, an even number
	Levels int // of switches
	Hosts  int // of a leaf switch; 0: half its ports. With more, the tree is tapered.
}

// XGFT is the same tree, as an extended generalized fat tree: half of the ports
// of a switch lead up, at the top all lead down.
func (s FatTreeSpec) XGFT() XGFTSpec {
	half, top := s.Radix/2, s.Levels-1
	t := XGFTSpec{M: make([]int, max(s.Levels, 0)), W: make([]int, max(s.Levels, 0))}
	for l := range t.M {
		t.M[l], t.W[l] = half, half
	}
	if s.Levels < 1 {
		return t
	}
	t.M[top], t.W[0] = s.Radix, 1
	if s.Levels > 1 {
		t.M[0], t.W[1] = s.hosts(), s.Radix-s.hosts()
	} else if s.Hosts > 0 {
		t.M[0] = s.Hosts
	}
	return t
}

func (s FatTreeSpec) hosts() int {
	if s.Hosts == 0 {
		return s.Radix / 2
	}
	return s.Hosts
}

// Check implements Spec.
func (s FatTreeSpec) Check() []Mistake {
	var c checker
	right := c.hint(s.Radix >= 2 && s.Radix%2 == 0, "radix", s.Radix, "an even number of ports: half of them lead up",
		fmt.Sprintf("the nearest are %d and %d; xgft takes any shape", max(2, s.Radix-1), max(4, s.Radix+1)))
	right = c.demand(s.Levels >= 1 && s.Levels <= MaxLevels, "levels", s.Levels, fmt.Sprintf("a number from 1 to %d", MaxLevels)) && right
	if !right {
		return c.mistakes
	}
	most := s.Radix - min(1, s.Levels-1)
	if c.demand(s.hosts() >= 1 && s.hosts() <= most, "hosts", s.Hosts, fmt.Sprintf("1 to %d hosts of a leaf switch", most)) {
		c.fits("radix", s.Radix, s.Size())
	}
	return c.mistakes
}

// Size implements Spec.
func (s FatTreeSpec) Size() Size { return s.XGFT().Size() }

// Build implements Spec.
func (s FatTreeSpec) Build(nics int) (Topology, error) {
	return buildTree(s, s.XGFT(), "fat-tree", nics)
}

// KaryTreeSpec describes a k-ary n-tree (Petrini and Vanneschi, IPPS 1997): k^n
// hosts, and n levels of k^(n-1) switches.
type KaryTreeSpec struct{ K, N int }

// XGFT is the same tree, as an extended generalized fat tree.
func (s KaryTreeSpec) XGFT() XGFTSpec {
	t := XGFTSpec{M: make([]int, max(s.N, 0)), W: make([]int, max(s.N, 0))}
	for l := range t.M {
		t.M[l], t.W[l] = s.K, s.K
	}
	if s.N > 0 {
		t.W[0] = 1
	}
	return t
}

// Check implements Spec.
func (s KaryTreeSpec) Check() []Mistake {
	var c checker
	right := c.least("k", s.K, 1)
	right = c.demand(s.N >= 1 && s.N <= MaxLevels, "n", s.N, fmt.Sprintf("a number of levels from 1 to %d", MaxLevels)) && right
	if right {
		c.fits("k", s.K, s.Size())
	}
	return c.mistakes
}

// Size implements Spec.
func (s KaryTreeSpec) Size() Size { return s.XGFT().Size() }

// Build implements Spec.
func (s KaryTreeSpec) Build(nics int) (Topology, error) {
	return buildTree(s, s.XGFT(), "k-ary-n-tree", nics)
}

// buildTree lays out a tree that is described in words of its own.
func buildTree(s Spec, x XGFTSpec, kind string, nics int) (Topology, error) {
	if err := ready(s, nics); err != nil {
		return nil, err
	}
	t, err := NewXGFT(x, nics)
	if err != nil {
		return nil, err
	}
	t.kind = kind
	return t, nil
}
