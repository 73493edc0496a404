package control

import (
	"fabricast/internal/units"
	"fabricast/topology"
)

var _ = Register(70, Description[HPCCOptions]{
	Summary: "rate and window, by the queues and loads of all links of the way",
	Limits:  "rate and window", Signals: "telemetry of switches (INT)",
	Source:   "Li et al., SIGCOMM 2019",
	Make:     makeHPCC,
	Examples: []string{"", "stages: 5, eta: 0.98", "ai: 10MB/s, min: 100MB/s"},
})

// HPCCOptions are the options of the algorithm "hpcc" in experiments.
type HPCCOptions struct {
	Eta    units.Fraction `yaml:"eta" help:"use of links that is aimed at" default:"0.95"`
	Stages int            `yaml:"stages" help:"round trips of additive increase before a multiplicative one; 5 in the paper" default:"0"`
	AI     units.Rate     `yaml:"ai" help:"additive increase" default:"a 2,500th of the rate of the link"`
	Min    units.Rate     `yaml:"min" help:"least rate" default:"a 1,000th of the rate of the link"`
}

// Name implements Spec.
func (HPCCOptions) Name() string { return "hpcc" }

// Check returns what is wrong with the options.
func (o *HPCCOptions) Check() []topology.Mistake {
	var c checker
	c.share("eta", o.Eta)
	c.count("stages", o.Stages, 1000)
	c.rate("ai", o.AI)
	c.rate("min", o.Min)
	return c
}

// hpcc is High Precision Congestion Control (Li et al.: HPCC: High precision congestion control,
// SIGCOMM 2019), as its authors' simulator has it (github.com/alibaba-edu/
// High-Precision-Congestion-Control, rdma-hw.cc, one rate a flow). Switches write the length of
// their queue and the bytes they have sent into packets, and receivers return them. The rate
// follows from the most used link. Once a round trip the rate becomes the reference;
// acknowledgements between change the rate from the same reference. After a change of the way its
// records are begun anew, as in the paper.
type hpcc struct {
	flow[hpccState]
	eta     float64
	stages  int64
	ai, min units.Rate // bytes/s; 0: derived
}

// hpccHops is the number of switches whose records are kept; those beyond count for nothing.
const hpccHops = 12

type hpccState struct {
	Rate   float64 // bytes/s
	Agreed float64 // that of the last update, the reference (bytes/s)
	Use    float64 // use of the most used link, averaged
	Stage  int64   // additive increases since the last multiplicative one
	Update int64   // the next update comes when so many payload bytes have arrived; 0 at the begin
	Known  int64   // number of hops
	Hops   [hpccHops]hpccHop
}

// hpccHop is what was last learnt of a port.
type hpccHop struct {
	Port, At, Queue int64
	Bytes           uint64
}

func makeHPCC(o *HPCCOptions) Algorithm {
	return hpcc{eta: or(o.Eta, 95*units.Percent).Float(), stages: int64(o.Stages), ai: o.AI, min: o.Min}
}

// Needs implements Requirer.
func (hpcc) Needs() Needs { return Needs{Measures: true} }

// Start implements Algorithm.
func (h hpcc) Start(s []uint64, p *Path) {
	f := h.of(s)
	f.Rate, f.Agreed = float64(p.Rate), float64(p.Rate)
}

// Limits implements Algorithm.
func (h hpcc) Limits(s []uint64, p *Path) Limits {
	rate := h.of(s).Rate
	return paced(rate, p, max(p.MTU, capacity(rate, p.NetworkRTT)))
}

// Ack implements Algorithm.
func (h hpcc) Ack(s []uint64, p *Path, a *Ack) {
	f := h.of(s)
	full := a.Upto > f.Update
	if f.Update == 0 || !f.sameWay(a.Hops) {
		f.record(a.Hops)
	} else if use, interval := f.measure(p, a.Hops); interval > 0 {
		f.record(a.Hops)
		interval = min(interval, p.NetworkRTT)
		weight := float64(interval) / float64(p.NetworkRTT)
		f.Use = blend(weight, use, f.Use)
		stage := h.react(f, p)
		if full {
			f.Agreed, f.Stage = f.Rate, stage
		}
	}
	if full || f.Update == 0 {
		f.Update = max(f.Update, a.Next)
	}
}

// sameWay reports whether hops are those of the records.
func (f *hpccState) sameWay(hops []Hop) bool {
	if f.Known != int64(min(len(hops), hpccHops)) {
		return false
	}
	for i := range f.Known {
		if f.Hops[i].Port != hops[i].Port {
			return false
		}
	}
	return true
}

// record notes what hops tell.
func (f *hpccState) record(hops []Hop) {
	f.Known = int64(min(len(hops), hpccHops))
	for i := range f.Known {
		h := &hops[i]
		f.Hops[i] = hpccHop{Port: h.Port, At: h.At, Queue: h.Queue, Bytes: h.Bytes}
	}
}

// measure returns the use of the most used link since the last records, and the time since then
// (ps); 0 if there is none.
func (f *hpccState) measure(p *Path, hops []Hop) (use float64, interval int64) {
	window := float64(p.Rate) / 1e12 * float64(p.NetworkRTT)
	for i := range f.Known {
		h, was := &hops[i], &f.Hops[i]
		passed := h.At - was.At
		if passed <= 0 {
			continue // by a packet that another one has overtaken
		}
		rate := float64(h.Rate)
		sent := float64(h.Bytes-was.Bytes) / float64(passed) * 1e12
		queued := float64(min(h.Queue, was.Queue)) * float64(p.Rate) / rate / window
		if u := sent/rate + queued; u > use || interval == 0 {
			use, interval = u, passed
		}
	}
	return use, interval
}

// react sets the rate from the reference, and returns the stage that follows.
func (h *hpcc) react(f *hpccState, p *Path) (stage int64) {
	k := f.Use / h.eta
	rate, stage := f.Agreed, f.Stage+1
	if k >= 1 || f.Stage >= h.stages {
		rate, stage = f.Agreed/k, 0
	}
	rate += rateOr(h.ai, p, 1.0/2500)
	least := min(rateOr(h.min, p, 1.0/1000), float64(p.Rate))
	f.Rate = between(least, rate, float64(p.Rate))
	return stage
}
