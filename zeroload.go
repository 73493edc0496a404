package fabricast

import (
	"math/bits"

	"fabricast/topology"
)

// ZeroLoad is what a message of one packet takes on an idle network, in closed
// form (docs/model.md), from the call of send to the return of receive.
type ZeroLoad struct {
	Payload      Bytes   `json:"payload_bytes"` // of the message
	Neighbour    Time    `json:"neighbour_ps"`  // over one link between routers
	Mean         Time    `json:"mean_ps"`       // over the mean distance of two hosts
	Farthest     Time    `json:"farthest_ps"`   // over the greatest distance
	MeanLinks    float64 `json:"mean_links"`    // the mean distance, in links between routers
	MostLinks    int     `json:"most_links"`    // the greatest distance
	MeanIsSample bool    `json:"mean_is_sample"`
}

// zeroLoad computes the closed form for a payload of at most one packet.
func (e *Experiment) zeroLoad(t topology.Topology, payload Bytes) ZeroLoad {
	z := ZeroLoad{Payload: payload}
	z.measure(t)
	ends, hop := e.zeroLoadParts(payload)
	z.Neighbour = ends + hop
	z.Farthest = ends + Time(z.MostLinks)*hop
	z.Mean = ends + Time(z.MeanLinks*float64(hop)+0.5)
	return z
}

// zeroLoadParts splits the latency into that between two hosts of one router
// and that of each further router.
func (e *Experiment) zeroLoadParts(payload Bytes) (ends, hop Time) {
	n, node := e.Network, e.Node
	r := n.Router
	router := r.Routing + r.VCAllocation + r.SwitchAllocation + r.SwitchTraversal + r.Latency
	wire := Bytes(e.fabricSpec(nil, nil).Packet.Wire(int64(payload)))
	// On its way a packet is stretched to the time it takes on the slowest stage.
	slowest := min(n.HostLink.Bandwidth, r.Bandwidth, n.Link.Bandwidth)
	if e.HasTraffic() { // from generation to delivery: no software has a part in it
		node.Overhead, node.Copies = 0, CopiesZero
	}
	ends = 2*node.Overhead + 2*transferTime(payload, node.DMA) + 2*n.HostLink.Latency + router + transferTime(wire, slowest)
	if node.Copies == CopiesOne {
		ends += 2 * transferTime(payload, node.Memory)
	}
	return ends, router + n.Link.Latency
}

// transferTime is how long n bytes take at a rate, rounded down to whole ps.
func transferTime(n Bytes, r Rate) Time {
	hi, lo := bits.Mul64(uint64(n), uint64(Second))
	ps, _ := bits.Div64(hi, lo, uint64(r))
	return Time(ps)
}

// distanceBudget bounds how many pairs of hosts are looked at for the mean distance.
const distanceBudget = 1 << 22

// measure finds the mean and the greatest distance of two different hosts,
// over all sources or as many, evenly spread, as the budget allows.
func (z *ZeroLoad) measure(t topology.Topology) {
	hosts := t.Graph().Hosts
	sources := min(hosts, max(1, distanceBudget/hosts))
	z.MeanIsSample = sources < hosts
	var sum, pairs int
	for i := range sources {
		src := i * hosts / sources
		for dst := range hosts {
			d := t.Distance(src, dst)
			sum += d
			z.MostLinks = max(z.MostLinks, d)
		}
		pairs += hosts - 1
	}
	z.MeanLinks = float64(sum) / float64(max(pairs, 1))
}
