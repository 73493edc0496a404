package innetwork

import (
	"fmt"

	"fabricast/topology"
)

// Shown describes a tree, or a group without one.
type Shown struct {
	Job      int    `json:"job"`
	Group    string `json:"group"` // the entry of network.in_network.groups
	Ranks    int    `json:"ranks"`
	First    int32  `json:"first_rank"`
	Lane     int    `json:"lane"`
	Root     string `json:"root,omitempty"` // router; "": the group has no tree
	Depth    int    `json:"depth"`          // links between the root and the farthest router
	Switches int    `json:"switches"`
}

// Show describes the trees of a forest, and the groups that have none.
func (f *Forest) Show(t topology.Topology) (list []Shown) {
	if f == nil {
		return nil
	}
	of := func(g *Group, lane int) Shown {
		return Shown{Job: g.Job, Group: g.Name, Ranks: len(g.Ranks), First: g.Ranks[0], Lane: lane}
	}
	for i := range f.Trees {
		tree := &f.Trees[i]
		s := of(tree.Group, tree.Lane)
		s.Root, s.Depth, s.Switches = t.RouterName(int(tree.Root)), tree.Depth(f.Graph), len(tree.Nodes)
		list = append(list, s)
	}
	for _, w := range f.Without {
		list = append(list, of(w.Group, w.Lane))
	}
	return list
}

// Notes tells of the groups that have no trees, those of an entry and a job in one line.
func (f *Forest) Notes() (list []string) {
	if f == nil {
		return nil
	}
	for i := 0; i < len(f.Without); {
		first, n := f.Without[i].Group, 1
		for i += 1; i < len(f.Without) && f.Without[i].Shape == first.Shape && f.Without[i].Job == first.Job; i++ {
			n++
		}
		list = append(list, fmt.Sprintf(
			"network.in_network: %d of the groups %s of job %d have no tree, as switches have no room; ranks carry out "+
				"their collectives", n, first.Name, first.Job,
		))
	}
	return list
}
