package control

import (
	"fabricast/internal/units"
	"fabricast/topology"
)

var _ = Register(90, Description[DCTCPOptions]{
	Summary: "window, lowered by the share of marked packets",
	Limits:  "window", Signals: "ECN",
	Source: "Alizadeh et al., SIGCOMM 2010; RFC 8257",
	Make: func(o *DCTCPOptions) Algorithm {
		return dctcp{
			g: or(o.G, units.Whole/16).Float(), initial: int64(o.Initial), most: int64(o.Max),
		}
	},
	Examples: []string{"", "g: 0.25, initial: 20kB, max: 1MB"},
})

// DCTCPOptions are the options of the algorithm "dctcp" in experiments.
type DCTCPOptions struct {
	G       units.Fraction `yaml:"g" help:"weight of a new share of marked bytes" default:"1/16"`
	Initial units.Bytes    `yaml:"initial" help:"window of a new flow" default:"BDP"`
	Max     units.Bytes    `yaml:"max" help:"largest window" default:"2 BDP of the longest base round trip"`
}

// Name implements Spec.
func (DCTCPOptions) Name() string { return "dctcp" }

// Check returns what is wrong with the options.
func (o *DCTCPOptions) Check() []topology.Mistake {
	var c checker
	c.share("g", o.G)
	c.size("initial", o.Initial)
	c.size("max", o.Max)
	return c
}

// dctcp is Data Center TCP (Alizadeh et al.: Data Center TCP, SIGCOMM 2010; RFC 8257): once a
// window the average share of marked bytes (alpha) is updated, and the window falls by half of
// alpha if there were marks. Without any it rises by a packet in a round trip. Flows of NICs begin
// with a whole window in place of a slow start. A packet that was cut or is missing halves the
// window; a timeout sets it to one packet.
type dctcp struct {
	flow[dctcpState]
	g             float64
	initial, most int64 // bytes; 0: derived
}

type dctcpState struct {
	Window  float64 // bytes
	Alpha   float64
	Acked   int64 // bytes acknowledged since the last update of alpha
	Marked  int64 // those by acknowledgements with a mark
	Update  int64 // the next comes when so many payload bytes have arrived
	Reduced int64 // the window does not fall again until so many payload bytes have arrived
}

// Needs implements Requirer.
func (dctcp) Needs() Needs { return Needs{Marks: true} }

// Start implements Algorithm.
func (d dctcp) Start(s []uint64, p *Path) {
	f := d.of(s)
	f.Window = d.bounded(float64(or(d.initial, p.BDP())), p)
	f.Alpha = 1
}

// bounded keeps a window between a packet and the largest window.
func (d *dctcp) bounded(window float64, p *Path) float64 {
	most := or(d.most, 2*bytesIn(p.Rate, p.NetworkRTT))
	return between(float64(p.MTU), window, float64(max(p.MTU, most)))
}

// Limits implements Algorithm.
func (d dctcp) Limits(s []uint64, _ *Path) Limits { return Limits{Window: int64(d.of(s).Window)} }

// Ack implements Algorithm.
func (d dctcp) Ack(s []uint64, p *Path, a *Ack) {
	f := d.of(s)
	f.Acked += a.Bytes
	if a.ECN {
		f.Marked += a.Bytes
	}
	if a.Upto > f.Update {
		if f.Acked > 0 {
			f.Alpha = blend(d.g, float64(f.Marked)/float64(f.Acked), f.Alpha)
		}
		f.Acked, f.Marked, f.Update = 0, 0, a.Next
	}
	if !a.ECN {
		step := float64(p.MTU) * float64(a.Bytes) / f.Window
		f.Window = d.bounded(f.Window+step, p)
	} else if a.Upto > f.Reduced {
		d.reduce(f, p, a.Next, 1-f.Alpha/2)
	}
}

// reduce multiplies the window by a factor, and keeps it from falling for a window. next are the
// payload bytes that have been sent.
func (d *dctcp) reduce(f *dctcpState, p *Path, next int64, factor float64) {
	f.Window = d.bounded(f.Window*factor, p)
	f.Reduced = next
}

// Nack implements Algorithm.
func (d dctcp) Nack(s []uint64, p *Path, n *Nack) {
	if f := d.of(s); n.Next > f.Reduced {
		d.reduce(f, p, n.Next, 0.5)
	}
}

// Lost implements Algorithm.
func (d dctcp) Lost(s []uint64, p *Path, n *Now, _ int64) { d.reduce(d.of(s), p, n.Next, 0) }
