package control

import (
	"fabricast/internal/units"
	"fabricast/topology"
)

var _ = Register(100, Description[IBOptions]{
	Summary: "gaps between packets by InfiniBand's congestion control table",
	Limits:  "rate", Signals: "notifications (BECN)",
	Source: "InfiniBand Architecture Specification 1, annex A10; Gran et al., IPDPS 2010",
	Make:   makeIB,
	Help: map[string]string{
		"step": "entry i of the table is a gap of i times this, in times of a packet",
	},
	Examples: []string{"", "increase: 4, limit: 63, timer: 50us, step: 0.25", "min: 2"},
})

// IBOptions are the options of the algorithm "ib" in experiments.
type IBOptions struct {
	Increase int            `yaml:"increase" help:"what a notification adds to the index into the table" default:"1"`
	Limit    int            `yaml:"limit" help:"largest index" default:"127"`
	Min      int            `yaml:"min" help:"least index" default:"0"`
	Timer    units.Time     `yaml:"timer" help:"after it the index falls by 1" default:"153.6us"`
	Step     units.Fraction `yaml:"step" default:"1"`
}

// Name implements Spec.
func (IBOptions) Name() string { return "ib" }

// Check returns what is wrong with the options.
func (o *IBOptions) Check() []topology.Mistake {
	var c checker
	c.count("increase", o.Increase, 255)
	c.count("limit", o.Limit, 65535)
	c.count("min", o.Min, or(o.Limit, ibLimit))
	c.time("timer", o.Timer)
	if o.Step < 0 {
		c = append(c, topology.Mistake{Field: "step", Found: o.Step.String(), Expected: "at least 0"})
	}
	return c
}

// ib is the congestion control of InfiniBand (Architecture Specification volume 1, annex A10): the
// receiver of a marked packet (FECN) notifies the sender (BECN). A flow has an index into a table
// of gaps, which its packets keep (CCTI). A notification adds to it, a timer subtracts 1. The gap
// is in times of a packet; so the rate with a gap g is that of the link over 1+g. The constants are
// those of Gran et al. (First experiences with congestion control in InfiniBand hardware, IPDPS
// 2010), and the table is linear, as subnet managers make it.
type ib struct {
	flow[ibState]
	increase, limit, min int64
	timer                int64 // ps
	step                 float64
}

// ibLimit is the largest index, if none is given.
const ibLimit = 127

type ibState struct {
	Index int64 // CCTI
	Next  int64 // when the timer expires (ps); 0: not running
}

func makeIB(o *IBOptions) Algorithm {
	return ib{
		increase: int64(or(o.Increase, 1)), limit: int64(or(o.Limit, ibLimit)), min: int64(o.Min),
		timer: int64(or(o.Timer, 150*1024*units.Nanosecond)), step: or(o.Step, units.Whole).Float(),
	}
}

// Needs implements Requirer: every marked packet is notified.
func (ib) Needs() Needs { return Needs{Notify: 1, Marks: true} }

// Start implements Algorithm.
func (c ib) Start(s []uint64, _ *Path) { c.of(s).Index = c.min }

// Limits implements Algorithm.
func (c ib) Limits(s []uint64, p *Path) Limits {
	gap := float64(c.step * float64(c.of(s).Index))
	return paced(float64(p.Rate)/(1+gap), p, Unlimited)
}

// Ack implements Algorithm.
func (ib) Ack([]uint64, *Path, *Ack) {}

// Notified implements Algorithm.
func (c ib) Notified(s []uint64, _ *Path, n *Now) {
	f := c.of(s)
	f.Index = min(f.Index+c.increase, c.limit)
	if f.Next == 0 && f.Index > c.min {
		f.Next = n.At + c.timer
	}
}

// Due implements Algorithm.
func (c ib) Due(s []uint64) int64 { return or(c.of(s).Next, Forever) }

// Timer implements Algorithm.
func (c ib) Timer(s []uint64, _ *Path, n *Now) {
	f := c.of(s)
	f.Index, f.Next = f.Index-1, n.At+c.timer
	if f.Index <= c.min {
		f.Index, f.Next = c.min, 0
	}
}
