package innetwork

import (
	"slices"

	"fabricast/topology"
)

// Forest holds the trees of a network. It is immutable.
type Forest struct {
	Spec
	Graph   *topology.Graph
	Trees   []Tree
	Without []Without // groups that have no trees
	jobs    []job
	jobOf   []int32 // by host: the program that it runs; -1: none
	words   int     // largest number of words of a router
}

// Without is a group that has no trees, as a router has no room.
type Without struct {
	*Group
	Lane int
}

// job says which trees the ranks of a program have.
type job struct {
	treeOf [][]int32 // by code and rank: index of the tree; -1: none
	child  [][]int32 // by code and rank: which child of its router it is
	groups []Group
}

// Plant builds the trees of groups, in their order: those of a group are as far as possible disjoint, and
// disjoint from those before. hosts has the hosts of each program by rank.
func Plant(s Spec, g *topology.Graph, hosts [][]int32, groups []Group) *Forest {
	f := &Forest{Spec: s, Graph: g, jobs: make([]job, len(hosts)), jobOf: make([]int32, g.Hosts)}
	for h := range f.jobOf {
		f.jobOf[h] = -1
	}
	for j, of := range hosts {
		for _, h := range of {
			f.jobOf[h] = int32(j)
		}
	}
	p := &planter{g: g, most: s.Trees, trees: make([]int, g.Routers), used: make([]int, len(g.Ports))}
	for i := range groups {
		f.add(p, &groups[i], hosts[groups[i].Job])
	}
	f.layOut()
	return f
}

// add builds the trees of a group: all or none.
func (f *Forest) add(p *planter, group *Group, hosts []int32) {
	trees, before := f.Trees, slices.Clone(p.trees)
	for lane := range f.Lanes {
		nics := make([]int32, len(group.Ranks))
		for i, r := range group.Ranks {
			nics[i] = hosts[r]*int32(f.Graph.NICsPerHost) + int32(lane%f.Graph.NICsPerHost)
		}
		t := p.plant(group, lane, nics)
		if t == nil {
			f.Without, f.Trees, p.trees = append(f.Without, Without{group, lane}), trees, before
			return
		}
		f.Trees = append(f.Trees, *t)
	}
	f.jobs[group.Job].groups = append(f.jobs[group.Job].groups, *group)
	for i := len(trees); i < len(f.Trees); i++ {
		f.jobs[group.Job].enter(int32(i), &f.Trees[i], group.Shape*f.Lanes+f.Trees[i].Lane, len(hosts))
	}
}

// enter records the tree of the ranks of a group.
func (j *job) enter(tree int32, t *Tree, code, ranks int) {
	for len(j.treeOf) <= code {
		j.treeOf = append(j.treeOf, slices.Repeat([]int32{-1}, ranks))
		j.child = append(j.child, make([]int32, ranks))
	}
	for i := range t.Nodes {
		for c, child := range t.Nodes[i].Below {
			if child.Rank >= 0 {
				j.treeOf[code][child.Rank], j.child[code][child.Rank] = tree, int32(c)
			}
		}
	}
}

// layOut gives each router of each tree its place in the router's state.
func (f *Forest) layOut() {
	words := make([]int, f.Graph.Routers)
	for t := range f.Trees {
		for i := range f.Trees[t].Nodes {
			n := &f.Trees[t].Nodes[i]
			n.base = words[n.Router]
			words[n.Router] += f.Slots * wordsOf(len(n.Below))
		}
	}
	f.words = slices.Max(words)
}

// Routers returns the routers of trees, in ascending order.
func (f *Forest) Routers() (list []int32) {
	for t := range f.Trees {
		for i := range f.Trees[t].Nodes {
			list = append(list, f.Trees[t].Nodes[i].Router)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Find returns the code of the first tree of the ranks of a program; nil ranks are the first `size`. It
// returns -1 if they have none.
func (f *Forest) Find(program int, ranks []int32, size int) int {
	for i := range f.jobs[program].groups {
		g := &f.jobs[program].groups[i]
		if g.is(ranks, size) {
			return g.Shape * f.Lanes
		}
	}
	return -1
}

// Full reports whether ranks of a program, as in Find, are a group that has no tree as a router has no room.
func (f *Forest) Full(program int, ranks []int32, size int) bool {
	return slices.ContainsFunc(f.Without, func(w Without) bool { return w.Job == program && w.is(ranks, size) })
}

// is reports whether a group is of the given ranks; nil ranks are the first `size`.
func (g *Group) is(ranks []int32, size int) bool {
	return len(g.Ranks) == size && (ranks == nil && isFirst(g.Ranks) || slices.Equal(g.Ranks, ranks))
}

func isFirst(ranks []int32) bool {
	for i, r := range ranks {
		if int(r) != i {
			return false
		}
	}
	return true
}
