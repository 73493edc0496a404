package routing

import (
	"fabricast/internal/option"
	"fabricast/routing/internal/legs"
	"fabricast/topology"
)

var _ = Register(30, Description[MinimalOptions]{
	Summary:   "each topology's own minimal routing",
	Endpoints: true,
	Make: func(o *MinimalOptions, n Network) (Algorithm, error) {
		return NewMinimal(n.Topology, "minimal", n.VCs, o.Choice)
	},
	Memory: func(_ *MinimalOptions, t topology.Topology) int64 { return legs.MinimalMemory(t) },
	Alike: []topology.Family{
		topology.FamilyRings, topology.FamilyTwisted, topology.FamilyJoined, topology.FamilySlimFlies,
	},
	Pairs: true,
	Help: map[string]string{
		"choice": choiceHelp,
	},
	Manual: Manual{
		Section: "minimal", Networks: "any; networks from files up to 65,536 routers",
		Routes: "the topology's own minimal routes",
		VCs:    "dragonfly 2, dragonfly+ 1, Slim Fly 2, others [below](#minimal)",
		Source: "Kim et al. 2008; Shpiner et al. 2017; Besta and Hoefler 2014",
	},
	Examples: []string{"", "choice: packet", "choice: queue"},
})

// MinimalOptions are the options of the algorithm "minimal" in experiments.
type MinimalOptions struct {
	Choice Choice `yaml:"choice" default:"'flow'"`
}

// Name implements Spec.
func (MinimalOptions) Name() string { return "minimal" }

// Choice selects how a packet chooses among routes of equal length, and among the virtual channels
// of a class.
type Choice uint8

const (
	// ChoiceFlow chooses by a hash of the pair of hosts, so all packets of a pair take the same
	// route and channels and never overtake one another.
	ChoiceFlow Choice = iota
	// ChoicePacket chooses at random for every packet.
	ChoicePacket
	// ChoiceQueue chooses, at every router, the channel with the shortest queue.
	ChoiceQueue
)

// choiceHelp is the help text of the option.
const choiceHelp = "of equal ways and channels the same for a pair of hosts ('flow'), one for each " +
	"'packet', or the one with the shortest 'queue'"

var choices = []string{ChoiceFlow: "flow", ChoicePacket: "packet", ChoiceQueue: "queue"}

// Words implements option.Worded.
func (c *Choice) Words() []string { return choices }

// UnmarshalText parses the word used in experiments.
func (c *Choice) UnmarshalText(text []byte) error { return option.Parse(c, text, choices) }

// NewMinimal returns the minimal routing of a topology. That is dimension order on a torus, mesh,
// HyperX or fully connected network; nearest common ancestors on a tree; routes over one global
// link on dragonflies; minimal routing on each level of a hierarchy; shortest paths with a channel
// class for each hop on a Slim Fly and all other networks. The result is a Function; with
// ChoicePacket it is a Randomized, with ChoiceQueue an Adaptive. name is the algorithm's name.
func NewMinimal(t topology.Topology, name string, vcs int, c Choice) (Algorithm, error) {
	of := legs.NewPaired
	if c != ChoiceFlow {
		of = func(t topology.Topology) (legs.Leg, error) { return legs.New(t, legs.HostedEnds) }
	}
	l, err := of(t)
	if err != nil {
		return nil, err
	}
	d, err := newDirect(t.Graph(), name, l, vcs, flowPair)
	if err != nil {
		return nil, err
	}
	return d.choosing(c), nil
}

func (d *Direct) choosing(c Choice) Algorithm {
	switch c {
	case ChoicePacket:
		return Scattered{d}
	case ChoiceQueue:
		return newSpreading(d)
	}
	return d
}
