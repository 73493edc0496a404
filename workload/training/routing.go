package training

import (
	"fmt"

	"fabricast/internal/dist"
	"fabricast/internal/random"
	"fabricast/internal/units"
)

// Routing says how many tokens each expert gets, and how they travel.
type Routing struct {
	// Distribution is that of the popularity of a layer's experts: Balanced, Zipf or Dirichlet.
	Distribution string `yaml:"distribution,omitempty"`
	// Parameter is the exponent of Zipf's law, or the concentration of Dirichlet's distribution.
	Parameter int `yaml:"parameter,omitempty"`
	// Nodes is the largest number of nodes that a token goes to. Each gets one copy, which is then
	// passed on within the node (node-limited routing; DeepSeek-AI, arXiv 2412.19437, section 2.1.2).
	// 0: each expert gets a copy, wherever it is.
	Nodes int `yaml:"nodes,omitempty"`
	// PerNode is the number of expert ranks of a node.
	PerNode int `yaml:"node_ranks,omitempty"`
}

// Values of Routing.Distribution.
const (
	Balanced  = "balanced"
	Zipf      = "zipf"
	Dirichlet = "dirichlet"
)

// Distributions lists the words of Routing.Distribution, the default first.
func Distributions() []string { return []string{Balanced, Zipf, Dirichlet} }

// mostParameter is the largest Routing.Parameter.
const mostParameter = 100

// routing checks how tokens are routed.
func (c *check) routing(j *Job) {
	r, p := &j.Routing, &j.Parallel
	c.word("routing.distribution", r.Distribution, Distributions())
	c.number("routing.parameter", r.Parameter, 1, mostParameter)
	if l := j.Loads; l != nil && j.Model.Experts > 0 {
		if n := len((*l)[0]); n != j.Model.Experts {
			c.fail("file", fmt.Sprintf("%d numbers a line", n), fmt.Sprintf("%d, one for each expert", j.Model.Experts))
		}
		if r.Distribution != Balanced {
			c.fail("routing.distribution", r.Distribution, "none with a file, which has the tokens of each expert")
		}
	}
	switch {
	case j.balanced():
		return
	case j.Model.Experts == 0 && j.Loads != nil:
		c.fail("file", "tokens of experts", "none: the model has no experts")
	case j.Model.Experts == 0:
		c.fail("routing", "a model without experts", "a model with experts")
	case (r.Nodes == 0) != (r.PerNode == 0):
		c.fail("routing", "only one of nodes and node_ranks", "both, or none")
	case r.Nodes == 0:
	case r.PerNode < 1 || p.Expert%r.PerNode != 0:
		c.fail("routing.node_ranks", fmt.Sprint(r.PerNode), fmt.Sprintf("a divisor of the %d expert ranks", p.Expert))
	case r.Nodes < 1 || r.Nodes > p.Expert/r.PerNode:
		c.fail("routing.nodes", fmt.Sprint(r.Nodes),
			fmt.Sprintf("a number from 1 to %d, the nodes of an expert group", p.Expert/r.PerNode))
	case r.Nodes*r.PerNode*(j.Model.Experts/p.Expert) < j.Model.TopK:
		c.fail("routing.nodes", fmt.Sprint(r.Nodes), fmt.Sprintf("enough nodes for the %d experts of a token", j.Model.TopK))
	}
}

// balanced reports whether all experts get as many tokens, directly.
func (j *Job) balanced() bool {
	r := &j.Routing
	return j.Loads == nil && r.Distribution == Balanced && r.Nodes == 0 && r.PerNode == 0
}

// popularity returns the weights of the experts of a layer, from 1 to 2^53. A seed and a layer always
// give the same ones.
func (r *Routing) popularity(seed uint64, layer, experts int) []int64 {
	list := make([]int64, experts)
	draw := func(k int) uint64 { return random.Scramble(random.Scramble(seed+uint64(layer)<<32) + uint64(k)) }
	switch r.Distribution {
	case Zipf:
		for i := range list { // a random permutation (Fisher and Yates)
			k := int(random.Below(draw(i), 0, uint64(i+1)))
			list[i] = list[k]
			list[k] = int64(i + 1)
		}
		for i, place := range list {
			list[i] = dist.One
			for range r.Parameter {
				list[i] /= place
			}
		}
	case Dirichlet: // sums of exponential variates, whose proportions have this distribution
		for i := range list {
			for k := range r.Parameter {
				list[i] += dist.NegLog(draw(i*mostParameter+k) | 1)
			}
		}
	}
	for i := range list {
		list[i] = max(1, list[i])
	}
	return list
}

// apportion divides total in proportion to weights, into shares of at most the given size.
func apportion(total int64, weights []int64, most int64) []int64 {
	shares := make([]int64, len(weights))
	for { // shares that are too large are cut, and the rest is divided among the others
		left, sum := total, int64(0)
		for i, w := range weights {
			if shares[i] == most {
				left -= most
			} else {
				sum += w
			}
		}
		if sum == 0 {
			return shares
		}
		cut, rest := false, left
		for i, w := range weights {
			if shares[i] == most {
				continue
			}
			if part := units.MulDiv(left, w, sum); part >= most {
				shares[i], cut = most, true
			} else {
				shares[i] = part
				rest -= part
			}
		}
		if cut {
			continue
		}
		for i := 0; rest > 0; i = (i + 1) % len(shares) { // what rounding has left
			if shares[i] < most {
				shares[i]++
				rest--
			}
		}
		return shares
	}
}

// route is how the tokens of a rank of an expert group are routed in a layer. All ranks of the group
// have as many tokens, and send as many to each expert.
type route struct {
	experts []int64 // by expert: tokens of a rank
	out     []int64 // by rank: bytes that go to its experts
	copies  []int64 // by node: bytes of the copies that it gets; nil: there are no such copies
	perNode int
}

// route returns how the tokens of a microbatch are routed in a layer.
func (w *worker) route(layer int) *route {
	j := w.job
	m, r := &j.Model, &j.Routing
	var weights []int64
	if j.Loads != nil {
		weights = j.Loads.weights(layer - m.Dense)
	} else {
		weights = r.popularity(j.Seed, layer, m.Experts)
	}
	of := &route{perNode: r.PerNode}
	of.experts = apportion(w.outer*int64(m.TopK), weights, w.outer)
	token := int64(m.Hidden) * element
	local := m.Experts / j.Parallel.Expert
	of.out = make([]int64, j.Parallel.Expert)
	for e, n := range of.experts {
		of.out[e/local] += n * token
	}
	if r.Nodes == 0 {
		return of
	}
	of.copies = make([]int64, j.Parallel.Expert/r.PerNode)
	sum, all := int64(0), w.outer*int64(m.TopK)
	for node := range of.copies {
		const one = 1 << 30
		part := int64(0)
		for _, n := range of.experts[node*r.PerNode*local : (node+1)*r.PerNode*local] {
			part += n
		}
		missed := int64(one) // the probability that none of a token's experts is on the node
		for range m.TopK {
			missed = missed * units.MulDiv(one, all-part, max(1, all)) / one
		}
		of.copies[node] = min(part, units.MulDiv(w.outer, one-missed, one))
		sum += of.copies[node]
	}
	for node, n := range of.copies {
		if most := w.outer * int64(r.Nodes); sum > most {
			n = units.MulDiv(n, most, sum)
		}
		of.copies[node] = n * token
	}
	return of
}
