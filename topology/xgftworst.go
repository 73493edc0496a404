package topology

import "slices"

// WorstPermutation returns a worst-case permutation for destination-mod-k routing on a tree (the
// D-mod-K of Zahavi, 2010), which chooses the links up by digits of the destination ID. The hosts
// below a switch send to hosts elsewhere with the same digits, so that all flows meet on one link
// up. The construction follows the worst cases of Towles and Dally (Worst-case traffic for
// oblivious routing functions, SPAA 2002), who match sources and destinations for the link that can
// be loaded most. In a tree, any source below a link up can be matched with any destination
// elsewhere that has the link's digits. The level is the one where most flows can meet. On a k-ary
// n-tree minimal routing accepts a load of 1/k^(n/2), except that for even n one flow in k^(n/2)
// finds no such destination. It implements WorstPermuted.
func (t *XGFT) WorstPermutation() []int32 {
	best := ascentOf(t, 1)
	for level := 2; level < t.Levels(); level++ {
		if a := ascentOf(t, level); a.most() > best.most() {
			best = a
		}
	}
	return best.permutation()
}

// ascent describes the links up from the switches of one level under destination-mod-k routing.
type ascent struct {
	tree    *XGFT
	level   int
	below   int // number of hosts per subtree of this level
	classes int // number of classes; destinations of a class share the links up to and from this level
}

func ascentOf(t *XGFT, level int) ascent {
	a := ascent{tree: t, level: level, below: 1, classes: max(t.Ups(level), 1)}
	for l := 1; l <= level; l++ {
		a.below *= t.Children(l)
		if l < level {
			a.classes *= t.Parents(l)
		}
	}
	return a
}

// most returns the maximum number of flows that can meet on one link up.
func (a ascent) most() int {
	if a.level == a.tree.Levels() {
		return 0
	}
	subtrees := a.tree.graph.Hosts / a.below
	return min(a.below, (subtrees-1)*a.below/a.classes)
}

// class returns the class of a destination. Destinations of the same class share the links up to a
// switch of this level and the port up from there.
func (a ascent) class(dst int) int {
	class, stride, divisor := 0, 1, 1
	for l := 1; l < a.level; l++ {
		class += dst / divisor % a.tree.Ups(l) % a.tree.Parents(l) * stride
		stride *= a.tree.Parents(l)
		divisor *= a.tree.Parents(l)
	}
	return class + dst/divisor%max(a.tree.Ups(a.level), 1)*stride
}

// permutation makes each subtree send to hosts of one class elsewhere. Sources for which no such
// host is left send to the next class, and so on. The last sources send within their own subtree.
func (a ascent) permutation() []int32 {
	to := make([]int32, a.tree.graph.Hosts)
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

// take removes from the sorted list the first destination after the given subtree, wrapping around
// at the end, and stores it in dst. It returns false if no destination outside the subtree is left.
// Subtrees that share a class thus send to each other's hosts.
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
