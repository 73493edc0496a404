package fabricast

import (
	"math/bits"

	"fabricast/fabric"
	"fabricast/routing"
	"fabricast/topology"
)

// ZeroLoad is what an eager message of one packet takes on an idle network, in closed
// form (docs/model.md), from the call of send to the return of receive.
type ZeroLoad struct {
	Payload      Bytes   `json:"payload_bytes"` // of the message
	Neighbour    Time    `json:"neighbour_ps"`  // between the nearest hosts at different routers
	Mean         Time    `json:"mean_ps"`       // over the mean distance of two hosts
	Farthest     Time    `json:"farthest_ps"`   // over the greatest distance
	MeanLinks    float64 `json:"mean_links"`    // the mean distance, in links between routers
	MostLinks    int     `json:"most_links"`    // the greatest distance
	MeanIsSample bool    `json:"mean_is_sample"`
}

// zeroLoad computes the closed form for a payload of at most one packet. Where
// routes may be longer than the distance, or links differ, it follows the routes
// that packets take in an idle network.
func (e *Experiment) zeroLoad(p *plan, payload Bytes) (ZeroLoad, error) {
	z := ZeroLoad{Payload: payload}
	parts := e.zeroLoadParts(payload)
	if _, minimal := p.fabric.Routing.(*routing.DOR); !minimal || !alike(p.fabric.Links) {
		err := z.follow(p.fabric, &parts)
		return z, err
	}
	z.measure(p.topology)
	link := e.Network.Link
	ends, hop := parts.time(1, 0, link.Bandwidth), parts.router+link.Latency
	z.Neighbour = ends + hop
	z.Farthest = ends + Time(z.MostLinks)*hop
	z.Mean = ends + Time(z.MeanLinks*float64(hop)+0.5)
	return z, nil
}

// alike tells whether all links between routers are.
func alike(links []fabric.Link) bool {
	for i := range links {
		if i != int(topology.LinkHost) && links[i] != links[topology.LinkRouter] {
			return false
		}
	}
	return true
}

// zeroLoadParts are what the latency is made of.
type zeroLoadParts struct {
	ends   Time  // at the hosts, and on their links
	router Time  // all delays of a router
	wire   Bytes // of the packet
	rate   Rate  // of host links or crossbars, the lower one
}

func (e *Experiment) zeroLoadParts(payload Bytes) zeroLoadParts {
	n, node := e.Network, e.Node
	r := n.Router
	if e.HasTraffic() { // from generation to delivery: no software has a part in it
		node.Overhead, node.Copies = 0, CopiesZero
	}
	transfer := node.DMA
	if bus := node.IOBus; bus.Bandwidth > 0 {
		transfer = min(transfer, bus.Bandwidth)
	}
	p := zeroLoadParts{
		ends:   2*node.Overhead + 2*transferTime(payload, transfer) + 2*node.IOBus.Latency + 2*n.HostLink.Latency,
		router: r.Routing + r.VCAllocation + r.SwitchAllocation + r.SwitchTraversal + r.Latency,
		wire:   Bytes(e.fabricSpec(nil, nil).Packet.Wire(int64(payload))),
		rate:   min(n.HostLink.Bandwidth, r.Bandwidth),
	}
	if node.Copies == CopiesOne {
		p.ends += 2 * transferTime(payload, node.Memory)
	}
	return p
}

// time is the latency through so many routers, over cables of so much latency in
// all. On its way a packet is stretched to the time it takes on the slowest stage.
func (p *zeroLoadParts) time(routers int, cables Time, slowest Rate) Time {
	return p.ends + Time(routers)*p.router + cables + transferTime(p.wire, min(slowest, p.rate))
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
