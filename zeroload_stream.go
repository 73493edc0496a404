package fabricast

import (
	"math/bits"
	"strconv"

	"fabricast/routing"
	"fabricast/topology"
)

// streams tells whether the packets of a message follow one another without a gap at the slowest place on an idle
// network, wherever it goes, so that the closed form for several packets holds (docs/model.md): memory is faster than the
// links, no buffer ever holds anything up, packets go one way, and there is no place that is slowest but for the rounding.
func (e *Experiment) streams(plan *plan, p *zeroLoadParts) bool {
	spec := plan.fabric
	_, random := spec.Routing.(routing.Randomized)
	if random || spec.Adaptive != nil || e.Network.Router.OutputBuffer > 0 {
		return false
	}
	full := Bytes(p.packet.Wire(p.packet.Payload()))
	if transferTime(Bytes(p.packet.Payload()), p.transfer)+2 > transferTime(full, p.host) {
		return false
	}
	rates := []Rate{p.host, e.Network.Router.Bandwidth}
	farthest := 2 * e.Network.HostLink.Latency
	for class, link := range spec.Links {
		if class != int(topology.LinkHost) {
			rates = append(rates, Rate(link.Bandwidth))
			farthest = max(farthest, 2*Time(link.Latency))
		}
	}
	return apart(rates, full) && (p.gap == 0 || p.host <= least(rates)) &&
		e.refills(full, least([]Rate{p.host, e.Network.Router.Bandwidth}), farthest+p.router+transferTime(Bytes(p.packet.Payload()), p.transfer))
}

// refills tells whether credits come back before a stage that sends at most at a rate runs out of them, if they are under way
// for so long beside the packet itself.
func (e *Experiment) refills(full Bytes, fastest Rate, trip Time) bool {
	packets := e.Network.Router.Buffer / full
	return packets > 1 && Time(packets-1)*transferTime(full, fastest) > trip
}

func least(rates []Rate) Rate {
	least := rates[0]
	for _, r := range rates {
		least = min(least, r)
	}
	return least
}

// apart tells whether any two rates that are not the same differ by more than rounding can hide.
func apart(rates []Rate, packet Bytes) bool {
	for _, a := range rates {
		for _, b := range rates {
			if a < b && transferTime(packet, a)-transferTime(packet, b) < 2 {
				return false
			}
		}
	}
	return true
}

// fixed is the gap that all messages have; 0 if it is MOD's.
func (p *Pacing) fixed() uint32 {
	gap, err := strconv.ParseUint(p.Gap, 10, 32)
	if err != nil {
		return 0
	}
	return uint32(gap)
}

// transferTime is how long n bytes take at a rate, rounded down to whole ps.
func transferTime(n Bytes, r Rate) Time {
	hi, lo := bits.Mul64(uint64(n), uint64(Second))
	ps, _ := bits.Div64(hi, lo, uint64(r))
	return Time(ps)
}
