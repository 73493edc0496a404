package libraries

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"fabricast/collective"
)

// branch is a member of an object in MPICH's file: a condition with what is below it, or an algorithm
// with its parameters.
type branch struct {
	key   string
	below []branch
}

// on returns a branch.
func on(key string, below ...branch) branch { return branch{key, below} }

// does returns the branch of an algorithm, without the beginning of its name that all have.
func does(name string, parameters ...string) branch {
	b := on("algorithm=MPIR_" + name)
	for _, p := range parameters {
		b.below = append(b.below, on(p))
	}
	return b
}

// write writes branches as the members of an object.
func (w *writer) object(list []branch, indent string) {
	if len(list) == 0 {
		w.printf("{}")
		return
	}
	w.printf("{")
	for i, b := range list {
		w.printf("%s\n%s  %q: ", comma(i), indent, b.key)
		w.object(b.below, indent+"  ")
	}
	w.printf("\n%s}", indent)
}

// demand is what an algorithm of MPICH asks of a call, beyond which its asserts end the program.
type demand int

const (
	nothing demand = iota
	powerOfTwo
	commutative // the operation
	predefined  // the operation, and at least as many elements as the largest power of two of ranks
)

// mpichName is an algorithm of MPICH for one of ours.
type mpichName struct {
	is     collective.Algorithm
	name   string // after MPIR_X_intra_
	demand demand
	fits   func(parts) bool     // with these options; nil: always
	with   func(parts) []string // parameters; nil: none
}

// mpichCollective is a collective of MPICH.
type mpichCollective struct {
	kind  collective.Kind
	names []string // more than one if they choose alike
	size  sizeOf
	list  []mpichName
	any   string // the algorithm that runs any call
}

// inMPICH lists the collectives for which trees can be written.
var inMPICH = []mpichCollective{
	{collective.KindAllreduce, []string{"allreduce"}, ofBuffer, []mpichName{
		{is: collective.RecursiveDoubling, name: "recursive_doubling"},
		{is: collective.Rabenseifner, name: "reduce_scatter_allgather", demand: predefined},
		{is: collective.Ring, name: "ring", demand: commutative},
	}, "recursive_doubling"},
	{collective.KindBroadcast, []string{"bcast"}, ofBuffer, []mpichName{
		{is: collective.Binomial, name: "binomial", fits: whole},
		{is: collective.ScatterDoubling, name: "scatter_recursive_doubling_allgather", demand: powerOfTwo},
		{is: collective.ScatterAllgather, name: "scatter_ring_allgather"},
		{is: collective.Knomial, name: "tree", fits: whole, with: knomialTree},
		{is: collective.Binary, name: "pipelined_tree", fits: pieces, with: karyTree(2)},
		{is: collective.Pipeline, name: "pipelined_tree", fits: pieces, with: karyTree(1)},
	}, "binomial"},
	{collective.KindAllgather, []string{"allgather"}, ofAll, []mpichName{
		{is: collective.Bruck, name: "brucks"},
		{is: collective.RecursiveDoubling, name: "recursive_doubling", demand: powerOfTwo},
		{is: collective.Ring, name: "ring"},
	}, "ring"},
	{collective.KindAlltoall, []string{"alltoall"}, ofBuffer, []mpichName{
		{is: collective.Bruck, name: "brucks"},
		{is: collective.Pairwise, name: "pairwise", demand: powerOfTwo},
		{is: collective.Ring, name: "pairwise"},
		{is: collective.Scattered, name: "scattered", fits: func(p parts) bool { return p.window == mpichThrottle }},
	}, "pairwise"},
	{collective.KindBarrier, []string{"barrier"}, ofNone, []mpichName{
		{is: collective.Dissemination, name: "k_dissemination", with: func(parts) []string { return []string{"k=2"} }},
	}, "k_dissemination"},
	{collective.KindReduce, []string{"reduce"}, ofBuffer, []mpichName{
		{is: collective.Binomial, name: "binomial", fits: whole},
		{is: collective.Rabenseifner, name: "reduce_scatter_gather", demand: predefined},
	}, "binomial"},
	{collective.KindReduceScatter, []string{"reduce_scatter", "reduce_scatter_block"}, ofAll, []mpichName{
		{is: collective.RecursiveHalving, name: "recursive_halving", demand: commutative},
		{is: collective.Pairwise, name: "pairwise", demand: commutative},
	}, "recursive_doubling"},
	{collective.KindGather, []string{"gather"}, ofNone, []mpichName{{is: collective.Binomial, name: "binomial"}}, "binomial"},
	{collective.KindScatter, []string{"scatter"}, ofNone, []mpichName{{is: collective.Binomial, name: "binomial"}}, "binomial"},
	{collective.KindScan, []string{"scan"}, ofNone, []mpichName{
		{is: collective.Butterfly, name: "recursive_doubling"},
	}, "recursive_doubling"},
	{collective.KindExscan, []string{"exscan"}, ofNone, []mpichName{
		{is: collective.Butterfly, name: "recursive_doubling"},
	}, "recursive_doubling"},
}

// mpichThrottle is the number of messages that MPICH's scattered all-to-all sends at once by default.
const mpichThrottle = 32

func whole(p parts) bool  { return p.segment == 0 }
func pieces(p parts) bool { return p.segment > 0 }

func knomialTree(p parts) []string {
	return []string{"tree_type=knomial_1", fmt.Sprintf("k=%d", p.radix), "is_non_blocking=1"}
}

func karyTree(k int) func(parts) []string {
	return func(p parts) []string {
		return []string{
			"tree_type=kary", fmt.Sprintf("k=%d", k), "is_non_blocking=1", fmt.Sprintf("chunk_size=%d", p.segment),
			"recv_pre_posted=0",
		}
	}
}

// mpichLeaf is what MPICH does in a step: an algorithm with parameters, and another one for calls
// that do not meet its demand.
type mpichLeaf struct {
	name       string
	parameters string // separated by spaces
	demand     demand
	other      string
}

// find returns a function that finds the leaf for a ranking, on a number of ranks.
func (c *mpichCollective) find(ranks int) func([]collective.Algorithm) (mpichLeaf, int) {
	one := func(a collective.Algorithm) (mpichLeaf, bool) {
		p := partsOf(c.kind, a)
		// MPICH's exchange in pairs is the ring only where ranks are not a power of two.
		if c.kind == collective.KindAlltoall && p.name == collective.Ring && ranks&(ranks-1) == 0 {
			return mpichLeaf{}, false
		}
		for _, n := range c.list {
			if n.is == p.name && (n.fits == nil || n.fits(p)) {
				l := mpichLeaf{name: n.name, demand: n.demand}
				if n.with != nil {
					l.parameters = strings.Join(n.with(p), " ")
				}
				return l, true
			}
		}
		return mpichLeaf{}, false
	}
	return func(ranking []collective.Algorithm) (mpichLeaf, int) {
		leaf, at := firstOf(one)(ranking)
		if at < 0 || leaf.demand == nothing {
			return leaf, at
		}
		leaf.other = c.any
		for _, a := range ranking[at+1:] {
			if next, ok := one(a); ok && next.demand == nothing && next.parameters == "" {
				leaf.other = next.name
				break
			}
		}
		return leaf, at
	}
}

// branches returns the branches of a leaf of a collective of the given name in MPICH.
func (l mpichLeaf) branches(name string) []branch {
	prefix := strings.ToUpper(name[:1]) + name[1:] + "_intra_"
	is, other := does(prefix+l.name, strings.Fields(l.parameters)...), does(prefix+l.other)
	switch l.demand {
	case powerOfTwo:
		return []branch{on("comm_size=pow2", is), on("comm_size=any", other)}
	case commutative:
		return []branch{on("is_commutative=yes", is), on("is_commutative=no", other)}
	case predefined:
		return []branch{
			on("is_op_built_in=yes", on("count<pow2", other), on("count=any", is)), on("is_op_built_in=no", other),
		}
	}
	return []branch{is}
}

// bands returns the branches of the decisions about a collective of the given name in MPICH.
func (c *mpichCollective) bands(w *writer, d *Decisions, name string) (list []branch) {
	for i, b := range d.Bands {
		key := "comm_size=any"
		if i+1 < len(d.Bands) {
			key = fmt.Sprintf("comm_size<=%d", d.Bands[i+1].Ranks-1)
		}
		list = append(list, on(key, c.sizes(w, b, name)...))
	}
	if len(list) == 1 {
		return list[0].below
	}
	return list
}

// sizes returns the branches of the decisions in a band.
func (c *mpichCollective) sizes(w *writer, b Band, name string) (list []branch) {
	steps := choices(b, c.find(b.Ranks), w.missing("MPICH", c.kind))
	word, factor := "avg_msg_size", c.size.factor(b.Ranks)
	if c.size == ofAll {
		word = "total_msg_size"
	}
	if factor == 0 {
		steps = steps[max(len(steps)-1, 0):]
	}
	for i, s := range steps {
		key := word + "=any"
		if i+1 < len(steps) {
			most := steps[i+1].from*factor - 1
			if most > math.MaxInt32 { // MPICH reads these as 32-bit numbers
				w.note("MPICH cannot choose by sizes of 2 GiB or more")
				return append(list, on(key, s.is.branches(name)...))
			}
			key = fmt.Sprintf("%s<=%d", word, most)
		}
		list = append(list, on(key, s.is.branches(name)...))
	}
	switch len(list) {
	case 0:
		return mpichLeaf{name: c.any}.branches(name)
	case 1:
		return list[0].below
	}
	return list
}

// writeMPICH writes the tree of all collectives. MPICH ends a program at a call for which its file has
// no algorithm, so the file has those of all other collectives, too.
func writeMPICH(w *writer, all []Decisions) {
	tree := mpichRest()
	for i := range all {
		d := &all[i]
		at := slices.IndexFunc(inMPICH, func(c mpichCollective) bool { return c.kind == d.Kind })
		for _, name := range inMPICH[at].names {
			where := slices.IndexFunc(tree, func(b branch) bool { return b.key == "collective="+name })
			list := inMPICH[at].bands(w, d, name)
			if name == "alltoall" {
				list = []branch{
					on("is_sendbuf_inplace=yes", does("Alltoall_intra_pairwise_sendrecv_replace")),
					on("is_sendbuf_inplace=no", list...),
				}
			}
			tree[where].below[0] = on("comm_type=intra", list...)
		}
	}
	w.object(tree, "")
	w.printf("\n")
	w.note("MPICH: mpich.json chooses for one rank per node, and has simple rules for the nonblocking collectives")
}
