package experiments

import (
	"math/rand/v2"

	"fabricast/fabric"
)

// HostLinks contains the links of hosts that differ from Experiment.HostLink.
type HostLinks struct {
	Links []fabric.Link
	Of    []int // by host: 1 plus the index in Links, or 0 for HostLink, which also applies to hosts beyond the end
}

// put sets the links of hosts in a specification.
func (h *HostLinks) put(spec *fabric.Spec) {
	if h == nil {
		return
	}
	first := len(spec.Links) - 1
	spec.Links = append(spec.Links, h.Links...)
	for host := range min(len(h.Of), spec.Graph.Hosts) {
		if of := h.Of[host]; of > 0 {
			spec.Graph.ReclassHost(host, func(uint16) uint16 { return uint16(first + of) })
		}
	}
}

// hostLinks gives some hosts of some experiments links of their own. Its random numbers are
// separate, so that the rest of the experiment does not depend on it. Half of these links differ in
// latency only, because the engine has a faster path for networks with one rate.
func hostLinks(e *Experiment, seed uint64) {
	d := drawer{Rand: rand.New(rand.NewPCG(seed, 0x686f737473))}
	if !d.chance(30) {
		return
	}
	h := &HostLinks{}
	latencies := d.chance(50)
	for range d.between(1, 3) {
		link := fabric.Link{Bandwidth: e.HostLink.Bandwidth, Latency: pick(d, e.HostLink.Latency, d.delay())}
		if !latencies {
			link.Bandwidth = pick(d, e.Link.Bandwidth, e.Router.Bandwidth, d.rate())
		}
		h.Links = append(h.Links, link)
	}
	least := pick(d, 0, 0, 1) // with 1, no host has HostLink
	for range e.Hosts() {
		h.Of = append(h.Of, d.between(least, len(h.Links)))
	}
	e.HostLinks = h
}
