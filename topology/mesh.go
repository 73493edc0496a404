package topology

import (
	"fmt"

	"fabricast/internal/humanize"
)

var _ = Register(20, Description[MeshSpec]{
	Name: "mesh", Summary: "a line of routers in each dimension", Routing: "dor",
	Defaults: func(s *MeshSpec, joins bool) { hostsDefault(&s.Hosts, 1, joins) },
	Sized:    func(hosts int) MeshSpec { return MeshSpec{Dims: box(hosts, 3)} },
	Manual: Manual{
		Section: "torus-and-mesh", Routers: "Π k", Hosts: "p Π k", Links: "up to 2n",
		Diameter: "Σ (k − 1)",
	},
	Examples: []string{"dims: [3, 3], hosts: 2"},
})

// MeshSpec holds the parameters of a mesh: a torus without rings.
type MeshSpec struct {
	// routers in each dimension
	Dims []int `yaml:"dims" help:"routers in each dimension"`
	// must be nil or all false
	Wrap []bool `yaml:"wrap" help:"which dimensions are rings" default:"none"`
	// hosts per router; 0 if the routers only connect blocks of a hierarchy
	Hosts int `yaml:"hosts" help:"of a router" default:"1"`
}

func (s MeshSpec) torus() TorusSpec {
	return TorusSpec{Dims: s.Dims, Wrap: make([]bool, len(s.Dims)), Hosts: s.Hosts}
}

// Check implements Spec.
func (s MeshSpec) Check() []Mistake {
	var c checker
	c.demand(s.Wrap == nil || len(s.Wrap) == len(s.Dims), "wrap", humanize.Plural(len(s.Wrap), "entry"),
		fmt.Sprintf("one for each of the %d dimensions", len(s.Dims)))
	for i, ring := range s.Wrap {
		c.demand(!ring, fmt.Sprintf("wrap[%d]", i), ring, "false, since a mesh has no rings")
	}
	if len(c.mistakes) > 0 {
		return c.mistakes
	}
	return s.torus().Check()
}

// Size implements Spec.
func (s MeshSpec) Size() Size { return s.torus().Size() }

// Build implements Spec.
func (s MeshSpec) Build(nics int) (Topology, error) {
	if err := first(s.Check()); err != nil {
		return nil, err
	}
	return s.torus().Build(nics)
}
