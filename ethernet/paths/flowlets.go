package paths

import (
	"fabricast/internal/units"
	"fabricast/topology"
)

var _ = Register(60, Description[FlowletsOptions]{
	Summary: "another path after a pause of the flow",
	Source:  "Vanini et al., LetFlow, NSDI 2017",
	Make: func(o *FlowletsOptions) Chooser {
		gap := o.Gap
		if gap == 0 {
			gap = 500 * units.Microsecond
		}
		return flowlets{paths: numberOf(o.Paths), gap: int64(gap)}
	},
	Examples: []string{"", "paths: 128, gap: 5us", "paths: 1"},
})

// FlowletsOptions are the options of the algorithm "flowlets" in experiments.
type FlowletsOptions struct {
	Paths int        `yaml:"paths" help:"entropy values of a flow, a power of two" default:"64"`
	Gap   units.Time `yaml:"gap" help:"a pause that is longer begins a flowlet" default:"500us"`
}

// Name implements Spec.
func (FlowletsOptions) Name() string { return "flowlets" }

// Check returns what is wrong with the options.
func (o *FlowletsOptions) Check() []topology.Mistake {
	list := checkPaths(o.Paths)
	if o.Gap < 0 {
		list = append(list, topology.Mistake{Field: "gap", Found: o.Gap.String(), Expected: "at least 0"})
	}
	return list
}

// flowlets draws a path for each burst of a flow (Vanini et al.: Let it flow: Resilient asymmetric
// load balancing with flowlet switching, NSDI 2017), but at the sender, where the paper has
// switches do it. If the pause is longer than paths differ in delay, packets arrive in order.
type flowlets struct {
	flow[flowletState]
	paths int
	gap   int64 // ps
}

type flowletState struct {
	draws
	Last    int64 // when the last packet left (ps)
	Entropy uint16
	Begun   bool
}

// Start implements Chooser.
func (f flowlets) Start(s []uint64, seed uint64) { f.of(s).Seed = seed }

// Next implements Chooser.
func (f flowlets) Next(s []uint64, now int64) uint16 {
	state := f.of(s)
	if !state.Begun || now-state.Last > f.gap {
		state.Entropy, state.Begun = state.below(f.paths), true
	}
	state.Last = now
	return state.Entropy
}
