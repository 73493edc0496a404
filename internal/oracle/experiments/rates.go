package experiments

import (
	"math/rand/v2"

	"fabricast/fabric"
	"fabricast/internal/units"
)

// DrawRates is like DrawStreams, with links, crossbars and memory of different rates. In many experiments
// a few rates are so tiny or so alike that packets wait for their tails, or that a full packet takes a
// fraction of a ps.
func DrawRates(seed uint64) *Experiment {
	e := DrawStreams(seed)
	d := drawer{rand.New(rand.NewPCG(seed, 0x7261746573)), long}
	rates := make([]units.Rate, d.between(2, 3))
	for i := range rates {
		rates[i] = pick(d, d.wholeRate(), d.wholeRate(), d.rate())
	}
	rate := func() units.Rate { return pick(d, rates...) }
	e.Link.Bandwidth, e.HostLink.Bandwidth = rate(), rate()
	e.Router.Bandwidth = pick(d, 100_000_000_000, rate())
	e.DMA = int64(pick(d, 100_000_000_000, rate(), d.wholeRate()))
	if e.Tree != nil {
		e.Tree.Trunk.Bandwidth = rate()
	}
	if d.chance(50) {
		d.slowHosts(e, rate)
	}
	return e
}

// slowHosts gives hosts links of a few rates.
func (d drawer) slowHosts(e *Experiment, rate func() units.Rate) {
	h := &HostLinks{}
	for range d.between(1, 3) {
		h.Links = append(h.Links, fabric.Link{
			Bandwidth: rate(), Latency: pick(d, e.HostLink.Latency, units.Time(d.between(0, 50))),
		})
	}
	for range e.Hosts() {
		h.Of = append(h.Of, d.between(0, len(h.Links)))
	}
	e.HostLinks = h
}
