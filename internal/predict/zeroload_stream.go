package predict

import (
	"fabricast/experiment"
	"fabricast/internal/plan"
	"fabricast/internal/units"
	"fabricast/routing"
)

// streams reports whether the closed form for messages of several packets holds (docs/model.md). It
// requires that the packets of a message are consecutive, without gaps, at the slowest stage of
// every route in an idle network: memory is faster than the links, no full buffer stops a packet,
// all packets take the same route, and no two stages are so nearly equal that rounding decides
// which is slower.
func streams(built *plan.Plan, p *zeroLoadParts) bool {
	e := built.Experiment
	spec, r := built.Fabric, &e.Network.Router
	_, random := spec.Routing.(routing.Randomized)
	if random || spec.Adaptive != nil || e.Network.Router.OutputBuffer > 0 ||
		r.Allocation != experiment.AllocationCombined ||
		r.Turnaround > 0 ||
		e.Node.Injection != experiment.InjectionRouted {
		return false
	}
	full := units.Bytes(p.packet.Wire(p.packet.Payload()))
	hosts := spec.Graph.HostClasses()
	host, farthest := units.Rate(0), units.Time(0) // those of the fastest host link
	var rates []units.Rate
	for _, class := range hosts {
		link := spec.Links[class]
		host, farthest = max(host, link.Bandwidth), max(farthest, 2*link.Latency)
		rates = append(rates, link.Bandwidth)
	}
	if plan.TransferTime(units.Bytes(p.packet.Payload()), p.transfer)+2 > plan.TransferTime(full, host) {
		return false
	}
	rates = append(rates, e.Network.Router.Bandwidth)
	for class, link := range spec.Links {
		if !ofHosts(class, hosts) {
			rates = append(rates, link.Bandwidth)
			farthest = max(farthest, 2*link.Latency)
		}
	}
	return apart(rates, full) && (p.gap == 0 || host <= least(rates)) &&
		refills(
			e,
			full,
			p.rate,
			farthest+p.router+plan.TransferTime(units.Bytes(p.packet.Payload()), p.transfer),
		)
}

// refills reports whether credits return in time, so that a stage that sends at up to fastest
// bytes/s is never blocked. trip is the time (ps) that a credit takes to return, without the
// transfer time of the packet.
func refills(e *experiment.Resolved, full units.Bytes, fastest units.Rate, trip units.Time) bool {
	packets := e.Network.Router.Buffer / full
	return packets > 1 && units.Time(packets-1)*plan.TransferTime(full, fastest) > trip
}

func least(rates []units.Rate) units.Rate {
	least := rates[0]
	for _, r := range rates {
		least = min(least, r)
	}
	return least
}

// apart reports whether all different rates differ by more than the rounding of a packet's transfer
// time.
func apart(rates []units.Rate, packet units.Bytes) bool {
	for _, a := range rates {
		for _, b := range rates {
			if a < b && plan.TransferTime(packet, a)-plan.TransferTime(packet, b) < 2 {
				return false
			}
		}
	}
	return true
}
