package control

import (
	"math"

	"fabricast/internal/units"
	"fabricast/topology"
)

var _ = Register(60, Description[SwiftOptions]{
	Summary: "window, held at a target delay that grows with the way and falls with the window",
	Limits:  "window; below a packet a rate", Signals: "round trips",
	Source: "Kumar et al., SIGCOMM 2020",
	Make:   makeSwift,
	Help: map[string]string{
		"range": "what the target grows by for the smallest windows",
		"beta":  "decrease in proportion to how much the delay exceeds the target",
	},
	Examples: []string{"", "target: 10us, hop: 500ns, range: 20us", "initial: 20kB, ai: 2, cut: 0.3"},
})

// SwiftOptions are the options of the algorithm "swift" in experiments.
type SwiftOptions struct {
	Target  units.Time     `yaml:"target" help:"base target delay of a round trip" default:"20us"`
	Hop     units.Time     `yaml:"hop" help:"what each link adds to the target" default:"'target' / 6.55"`
	Range   units.Time     `yaml:"range" default:"5 'target'"`
	AI      int            `yaml:"ai" help:"packets that are added to the window in a round trip" default:"1"`
	Beta    units.Fraction `yaml:"beta" default:"0.8"`
	Cut     units.Fraction `yaml:"cut" help:"largest decrease in a round trip" default:"0.5"`
	Initial units.Bytes    `yaml:"initial" help:"window of a new flow" default:"BDP"`
}

// Name implements Spec.
func (SwiftOptions) Name() string { return "swift" }

// Check returns what is wrong with the options.
func (o *SwiftOptions) Check() []topology.Mistake {
	var c checker
	c.time("target", o.Target)
	c.time("hop", o.Hop)
	c.time("range", o.Range)
	c.count("ai", o.AI, 1000)
	c.share("beta", o.Beta)
	c.share("cut", o.Cut)
	c.size("initial", o.Initial)
	return c
}

// swift holds the delay of round trips at a target (Kumar et al.: Swift: Delay is simple and
// effective for congestion control in the datacenter, SIGCOMM 2020). The constants are those of
// uet-htsim (swift.cpp), which calls them guesses. A window below a packet is a pause between
// packets. The whole round trip counts as delay of the fabric: hosts add nothing.
type swift struct {
	flow[swiftState]
	target, hop, spread float64 // ps
	ai, beta, cut       float64
	initial             int64   // bytes; 0: BDP
	alpha, shift        float64 // target = alpha/sqrt(window) + shift, of windows in packets (ps)
}

// Windows, in packets, at which the target delay is highest and lowest, and the least window.
const (
	swiftHighest = 0.1
	swiftLowest  = 100
	swiftLeast   = 0.001
	// swiftReset is the number of timeouts in a row after which the window is the least.
	swiftReset = 5
)

type swiftState struct {
	Window    float64 // bytes
	RTT       int64   // smoothed (ps)
	Decreased int64   // when the window was last decreased (ps)
	Timeouts  int64   // in a row
}

func makeSwift(o *SwiftOptions) Algorithm {
	target := or(o.Target, 20*units.Microsecond)
	spread := float64(or(o.Range, 5*target))
	alpha := spread / (1/math.Sqrt(swiftHighest) - 1/math.Sqrt(swiftLowest))
	hop := float64(o.Hop)
	if o.Hop == 0 {
		hop = float64(target) / 6.55
	}
	return swift{
		target: float64(target), hop: hop, spread: spread,
		ai: float64(or(o.AI, 1)), initial: int64(o.Initial),
		beta: or(o.Beta, 80*units.Percent).Float(), cut: or(o.Cut, 50*units.Percent).Float(),
		alpha: alpha, shift: -alpha / math.Sqrt(swiftLowest),
	}
}

// Start implements Algorithm.
func (w swift) Start(s []uint64, p *Path) {
	f := w.of(s)
	f.RTT = p.RTT
	f.Window = w.bounded(float64(or(w.initial, p.BDP())), p)
}

// bounded keeps a window between a thousandth of a packet and what the link carries in the longest
// delay that is aimed at.
func (w *swift) bounded(window float64, p *Path) float64 {
	longest := w.target + w.spread + float64(w.hop*float64(p.Hops))
	return between(swiftLeast*float64(p.MTU), window, max(float64(p.MTU), float64(p.Rate)/1e12*longest))
}

// aim returns the target delay of a flow (ps).
func (w *swift) aim(f *swiftState, p *Path) float64 {
	small := between(0, w.alpha/math.Sqrt(f.Window/float64(p.MTU))+w.shift, w.spread)
	return w.target + float64(w.hop*float64(p.Hops)) + small
}

// Limits implements Algorithm.
func (w swift) Limits(s []uint64, p *Path) Limits {
	f := w.of(s)
	if f.Window < float64(p.MTU) {
		return paced(f.Window/float64(f.RTT)*1e12, p, p.MTU)
	}
	return Limits{Window: int64(f.Window)}
}

// Ack implements Algorithm.
func (w swift) Ack(s []uint64, p *Path, a *Ack) {
	f := w.of(s)
	f.Timeouts = 0
	if unknown(a.Sent) {
		return
	}
	delay := a.At - a.Sent
	due := a.At-f.Decreased >= f.RTT
	f.RTT = 7*f.RTT/8 + delay/8
	aim, window := w.aim(f, p), f.Window
	switch packet := float64(p.MTU); {
	case float64(delay) < aim && window >= packet:
		window += float64(packet * w.ai * float64(a.Bytes) / window)
	case float64(delay) < aim:
		window += float64(w.ai * float64(a.Bytes))
	case due:
		excess := (float64(delay) - aim) / float64(delay)
		w.shrink(f, p, a.At, max(1-float64(w.beta*excess), 1-w.cut))
		return
	}
	f.Window = w.bounded(window, p)
}

// shrink multiplies the window by a factor.
func (w *swift) shrink(f *swiftState, p *Path, now int64, factor float64) {
	f.Window = w.bounded(f.Window*factor, p)
	f.Decreased = now
}

// Nack implements Algorithm.
func (w swift) Nack(s []uint64, p *Path, n *Nack) {
	if f := w.of(s); n.At-f.Decreased >= f.RTT {
		w.shrink(f, p, n.At, 1-w.cut)
	}
}

// Lost implements Algorithm.
func (w swift) Lost(s []uint64, p *Path, n *Now, _ int64) {
	f := w.of(s)
	if f.Timeouts++; f.Timeouts >= swiftReset {
		w.shrink(f, p, n.At, 0)
	} else if n.At-f.Decreased >= f.RTT {
		w.shrink(f, p, n.At, 1-w.cut)
	}
}
