package traffic

import (
	"slices"

	"fabricast/topology"
)

// newWorstTree makes a permutation that is worst for destination-mod-k routing on
// a tree (the D-mod-K of Zahavi, 2010), which takes the way up by digits of the destination's number:
// the hosts below a switch send to hosts elsewhere with the same digits, so that all meet
// on one link up. It is built like the worst cases of Towles and Dally (Worst-case
// traffic for oblivious routing functions, SPAA 2002), who match sources and destinations
// for the link that can be loaded most; in a tree the ways to one link up have any of the sources
// below and any destination elsewhere with the link's digits, so the match is simple. Among the levels
// that is taken where most can meet. On a k-ary n-tree minimal routing accepts
// 1/k^(n/2), for even n one flow in k^(n/2) excepted that has no place elsewhere.
func newWorstTree(t *topology.XGFT) Pattern {
	best := ascentOf(t, 1)
	for level := 2; level < t.Levels(); level++ {
		if a := ascentOf(t, level); a.most() > best.most() {
			best = a
		}
	}
	return best.permutation()
}

// ascent is the way up from the switches of a level by destination-mod-k.
type ascent struct {
	tree    *topology.XGFT
	level   int
	below   int // hosts of a subtree of this level
	classes int // of destinations that share the way up to and from this level
}

func ascentOf(t *topology.XGFT, level int) ascent {
	a := ascent{tree: t, level: level, below: 1, classes: max(t.Ups(level), 1)}
	for l := 1; l <= level; l++ {
		a.below *= t.Children(l)
		if l < level {
			a.classes *= t.Parents(l)
		}
	}
	return a
}

// most is how many flows can meet on one link up.
func (a ascent) most() int {
	if a.level == a.tree.Levels() {
		return 0
	}
	subtrees := hosts(a.tree) / a.below
	return min(a.below, (subtrees-1)*a.below/a.classes)
}

// class numbers the ways up to a switch of this level, and by a port of it from there.
func (a ascent) class(dst int) int {
	class, stride, divisor := 0, 1, 1
	for l := 1; l < a.level; l++ {
		class += dst / divisor % a.tree.Ups(l) % a.tree.Parents(l) * stride
		stride *= a.tree.Parents(l)
		divisor *= a.tree.Parents(l)
	}
	return class + dst/divisor%max(a.tree.Ups(a.level), 1)*stride
}

// permutation lets each subtree send to the hosts of one class elsewhere, and what finds
// none any more to those of the next class, and so on. What is left over at the end stays within its subtree.
func (a ascent) permutation() table {
	to := make(table, hosts(a.tree))
	free := make([][]int32, a.classes)
	left := make([]int, len(to))
	for host := range to {
		c := a.class(host)
		free[c], left[host] = append(free[c], int32(host)), host
	}
	for next := range a.classes {
		left = slices.DeleteFunc(left, func(src int) bool {
			subtree := src / a.below
			return a.take(&free[(subtree+next)%a.classes], subtree, &to[src])
		})
	}
	for i, dst := range slices.Concat(free...) {
		to[left[i]] = dst
	}
	return to
}

// take moves the next destination after a subtree out of the sorted list, going round at its
// end, if there is one outside the subtree. So subtrees that share a class take each other's hosts.
func (a ascent) take(list *[]int32, subtree int, dst *int32) bool {
	i, _ := slices.BinarySearch(*list, int32((subtree+1)*a.below))
	if i == len(*list) {
		i = 0
	}
	if len(*list) == 0 || int((*list)[i])/a.below == subtree {
		return false
	}
	*dst = (*list)[i]
	*list = slices.Delete(*list, i, i+1)
	return true
}
