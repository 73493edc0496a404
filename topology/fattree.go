package topology

import "fmt"

var _ = Register(50, Description[FatTreeSpec]{
	Name: "fat-tree", Summary: "a folded Clos network of switches of one radix", Routing: "nca",
	Defaults: func(s *FatTreeSpec, _ bool) { hostsDefault(&s.Hosts, s.Radix/2, false) },
	Sized: func(hosts int) FatTreeSpec {
		levels := treeLevels(hosts)
		half := max(2, root((hosts+1)/2, levels)) // half^levels * 2 hosts
		return FatTreeSpec{Radix: 2 * half, Levels: levels}
	},
	Manual: Manual{
		Section: "trees", Routers: "(2n − 1)(k/2)ⁿ⁻¹ if full", Hosts: "2 (k/2)ⁿ if full", Links: "k",
		Diameter: "2n − 2",
	},
	Examples: []string{"radix: 4, levels: 3"},
})

var _ = Register(60, Description[KaryTreeSpec]{
	Name: "k-ary-n-tree", Summary: "a tree of n levels with as many links up as down",
	Routing: "nca",
	Sized: func(hosts int) KaryTreeSpec {
		levels := treeLevels(hosts)
		return KaryTreeSpec{K: max(2, root(hosts, levels)), N: levels}
	},
	Manual: Manual{
		Section: "trees", Routers: "n kⁿ⁻¹", Hosts: "kⁿ", Links: "2k", Diameter: "2n − 2",
	},
	Examples: []string{"k: 2, n: 3", "k: 4, n: 2"},
})

// FatTreeSpec holds the parameters of a fat tree (folded Clos network) of switches with equally
// many ports. The tree has full bisection bandwidth or is tapered at the leaves.
type FatTreeSpec struct {
	// ports per switch, an even number
	Radix int `yaml:"radix" help:"ports of a switch"`
	// levels of switches
	Levels int `yaml:"levels" help:"levels of switches"`
	// hosts per leaf switch; 0: half of its ports. With more, the tree is tapered.
	Hosts int `yaml:"hosts" help:"of a leaf switch" default:"half of the radix"`
}

// XGFT returns the same tree as an extended generalized fat tree. Half of a switch's ports lead up,
// but at the top level all lead down.
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
	right := c.hint(s.Radix >= 2 && s.Radix%2 == 0, "radix", s.Radix, "an even number of ports: "+
		"half of them lead up",
		fmt.Sprintf("the nearest are %d and %d; xgft takes any shape", max(2, s.Radix-1), max(4, s.Radix+1)))
	right = c.demand(
		s.Levels >= 1 && s.Levels <= MaxLevels,
		"levels",
		s.Levels,
		fmt.Sprintf("a number from 1 to %d", MaxLevels),
	) &&
		right
	if !right {
		return c.mistakes
	}
	most := s.Radix - min(1, s.Levels-1)
	if c.demand(
		s.hosts() >= 1 && s.hosts() <= most, "hosts", s.Hosts,
		fmt.Sprintf("1 to %d hosts of a leaf switch", most),
	) {
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

// KaryTreeSpec holds the parameters of a k-ary n-tree (Petrini and Vanneschi, IPPS 1997), with k^n
// hosts and n levels of k^(n-1) switches.
type KaryTreeSpec struct {
	K int `yaml:"k" help:"half of the ports of a switch"`
	N int `yaml:"n" help:"levels of switches"`
}

// XGFT returns the same tree as an extended generalized fat tree.
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
	right = c.demand(
		s.N >= 1 && s.N <= MaxLevels,
		"n",
		s.N,
		fmt.Sprintf("a number of levels from 1 to %d", MaxLevels),
	) &&
		right
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

// buildTree builds the tree described by s, which is equivalent to the extended generalized fat
// tree x. kind is its name in experiments.
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
