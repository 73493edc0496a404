package control

var _ = Register(40, Description[RCCCOptions]{
	Summary: "Ultra Ethernet's receiver credit alone",
	Limits:  "credit", Signals: "grants of the receiver",
	Source:   "Ultra Ethernet Specification 1.0; uet-htsim",
	Make:     func(*RCCCOptions) Algorithm { return rccc{} },
	Examples: []string{""},
})

// RCCCOptions are the options of the algorithm "rccc" in experiments.
type RCCCOptions struct{}

// Name implements Spec.
func (RCCCOptions) Name() string { return "rccc" }

// rccc leaves it to the receivers what may be sent (receiver credit congestion control of Ultra
// Ethernet). The network grants the credit; the sender limits nothing itself.
type rccc struct{ None }

// Needs implements Requirer.
func (rccc) Needs() Needs { return Needs{Credit: true} }
