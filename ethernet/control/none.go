package control

var _ = Register(10, Description[NoneOptions]{
	Summary: "flows send as fast as their link allows",
	Limits:  "nothing", Signals: "nothing", Source: "",
	Make:     func(*NoneOptions) Algorithm { return None{} },
	Examples: []string{""},
})

// NoneOptions are the options of the algorithm "none" in experiments.
type NoneOptions struct{}

// Name implements Spec.
func (NoneOptions) Name() string { return "none" }

// None sends as fast as the link allows.
type None struct{ Quiet }

// Words implements Algorithm.
func (None) Words() int { return 0 }

// Start implements Algorithm.
func (None) Start([]uint64, *Path) {}

// Limits implements Algorithm.
func (None) Limits([]uint64, *Path) Limits { return Limits{Window: Unlimited} }

// Ack implements Algorithm.
func (None) Ack([]uint64, *Path, *Ack) {}
