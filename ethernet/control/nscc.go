package control

import (
	"fabricast/internal/units"
	"fabricast/topology"
)

var _ = Register(30, Description[NSCCOptions]{
	Summary: "Ultra Ethernet's window at the sender, by delays, marks and cut packets",
	Limits:  "window; with `credit` also credit", Signals: "round trips, ECN, cut packets",
	Source: "Ultra Ethernet Specification 1.0, 3.6.13; uet-htsim",
	Make: func(o *NSCCOptions) Algorithm {
		return nscc{target: int64(o.Target), initial: int64(o.Initial), credit: o.Credit}
	},
	Help: map[string]string{
		"credit": "receivers also grant credit ('rccc'), and both must allow a packet",
	},
	Examples: []string{"", "credit: true", "target: 5us, initial: 100kB"},
})

// NSCCOptions are the options of the algorithm "nscc" in experiments.
type NSCCOptions struct {
	Credit  bool        `yaml:"credit" default:"'false'"`
	Target  units.Time  `yaml:"target" help:"queueing delay that is aimed at" default:"the longest base round trip; with trimming 0.75 of it"`
	Initial units.Bytes `yaml:"initial" help:"window of a new flow" default:"1.5 BDP"`
}

// Name implements Spec.
func (NSCCOptions) Name() string { return "nscc" }

// Check returns what is wrong with the options.
func (o *NSCCOptions) Check() []topology.Mistake {
	var c checker
	c.time("target", o.Target)
	c.size("initial", o.Initial)
	return c
}

// nscc is the network signalled congestion control of Ultra Ethernet (Specification 1.0, section
// 3.6.13), as UEC's own simulator has it (github.com/ultraethernet/uet-htsim, uec.cpp, commit
// 40ccb05). The window counts bytes on the wire. Of four cases of an acknowledgement, by mark and
// by the delay in queues, one lowers the window, two raise it, and one leaves it as it is:
//
//	            delay below the target      delay at or above the target
//	not marked  proportional increase       fair increase
//	marked      no change                   multiplicative decrease, once a round trip
//
// If packets are cut or lost, or the delay is four times the target, the window becomes what has
// arrived in a round trip (quick adapt). The penalty of oversubscribed receivers is not part of it.
type nscc struct {
	flow[nsccState]
	target  int64 // ps; 0: derived
	initial int64 // bytes; 0: derived
	credit  bool
}

// The constants of the algorithm. Those of rates and windows are for a link of 100 Gb/s and a round
// trip of 12 us, and scaled to the network.
const (
	nsccReferenceBDP = 150_000    // bytes
	nsccReferenceRTT = 12_000_000 // ps
	nsccAlmostNone   = 1_000_000  // delay that counts as none (ps)
	nsccAlpha        = 4.0        // proportional increase, in payloads of a packet
	nsccFair         = 5.0        // fair increase, likewise
	nsccEta          = 0.15       // increase of each round trip, likewise
	nsccFast         = 0.25       // fast increase, in bytes for each byte
	nsccGamma        = 0.8        // multiplicative decrease
	nsccGain         = 0.0125     // weight of a new delay in their average
	nsccPackets      = 8          // after so many the increases are applied
	nsccGate         = 3          // quick adapt below 2^-3 of the largest window
	nsccLate         = 4          // quick adapt above so many target delays
)

type nsccState struct {
	Window    int64 // bytes
	Max       int64 // the largest window (bytes)
	RTT       int64 // the base round trip, the least that was seen (ps)
	Delay     int64 // the average delay in queues (ps)
	Increase  int64 // increases to be applied, times the window (bytes^2)
	Received  int64 // bytes acknowledged since they were applied
	Adjusted  int64 // when they last were, in a way that counts for eta (ps)
	Undelayed int64 // bytes acknowledged in a row almost without delay
	Decreased int64 // when the window was last decreased by marks (ps)
	Achieved  int64 // bytes acknowledged in this period of quick adapt
	Period    int64 // its end (ps); 0 before the first
	Ignore    int64 // marks are ignored until so many bytes
	Ignored   int64 // have been acknowledged or cut since quick adapt
	Fast      bool  // whether it increases fast
	Triggered bool  // whether packets were cut since quick adapt
}

// Start implements Algorithm.
func (c nscc) Start(s []uint64, p *Path) {
	f := c.of(s)
	f.RTT, f.Max = p.RTT, nsccMax(p, p.RTT)
	f.Window = or(c.initial, f.Max)
}

// nsccMax returns the largest window for a base round trip: 1.5 BDP.
func nsccMax(p *Path, rtt int64) int64 { return max(p.MTU, bytesIn(p.Rate, rtt)*3/2) }

// Limits implements Algorithm.
func (c nscc) Limits(s []uint64, _ *Path) Limits { return Limits{Window: c.of(s).Window} }

// Needs implements Requirer.
func (c nscc) Needs() Needs { return Needs{Credit: c.credit} }

// targeted returns the delay in queues that is aimed at (ps).
func (c nscc) targeted(p *Path) int64 {
	switch {
	case c.target > 0:
		return c.target
	case p.Trims:
		return p.NetworkRTT * 3 / 4
	}
	return p.NetworkRTT
}

// scale returns the ratio of the network's BDP to the reference.
func (c nscc) scale(p *Path) float64 {
	return float64(bytesIn(p.Rate, p.NetworkRTT)) / nsccReferenceBDP
}

// Ack implements Algorithm.
func (c nscc) Ack(s []uint64, p *Path, a *Ack) {
	f, target := c.of(s), c.targeted(p)
	f.Achieved += a.Bytes
	f.Received += a.Bytes
	f.Ignored += a.Bytes
	delay := f.Delay
	if !unknown(a.Sent) {
		rtt := a.At - a.Sent
		f.least(p, rtt)
		delay = rtt - f.RTT
		f.average(delay, target, a.ECN)
	}
	if c.adapts(f, p, &a.Now, a.Flying, a.ECN, false, delay) {
		return
	}
	switch {
	case !a.ECN && delay >= target:
		f.Increase += int64(nsccFair * float64(p.Payload()) * c.scale(p) * float64(a.Bytes))
	case !a.ECN:
		c.proportional(f, p, a.Bytes, delay, target)
	case delay >= target:
		f.decrease(p, a.At, target)
	}
	f.Window = between(p.MTU, f.Window, f.Max)
	if f.Received > nsccPackets*p.MTU || a.At-f.Adjusted > p.NetworkRTT {
		c.apply(f, p, a.At)
	}
	f.Window = between(p.MTU, f.Window, f.Max)
}

// least notes a round trip (ps), if it is below the base round trip.
func (f *nsccState) least(p *Path, rtt int64) {
	if rtt < f.RTT {
		f.RTT, f.Max = rtt, nsccMax(p, rtt)
	}
}

// average notes a delay (ps). A long one without a mark is not of the flow's own path.
func (f *nsccState) average(delay, target int64, marked bool) {
	if !marked && delay > target {
		delay = f.RTT / 4
	}
	f.Delay = int64(blend(nsccGain, float64(delay), float64(f.Delay)))
}

// proportional increases by what is left to the target delay; fast, if there was no delay for a
// whole window.
func (c nscc) proportional(f *nsccState, p *Path, bytes, delay, target int64) {
	if delay >= nsccAlmostNone {
		f.Undelayed, f.Fast = 0, false
	} else if f.Undelayed += bytes; f.Fast || f.Undelayed > f.Window {
		f.Window += int64(float64(bytes) * nsccFast * c.scale(p))
		f.Fast = true
		return
	}
	slow := float64(target) / nsccReferenceRTT
	alpha := nsccAlpha * float64(p.Payload()) * c.scale(p) * slow / float64(target)
	f.Increase += int64(alpha * float64(bytes) * float64(target-delay))
}

// decrease lowers the window by the average delay, at most once in a base round trip.
func (f *nsccState) decrease(p *Path, now, target int64) {
	f.Fast, f.Undelayed = false, 0
	if f.Delay <= target || now-f.Decreased <= f.RTT {
		return
	}
	factor := 1 - nsccGamma*float64(f.Delay-target)/float64(f.Delay)
	f.Window = max(p.MTU, int64(float64(f.Window)*max(factor, 0.5)))
	f.Decreased = now
}

// apply raises the window by the collected increases.
func (c nscc) apply(f *nsccState, p *Path, now int64) {
	f.Window += f.Increase / f.Window
	if now-f.Adjusted >= p.NetworkRTT {
		f.Window += int64(nsccEta * float64(p.Payload()) * c.scale(p))
		f.Adjusted = now
	}
	f.Increase, f.Received = 0, 0
}

// adapts sets the window to what was achieved in a round trip, if the network is overloaded. It
// reports whether it did, or whether a mark is still to be ignored. flying are the bytes under way.
func (c nscc) adapts(f *nsccState, p *Path, n *Now, flying int64, marked, lost bool, delay int64) bool {
	target := c.targeted(p)
	handled := marked && f.Ignored < f.Ignore
	if !handled && n.At > f.Period {
		over := f.Triggered || lost || delay > nsccLate*target
		if f.Period != 0 && over && f.Achieved < f.Max>>nsccGate {
			f.Window = max(p.MTU, f.Achieved)
			f.Ignore, f.Ignored = flying, 0
			f.Triggered, handled = false, true
		}
		f.Achieved = 0
		f.Period = n.At + f.RTT + target
	}
	if handled {
		f.Increase, f.Received = 0, 0
	}
	return handled
}

// Nack implements Algorithm.
func (c nscc) Nack(s []uint64, p *Path, n *Nack) {
	f := c.of(s)
	if !unknown(n.Sent) {
		f.least(p, n.At-n.Sent)
	}
	f.Ignored += n.Bytes
	f.average(p.NetworkRTT, c.targeted(p), true)
	f.Triggered = true
	// the packet itself still counts as under way
	if !c.adapts(f, p, &n.Now, n.Flying+n.Bytes, true, true, 0) && !(c.credit && n.Last) {
		f.Window = between(p.MTU, f.Window-n.Bytes, f.Max)
	}
}

// Lost implements Algorithm.
func (c nscc) Lost(s []uint64, p *Path, _ *Now, bytes int64) {
	f := c.of(s)
	f.Window = max(p.MTU, f.Window-bytes)
}
