package innetwork

import "fabricast/topology"

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
