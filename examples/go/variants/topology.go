package main

import (
	"fmt"

	"fabricast/topology"
)

// The topology star: routers around a middle router. Registration makes it available to
// experiments.
var _ = topology.Register(0, topology.Description[starSpec]{
	Name: "star", Summary: "routers with hosts around one in the middle", Routing: "by-middle",
	Defaults: func(s *starSpec, joins bool) {
		if s.Hosts == 0 && !joins {
			s.Hosts = 1
		}
	},
	Sized: func(hosts int) starSpec { return starSpec{Arms: 4, Hosts: (hosts + 3) / 4} },
})

// starSpec holds the options of the topology in experiments, named by their tags.
type starSpec struct {
	Arms  int `yaml:"arms" help:"routers around the middle"`
	Hosts int `yaml:"hosts" help:"of an arm" default:"1"`
}

// star is the built network: router 0 is the middle. Port 0 of an arm leads to the middle, and port
// a of the middle leads to arm a+1.
type star struct{ *topology.Irregular }

func (s star) Kind() string { return "star" }

// Check implements topology.Spec.
func (s starSpec) Check() []topology.Mistake {
	if s.Arms < 2 || s.Arms > 1000 {
		return []topology.Mistake{
			{Field: "arms", Found: fmt.Sprint(s.Arms), Expected: "a number from 2 to 1000"},
		}
	}
	return nil
}

// Size implements topology.Spec.
func (s starSpec) Size() topology.Size {
	return topology.Size{Routers: s.Arms + 1, Hosts: s.Arms * s.Hosts, Links: 2 * s.Arms}
}

// Build implements topology.Spec.
func (s starSpec) Build(nics int) (topology.Topology, error) {
	graph := topology.IrregularSpec{Names: []string{"middle"}, Hosts: []int{0}}
	for arm := 1; arm <= s.Arms; arm++ {
		graph.Names = append(graph.Names, fmt.Sprint("arm", arm))
		graph.Hosts = append(graph.Hosts, s.Hosts)
		graph.Edges = append(graph.Edges, topology.Edge{A: 0, B: arm})
	}
	irregular, err := topology.NewIrregular(graph, nics)
	if err != nil {
		return nil, err
	}
	return star{irregular}, nil
}
