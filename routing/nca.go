package routing

import (
	"fmt"

	"fabricast/internal/option"
	"fabricast/routing/internal/legs"
	"fabricast/topology"
)

var _ = Register(20, Description[NCAOptions]{
	Summary:  "up to a nearest common ancestor, and down",
	Networks: "fat-tree, k-ary-n-tree or xgft", Fits: is[*topology.XGFT],
	Make: func(o *NCAOptions, n Network) (Algorithm, error) {
		return NewNCA(n.Topology.(*topology.XGFT), n.VCs, o.Up)
	},
	Pairs: true,
	Help: map[string]string{
		"up": "'destination', 'source', 'hash', 'random' or 'adaptive'",
	},
	Manual: Manual{
		Section: "nearest-common-ancestors", Routes: "minimal: up, then down", VCs: "1",
		Source: "Leiserson 1985; Zahavi 2010, 2012",
	},
	Examples: []string{"", "up: source", "up: hash", "up: random", "up: adaptive"},
})

// NCAOptions are the options of the algorithm "nca" (nearest common ancestors) in experiments.
type NCAOptions struct {
	Up Up `yaml:"up" default:"'destination'" fill:"destination"`
}

// Name implements Spec.
func (NCAOptions) Name() string { return "nca" }

// Up selects how a packet chooses among the parents of a switch on its way up a tree.
type Up uint8

const (
	// UpDestination chooses by the number of the destination host, one digit at each level:
	// destination-mod-k or "down-straight", D-mod-K of Zahavi (Optimized InfiniBand fat-tree
	// routing for shift all-to-all communication patterns, Concurrency and Computation 2010; J.
	// Parallel and Distributed Computing 2012). All packets to a host come down over the same
	// switches.
	UpDestination Up = iota
	// UpSource chooses by the number of the source host: source-mod-k or "up-straight".
	UpSource
	// UpHash chooses by a hash of source and destination.
	UpHash
	// UpRandom chooses at random for every packet.
	UpRandom
	// UpAdaptive chooses the port with the shortest queue.
	UpAdaptive
)

var ups = []string{
	UpDestination: "destination", UpSource: "source", UpHash: "hash", UpRandom: "random",
	UpAdaptive: "adaptive",
}

// upAliases holds other words for values of Up, each with the standard word.
var upAliases = [][2]string{{"up-straight", "source"}, {"down-straight", "destination"}}

// Words implements option.Worded.
func (u *Up) Words() []string { return ups }

// Aliases returns other texts that UnmarshalText accepts, each with the word for which it stands.
func (u *Up) Aliases() [][2]string { return upAliases }

// UnmarshalText parses the word used in experiments, or an alias.
func (u *Up) UnmarshalText(text []byte) error {
	for _, alias := range upAliases {
		if alias[0] == string(text) {
			text = []byte(alias[1])
		}
	}
	return option.Parse(u, text, ups)
}

// NewNCA returns routing by nearest common ancestors on a tree. The result is a Function for
// UpDestination, UpSource and UpHash, a Randomized for UpRandom, an Adaptive for UpAdaptive. One
// virtual channel is enough.
func NewNCA(t *topology.XGFT, vcs int, up Up) (Algorithm, error) {
	g := t.Graph()
	digits := up == UpDestination || up == UpSource
	flow := flowPair
	switch up {
	case UpDestination:
		flow = flowDestination
	case UpSource:
		flow = flowSource
	}
	d, err := newDirect(g, "nca", legs.NewTree(t, digits), vcs, flow)
	if err != nil {
		return nil, err
	}
	if digits && d.address.Flow.Max() < uint64(g.Hosts-1) {
		return nil, fmt.Errorf(
			"the numbers of %d hosts do not fit beside the rest of a route header; take a random or "+
				"adaptive way up",
			g.Hosts,
		)
	}
	switch up {
	case UpRandom:
		return Scattered{d}, nil
	case UpAdaptive:
		return newSpreading(d), nil
	}
	return d, nil
}
