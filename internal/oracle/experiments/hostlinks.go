package experiments

import (
	"math/rand/v2"

	"fabricast/fabric"
)

// HostLinks are links of hosts that differ from Experiment.HostLink.
type HostLinks struct {
	Links []fabric.Link
	Of    []int // by host: 1 + index in Links, or 0 for HostLink; hosts beyond the end have HostLink
}

// put gives the hosts of a specification their links.
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

// hostLinks gives some of the experiments hosts with links of their own. Its random numbers are
// separate, so the rest of the experiment does not depend on it. Half of these links differ in latency
// alone, because the engine has a faster path for networks of one rate.
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
	least := pick(d, 0, 0, 1) // 1: no host has HostLink
	for range e.Hosts() {
		h.Of = append(h.Of, d.between(least, len(h.Links)))
	}
	e.HostLinks = h
}
