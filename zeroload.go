package fabricast

import (
	"fabricast/fabric"
	"fabricast/routing"
	"fabricast/topology"
	"fabricast/workload"
)

// ZeroLoad is what a message takes on an idle network, by the protocol that the experiment chooses for it, in closed
// form (docs/model.md), from the call of send to the return of a receive that has been posted before. By put the
// receive is a poll. Of traffic it is from generation to delivery.
type ZeroLoad struct {
	Payload      Bytes   `json:"payload_bytes"` // of the message
	Packets      int64   `json:"packets"`
	Protocol     string  `json:"protocol"`               // one of the words below
	Gap          uint32  `json:"gap_packets,omitempty"`  // for how many packet times the NIC pauses after each packet
	Neighbour    Time    `json:"neighbour_ps,omitempty"` // between the nearest hosts at different routers; 0 if all are at one
	Mean         Time    `json:"mean_ps,omitempty"`      // over the mean distance of two hosts; 0 if there are not two
	Farthest     Time    `json:"farthest_ps,omitempty"`  // over the greatest distance; 0 if there are not two hosts
	MeanLinks    float64 `json:"mean_links"`             // the mean distance, in links between routers
	MostLinks    int     `json:"most_links"`             // the greatest distance
	MeanIsSample bool    `json:"mean_is_sample"`
}

// Words of ZeroLoad.Protocol.
const (
	ByEager           = "eager"
	ByOneCopy         = "eager, one-copy"
	ByRendezvousWrite = "rendezvous, write"
	ByRendezvousRead  = "rendezvous, read"
	ByPut             = "put"
	ByTraffic         = "traffic"
)

// zeroLoad computes the closed form for a message of the workload. Where
// routes may be longer than the distance, or links differ, it follows the routes
// that packets take in an idle network.
func (e *Experiment) zeroLoad(p *plan) (ZeroLoad, error) {
	parts := e.zeroLoadParts(p)
	z := ZeroLoad{Payload: parts.payload, Packets: parts.packets, Protocol: parts.protocol, Gap: uint32(parts.gap)}
	if _, minimal := p.fabric.Routing.(*routing.DOR); !minimal || !alike(p.fabric.Links) {
		err := z.follow(p.fabric, &parts)
		return z, err
	}
	if p.topology.Graph().Hosts < 2 {
		return z, nil
	}
	z.measure(p.topology)
	link := e.Network.Link
	over := func(links int) Time {
		w := passage{routers: 1 + links, cables: Time(links) * link.Latency, slowest: min(parts.rate, link.Bandwidth)}
		return parts.time(w, w)
	}
	ends := over(0)
	hop := over(1) - ends
	if z.MostLinks > 0 {
		z.Neighbour = ends + hop
	}
	z.Farthest = over(z.MostLinks)
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
	protocol string
	payload  Bytes
	packets  int64
	gap      int64
	software Time // at both ends, copies included
	controls int  // packets without payload that go to and fro before the data

	ends     Time // on the host links and I/O buses, of each message
	router   Time // all delays of a router
	transfer Rate // between memory and NIC
	host     Rate // of host links
	rate     Rate // of host links or crossbars, the lower one

	packet fabric.Packet
}

// passage is what a message meets on its way through routers.
type passage struct {
	routers int
	cables  Time // latency of the links between them
	slowest Rate // the lowest of links, host links and crossbars
}

// zeroLoadParts takes a message of the workload: whole if a closed form holds for all of its packets, else as much of it as fits one packet.
func (e *Experiment) zeroLoadParts(plan *plan) zeroLoadParts {
	n, r := e.Network, e.Network.Router
	p := zeroLoadParts{
		ends:     2*e.Node.IOBus.Latency + 2*n.HostLink.Latency,
		router:   r.Routing + r.VCAllocation + r.SwitchAllocation + r.SwitchTraversal + r.Latency,
		transfer: e.Node.DMA, host: n.HostLink.Bandwidth, rate: min(n.HostLink.Bandwidth, r.Bandwidth),
		packet: plan.fabric.Packet,
	}
	if bus := e.Node.IOBus; bus.Bandwidth > 0 {
		p.transfer = min(p.transfer, bus.Bandwidth)
	}
	p.gap = int64(e.Workload.Pacing.fixed())
	p.payload = Bytes(p.packet.Payload())
	if size := max(e.Workload.Size, e.Traffic.Size); size > 0 && (size <= p.payload || e.streams(plan, &p)) {
		p.payload = size
	}
	p.packets = p.packet.Count(int64(p.payload))
	e.zeroLoadProtocol(&p)
	return p
}

// zeroLoadProtocol says how a message of its size travels.
func (e *Experiment) zeroLoadProtocol(p *zeroLoadParts) {
	p.software = 2 * e.Node.Overhead
	large := e.Node.Protocol.Rendezvous != "" && p.payload > e.Node.Protocol.Eager
	switch {
	case e.HasTraffic():
		p.protocol, p.software = ByTraffic, 0
	case e.Workload.By == workload.ByPut:
		p.protocol = ByPut
	case large && e.Node.Protocol.Rendezvous == RendezvousRead:
		p.protocol, p.controls = ByRendezvousRead, 2
	case large:
		p.protocol, p.controls = ByRendezvousWrite, 2
	case e.Node.Copies == CopiesOne:
		p.protocol = ByOneCopy
		p.software += 2 * transferTime(p.payload, e.Node.Memory)
	default:
		p.protocol = ByEager
	}
}

// time is the latency of the message over a way, if what is sent back goes over another.
func (p *zeroLoadParts) time(there, back passage) Time {
	t := p.software + p.oneWay(there, int64(p.payload))
	if p.controls > 0 {
		t += p.oneWay(there, 0) + p.oneWay(back, 0)
	}
	return t
}

// oneWay is the time of so many bytes from Post to delivery. On its way a packet is stretched to the time it
// takes on the slowest stage, and several follow one another there.
func (p *zeroLoadParts) oneWay(w passage, size int64) Time {
	t := p.ends + Time(w.routers)*p.router + w.cables
	n := p.packet.Count(size)
	first := Bytes(min(size, p.packet.Payload()))
	last := Bytes(size) - Bytes(n-1)*first
	full, short := Bytes(p.packet.Wire(int64(first))), Bytes(p.packet.Wire(int64(last)))
	period := Bytes(1+p.gap) * full
	t += transferTime(first, p.transfer)
	behind := transferTime(Bytes(n-1)*period+short, w.slowest) + transferTime(last, p.transfer)
	if n > 1 { // the last one may be so short that it waits for the move of the one before it
		behind = max(behind, transferTime(Bytes(n-2)*period+full, w.slowest)+transferTime(first+last, p.transfer))
	}
	return t + behind
}
