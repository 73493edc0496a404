package control

import (
	"fabricast/internal/units"
	"fabricast/topology"
)

var _ = Register(80, Description[TimelyOptions]{
	Summary: "rate, by the gradient of round trips",
	Limits:  "rate", Signals: "round trips",
	Source: "Mittal et al., SIGCOMM 2015",
	Make:   makeTimely,
	Examples: []string{
		"", "low: 10us, high: 50us, min_rtt: 5us", "ai: 20MB/s, hai: 200MB/s, beta: 0.5, alpha: 0.5",
	},
})

// TimelyOptions are the options of the algorithm "timely" in experiments.
type TimelyOptions struct {
	Alpha  units.Fraction `yaml:"alpha" help:"weight of a new difference of round trips" default:"0.875"`
	Beta   units.Fraction `yaml:"beta" help:"factor of decreases" default:"0.8"`
	Low    units.Time     `yaml:"low" help:"below it the rate rises" default:"50us"`
	High   units.Time     `yaml:"high" help:"above it the rate falls" default:"500us"`
	MinRTT units.Time     `yaml:"min_rtt" help:"round trip to which differences are compared" default:"20us"`
	AI     units.Rate     `yaml:"ai" help:"additive increase" default:"a 1,000th of the rate of the link"`
	HAI    units.Rate     `yaml:"hai" help:"increase after five of these" default:"5 times 'ai'"`
	Min    units.Rate     `yaml:"min" help:"least rate" default:"a 1,000th of the rate of the link"`
}

// Name implements Spec.
func (TimelyOptions) Name() string { return "timely" }

// Check returns what is wrong with the options.
func (o *TimelyOptions) Check() []topology.Mistake {
	var c checker
	c.share("alpha", o.Alpha)
	c.share("beta", o.Beta)
	c.time("low", o.Low)
	c.time("high", o.High)
	c.time("min_rtt", o.MinRTT)
	c.rate("ai", o.AI)
	c.rate("hai", o.HAI)
	c.rate("min", o.Min)
	return c
}

// timely changes the rate once a round trip by how the round trips change (Mittal et al.: TIMELY:
// RTT-based congestion control for the datacenter, SIGCOMM 2015), with the constants and details
// of the simulator of HPCC's authors (rdma-hw.cc).
type timely struct {
	flow[timelyState]
	alpha, beta       float64
	low, high, minRTT int64 // ps
	ai, hai, min      units.Rate
}

// timelyStages is the number of additive increases before larger ones.
const timelyStages = 5

type timelyState struct {
	Rate       float64 // bytes/s
	Difference float64 // of round trips, averaged (ps)
	RTT        int64   // the last (ps)
	Stage      int64   // increases in a row
	Update     int64   // the next update comes when so many payload bytes have arrived; 0 at the begin
}

func makeTimely(o *TimelyOptions) Algorithm {
	return timely{
		alpha: or(o.Alpha, 87*units.Percent+units.Percent/2).Float(),
		beta:  or(o.Beta, 80*units.Percent).Float(),
		low:   int64(or(o.Low, 50*units.Microsecond)), high: int64(or(o.High, 500*units.Microsecond)),
		minRTT: int64(or(o.MinRTT, 20*units.Microsecond)), ai: o.AI, hai: o.HAI, min: o.Min,
	}
}

// Start implements Algorithm.
func (t timely) Start(s []uint64, p *Path) { t.of(s).Rate = float64(p.Rate) }

// Limits implements Algorithm.
func (t timely) Limits(s []uint64, p *Path) Limits { return paced(t.of(s).Rate, p, Unlimited) }

// Ack implements Algorithm.
func (t timely) Ack(s []uint64, p *Path, a *Ack) {
	f := t.of(s)
	if a.Upto <= f.Update || unknown(a.Sent) {
		return
	}
	rtt := a.At - a.Sent
	if f.Update != 0 {
		f.Difference = blend(t.alpha, float64(rtt-f.RTT), f.Difference)
		t.react(f, p, rtt)
	}
	f.Update, f.RTT = max(f.Update, a.Next), rtt
}

// react changes the rate after a round trip (ps).
func (t *timely) react(f *timelyState, p *Path, rtt int64) {
	least := min(rateOr(t.min, p, 1.0/1000), float64(p.Rate))
	lower := func(excess float64) {
		f.Rate, f.Stage = max(least, f.Rate*(1-float64(t.beta*excess))), 0
	}
	switch gradient := f.Difference / float64(t.minRTT); {
	case rtt > t.high:
		lower(1 - float64(t.high)/float64(rtt))
	case rtt >= t.low && gradient > 0:
		lower(gradient)
	default:
		step := rateOr(t.ai, p, 1.0/1000)
		if f.Stage >= timelyStages {
			step = or(float64(t.hai), float64(5*step))
		}
		f.Rate = between(least, f.Rate+step, float64(p.Rate))
		f.Stage++
	}
}
