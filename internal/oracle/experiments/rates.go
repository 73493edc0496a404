package experiments

import (
	"math/rand/v2"
	"strings"

	"fabricast/internal/units"

	"fabricast/fabric"
)

// DrawRates is like DrawStreams, with links, crossbars and memory of a few rates, also in topologies of
// package topology with several classes of links. Many rates differ by little or take fractions of a ps.
func DrawRates(seed uint64) *Experiment {
	d := drawer{rand.New(rand.NewPCG(seed, 0x7261746573)), long}
	e := &Experiment{}
	if d.chance(30) {
		d.shapedStreams(e)
	} else {
		e = DrawStreams(seed)
	}
	rates := make([]units.Rate, d.between(1, 3))
	for i := range rates {
		rates[i] = pick(d, d.wholeRate(), d.fractionRate(), d.rate())
	}
	rate := func() units.Rate { return pick(d, rates...) }
	e.Link.Bandwidth, e.HostLink.Bandwidth = rate(), rate()
	e.Router.Bandwidth = pick(d, 100_000_000_000, rate())
	e.DMA = int64(pick(d, 100_000_000_000, rate(), d.wholeRate()))
	if e.Tree != nil {
		e.Tree.Trunk.Bandwidth = rate()
	}
	if e.Shape != nil {
		for i := range e.Shape.Links {
			e.Shape.Links[i].Bandwidth = rate()
		}
	}
	if d.chance(50) {
		d.linksOfHosts(e, rate)
	}
	return e
}

// fractionRate returns a rate at which a byte takes a fraction of a ps with a small denominator, or with a very
// large one.
func (d drawer) fractionRate() units.Rate {
	return units.Rate(pick(d, 450_000_000_000, 450_000_000_000, 3_000_000_000, 7_000_000_000, 9_000_000_000, 428_571_428_571))
}

// shapedStreams is like DrawStreams with a topology of package topology, and mostly one route for each pair of NICs.
func (d drawer) shapedStreams(e *Experiment) {
	e.NICs, e.Seed = pick(d, 1, 1, 2), d.Uint64()
	for d.shape(e); strings.Contains(e.Shape.Algorithm, " "); d.shape(e) {
	}
	d.smallPackets(e)
	d.equalRates(e)
	d.tinyDelays(e)
	d.classes(e)
	d.longTraffic(e)
}

// linksOfHosts gives some hosts links of their own.
func (d drawer) linksOfHosts(e *Experiment, rate func() units.Rate) {
	h := &HostLinks{}
	for range d.between(1, 3) {
		link := fabric.Link{Bandwidth: rate(), Latency: pick(d, e.HostLink.Latency, units.Time(d.between(0, 50)))}
		h.Links = append(h.Links, link)
	}
	for range e.Hosts() {
		h.Of = append(h.Of, d.between(0, len(h.Links)))
	}
	e.HostLinks = h
}
