package paths

var _ = Register(10, Description[ECMPOptions]{
	Summary:  "one path a flow, drawn at its begin",
	Source:   "RFC 2992",
	Make:     func(*ECMPOptions) Chooser { return ecmp{} },
	Examples: []string{""},
})

// ECMPOptions are the options of the algorithm "ecmp" in experiments.
type ECMPOptions struct{}

// Name implements Spec.
func (ECMPOptions) Name() string { return "ecmp" }

// ecmp gives all packets of a flow one entropy value (equal-cost multipath; Hopps, RFC 2992).
type ecmp struct{ flow[ecmpState] }

type ecmpState struct{ Entropy uint16 }

// Start implements Chooser.
func (e ecmp) Start(s []uint64, seed uint64) {
	d := draws{Seed: seed}
	e.of(s).Entropy = d.below(1 << 16)
}

// Next implements Chooser.
func (e ecmp) Next(s []uint64, _ int64) uint16 { return e.of(s).Entropy }
