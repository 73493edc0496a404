package control

import (
	"fabricast/internal/option"
	"fabricast/internal/units"
	"fabricast/topology"
)

var _ = Register(50, Description[DCQCNOptions]{
	Summary: "rate, lowered by notifications of the receiver about marks (RoCEv2)",
	Limits:  "rate; with `window` also a window", Signals: "notifications (CNP)",
	Source: "Zhu et al., SIGCOMM 2015; alibaba-edu/High-Precision-Congestion-Control, rdma-hw.cc",
	Make:   makeDCQCN,
	Help: map[string]string{
		"form": "'paper': of Zhu et al.; 'vendor': of NICs, as simulators with ns-3 have it",
		"cnp":  "least time between two notifications for a flow; 'paper': 50us, 'vendor': 4us",
		"min":  "least rate; 'paper': a 4,000th of the rate of the link, 'vendor': a 250th",
		"alpha_timer": "after it without a notification alpha falls; " +
			"'paper': 55us, 'vendor': 1us",
		"increase_timer": "between increases; 'paper': 55us, 'vendor': 300us",
		"recovery": "stages of fast recovery before additive increases; " +
			"'paper': 5, 'vendor': 1",
		"ai": "additive increase; 'paper': a 1,000th of the rate of the link, 'vendor': a 5,000th",
		"hai": "hyper increase; 'paper': a 200th of the rate of the link, " +
			"'vendor': a 500th",
		"window": "'none', 'fixed': what the link carries in the longest base round trip, or 'rate': " +
			"the same at the rate of the flow",
	},
	Examples: []string{
		"", "form: vendor", "form: vendor, window: rate", "form: vendor, clamp: true, recovery: 5",
		"form: vendor, alpha_timer: 50us, decrease_timer: 50us, increase_timer: 55us, window: fixed",
		"cnp: 10us, g: 0.0625, byte_counter: 150kB, min: 1GB/s",
	},
})

// DCQCNOptions are the options of the algorithm "dcqcn" in experiments. The rates that are derived
// are those of the sources at the rates of their links: 40 Gb/s for the paper, 25 Gb/s for vendors.
type DCQCNOptions struct {
	Form          DCQCNForm      `yaml:"form" default:"'paper'"`
	CNP           units.Time     `yaml:"cnp" default:"by form"`
	G             units.Fraction `yaml:"g" help:"weight of a new sample in alpha" default:"1/256"`
	AlphaTimer    units.Time     `yaml:"alpha_timer" default:"by form"`
	DecreaseTimer units.Time     `yaml:"decrease_timer" help:"'vendor': between decreases" default:"4us"`
	IncreaseTimer units.Time     `yaml:"increase_timer" default:"by form"`
	ByteCounter   units.Bytes    `yaml:"byte_counter" help:"'paper': bytes sent between increases" default:"10MB"`
	Recovery      int            `yaml:"recovery" default:"by form"`
	AI            units.Rate     `yaml:"ai" default:"by form"`
	HAI           units.Rate     `yaml:"hai" default:"by form"`
	Min           units.Rate     `yaml:"min" default:"by form"`
	Clamp         bool           `yaml:"clamp" help:"'vendor': each decrease sets the target rate" default:"'false'"`
	Window        DCQCNWindow    `yaml:"window" default:"'none'"`
}

// Name implements Spec.
func (DCQCNOptions) Name() string { return "dcqcn" }

// Check returns what is wrong with the options.
func (o *DCQCNOptions) Check() []topology.Mistake {
	var c checker
	c.time("cnp", o.CNP)
	c.share("g", o.G)
	c.time("alpha_timer", o.AlphaTimer)
	c.time("decrease_timer", o.DecreaseTimer)
	c.time("increase_timer", o.IncreaseTimer)
	c.size("byte_counter", o.ByteCounter)
	c.count("recovery", o.Recovery, 1000)
	c.rate("ai", o.AI)
	c.rate("hai", o.HAI)
	c.rate("min", o.Min)
	return c
}

// DCQCNForm is a form of DCQCN.
type DCQCNForm uint8

// The forms.
const (
	DCQCNPaper DCQCNForm = iota
	DCQCNVendor
)

var dcqcnForms = []string{DCQCNPaper: "paper", DCQCNVendor: "vendor"}

// Words lists the values in experiment files.
func (f *DCQCNForm) Words() []string { return dcqcnForms }

// UnmarshalText parses a value from an experiment file.
func (f *DCQCNForm) UnmarshalText(text []byte) error { return option.Parse(f, text, dcqcnForms) }

// MarshalText returns the value in experiment files.
func (f DCQCNForm) MarshalText() ([]byte, error) { return option.Text(f, dcqcnForms) }

// DCQCNWindow selects a window that limits the bytes under way beside the rate.
type DCQCNWindow uint8

// The windows.
const (
	DCQCNNoWindow DCQCNWindow = iota
	DCQCNFixedWindow
	DCQCNRateWindow
)

var dcqcnWindows = []string{
	DCQCNNoWindow: "none", DCQCNFixedWindow: "fixed", DCQCNRateWindow: "rate",
}

// Words lists the values in experiment files.
func (w *DCQCNWindow) Words() []string { return dcqcnWindows }

// UnmarshalText parses a value from an experiment file.
func (w *DCQCNWindow) UnmarshalText(text []byte) error { return option.Parse(w, text, dcqcnWindows) }

// MarshalText returns the value in experiment files.
func (w DCQCNWindow) MarshalText() ([]byte, error) { return option.Text(w, dcqcnWindows) }

func makeDCQCN(o *DCQCNOptions) Algorithm {
	d := dcqcn{
		DCQCNOptions: *o, g: or(o.G, units.Whole/256).Float(),
		least: 1.0 / 4000, additive: 1.0 / 1000, hyper: 1.0 / 200,
	}
	d.DecreaseTimer = or(d.DecreaseTimer, 4*units.Microsecond)
	d.ByteCounter = or(d.ByteCounter, 10*units.MB)
	if o.Form == DCQCNVendor {
		d.least, d.additive, d.hyper = 1.0/250, 1.0/5000, 1.0/500
		d.CNP = or(d.CNP, 4*units.Microsecond)
		d.AlphaTimer = or(d.AlphaTimer, units.Microsecond)
		d.IncreaseTimer = or(d.IncreaseTimer, 300*units.Microsecond)
		d.Recovery = or(d.Recovery, 1)
		return dcqcnVendor{dcqcn: d}
	}
	d.CNP = or(d.CNP, 50*units.Microsecond)
	d.AlphaTimer = or(d.AlphaTimer, 55*units.Microsecond)
	d.IncreaseTimer = or(d.IncreaseTimer, 55*units.Microsecond)
	d.Recovery = or(d.Recovery, 5)
	return dcqcnPaper{dcqcn: d}
}

// dcqcn is what both forms of Data Center Quantized Congestion Notification share. A flow has a
// current rate, a target rate, and alpha, an estimate of how congested its way is.
type dcqcn struct {
	flow[dcqcnState]
	DCQCNOptions         // with defaults
	g            float64 // weight of a new sample in alpha
	// rates that were not given, as shares of the link's
	least, additive, hyper float64
}

type dcqcnState struct {
	Rate    float64 // current (bytes/s)
	Target  float64 // bytes/s
	Alpha   float64
	AlphaAt int64 // when the timer of alpha expires next (ps); 0 before the first notification
	RaiseAt int64 // that of increases (ps); 0: not running
	LowerAt int64 // vendor: that of decreases (ps); 0 before the first notification
	Stage   int64 // increases by the timer since the last decrease
	Counted int64 // paper: increases by bytes, likewise
	Bytes   int64 // paper: bytes sent since the last of these
	Sample  bool  // vendor: whether a notification came since the last update of alpha
	Pending bool  // vendor: whether one came since the last decrease
}

// start prepares a flow, which begins at the rate of its link.
func (d *dcqcn) start(s []uint64, p *Path) {
	f := d.of(s)
	f.Rate, f.Target, f.Alpha = float64(p.Rate), float64(p.Rate), 1
}

// Limits implements Algorithm.
func (d dcqcn) Limits(s []uint64, p *Path) Limits {
	rate, window := d.of(s).Rate, Unlimited
	switch d.Window {
	case DCQCNFixedWindow:
		window = max(p.MTU, bytesIn(p.Rate, p.NetworkRTT))
	case DCQCNRateWindow:
		window = max(p.MTU, capacity(rate, p.NetworkRTT))
	}
	return paced(rate, p, window)
}

// Needs implements Requirer.
func (d dcqcn) Needs() Needs { return Needs{Notify: int64(d.CNP), Marks: true} }

// Ack implements Algorithm.
func (dcqcn) Ack([]uint64, *Path, *Ack) {}

// lower decreases the rate by alpha.
func (d *dcqcn) lower(f *dcqcnState, p *Path) {
	least := min(rateOr(d.Min, p, d.least), float64(p.Rate))
	f.Rate = max(least, f.Rate*(1-f.Alpha/2))
}

// recover moves the rate halfway to the target, which increases may have raised. What is left of
// less than a byte per second is no difference, so that the way up ends.
func (d *dcqcn) recover(f *dcqcnState, p *Path) {
	f.Target = min(f.Target, float64(p.Rate))
	if f.Rate = (f.Rate + f.Target) / 2; f.Target-f.Rate < 1 {
		f.Rate = f.Target
	}
}

// full reports whether a flow has the whole rate of its link, so that increases do nothing.
func (f *dcqcnState) full(p *Path) bool {
	return f.Rate >= float64(p.Rate) && f.Target >= float64(p.Rate)
}
