package routing

import (
	"fabricast/internal/option"
	"fabricast/routing/internal/legs"
	"fabricast/topology"
)

var _ = Register(40, Description[ShortestOptions]{
	Summary: "shortest paths by tables, with equal-cost multipath",
	Ends:    true,
	Make:    (*ShortestOptions).make,
	Memory: func(_ *ShortestOptions, t topology.Topology) int64 {
		return legs.ShortestMemory(t.Graph().Routers)
	},
	Alike: []topology.Family{topology.FamilyRings},
	Pairs: true,
	Help: map[string]string{
		"choice": choiceHelp,
	},
	Manual: Manual{
		Section: "shortest-paths-and-tables", Networks: "any, up to 65,536 routers",
		Routes: "shortest paths, from tables; equal-cost multipath",
		VCs:    "as many as the longest route has hops; 1 on trees",
		Source: "Hopps, RFC 2992; Gunther 1981",
	},
	Examples: []string{"", "choice: packet", "choice: queue", "classes: hop"},
})

// ShortestOptions are the options of the algorithm "shortest" in experiments.
type ShortestOptions struct {
	Classes ClassScheme `yaml:"classes" help:"'hop', 'none' or 'auto'" default:"'auto'" fill:"auto"`
	Choice  Choice      `yaml:"choice" default:"'flow'"`
}

// Name implements Spec.
func (ShortestOptions) Name() string { return "shortest" }

// ClassScheme selects the Classes of shortest-path routing in experiments.
type ClassScheme uint8

const (
	// AutoClasses: ClassesNone if that is free of deadlock, else ClassesHop.
	AutoClasses ClassScheme = iota
	// HopClasses: ClassesHop.
	HopClasses
	// NoClasses: ClassesNone.
	NoClasses
)

var classSchemes = []string{AutoClasses: "auto", HopClasses: "hop", NoClasses: "none"}

// Words implements option.Worded.
func (c *ClassScheme) Words() []string { return classSchemes }

// UnmarshalText parses the word used in experiments.
func (c *ClassScheme) UnmarshalText(text []byte) error { return option.Parse(c, text, classSchemes) }

// make returns shortest-path routing for a network. With AutoClasses, it gives each hop a class of
// its own only if routes without classes are not free of deadlock.
func (o *ShortestOptions) make(n Network) (Algorithm, error) {
	g := n.Graph()
	if o.Classes == NoClasses || o.Classes == AutoClasses && n.CycleFree != nil {
		a, err := NewShortest(g, n.VCs, ClassesNone, o.Choice)
		if err != nil || o.Classes == NoClasses || n.CycleFree(a) {
			return a, err
		}
	}
	return NewShortest(g, n.VCs, ClassesHop, o.Choice)
}

// Classes says how shortest-path routing divides virtual channels into classes.
type Classes uint8

const (
	// ClassesHop gives every hop a class of its own, so it needs as many channels as the longest
	// route has hops.
	ClassesHop Classes = iota
	// ClassesNone has all channels in one class.
	ClassesNone
)

// NewShortest returns routing by shortest paths on any connected network, from computed tables.
// Where several paths are shortest it uses equal-cost multipath. The result is a Function; with
// ChoicePacket it is a Randomized, with ChoiceQueue an Adaptive. It fails if the network is too
// large or not connected, or vcs is too small.
func NewShortest(g *topology.Graph, vcs int, classes Classes, c Choice) (Algorithm, error) {
	l, err := legs.NewTable(g, classes == ClassesHop, legs.HostedEnds)
	if err != nil {
		return nil, err
	}
	d, err := newDirect(g, "shortest", l, vcs, flowPair)
	if err != nil {
		return nil, err
	}
	return d.choosing(c), nil
}
