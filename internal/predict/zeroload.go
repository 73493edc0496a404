package predict

import (
	"math"
	"slices"

	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/internal/plan"
	"fabricast/internal/units"
	"fabricast/routing"
	"fabricast/topology"
	"fabricast/workload"
)

// ZeroLoad holds the latency of a message in an idle network, in closed form (docs/model.md). It is
// the time from the call of send to the return of a receive posted in advance, with the protocol
// that the experiment selects for the message's size. With put, it ends when the receiver's poll
// sees the data. For synthetic traffic it is the time from generation to delivery.
type ZeroLoad struct {
	Payload  units.Bytes `json:"payload_bytes"` // size of the message
	Packets  int64       `json:"packets"`
	Protocol string      `json:"protocol"` // ByEager or another of the constants below
	// pause of the NIC after each packet, in packet times
	Gap float64 `json:"gap_packets,omitempty"`
	// between the nearest hosts at different routers; 0 if all hosts are at one router
	Neighbour units.Time `json:"neighbour_ps,omitempty"`
	// mean over pairs of different hosts; 0 if there is only one host
	Mean units.Time `json:"mean_ps,omitempty"`
	// over the greatest distance; 0 if there is only one host
	Farthest units.Time `json:"farthest_ps,omitempty"`
	// the mean distance, in links between routers
	MeanLinks    float64 `json:"mean_links"`
	MostLinks    int     `json:"most_links"` // the greatest distance
	MeanIsSample bool    `json:"mean_is_sample"`
}

// Values of ZeroLoad.Protocol.
const (
	ByEager           = "eager"
	ByOneCopy         = "eager, one-copy"
	ByRendezvousWrite = "rendezvous, write"
	ByRendezvousRead  = "rendezvous, read"
	ByPut             = "put"
	BySynchronous     = "synchronous"
	ByTraffic         = "traffic"
)

// zeroLoad computes the latency of a message of the workload in an idle network. It uses the
// distances of hosts, or follows the routes of packets where routes may be longer than the distance
// or links differ.
func zeroLoad(p *plan.Plan) (ZeroLoad, error) { return zeroLoadOf(p, partsOf(p)) }

// zeroLoadOf computes the latency of a message with the given terms.
func zeroLoadOf(p *plan.Plan, parts zeroLoadParts) (ZeroLoad, error) {
	z := ZeroLoad{
		Payload:  parts.payload,
		Packets:  parts.packets,
		Protocol: parts.protocol,
		Gap:      float64(parts.gap) / fabric.GapUnit,
	}
	if _, minimal := p.Fabric.Routing.(*routing.DOR); !minimal || !alike(&p.Fabric) {
		err := z.follow(p.Fabric, &parts)
		return z, err
	}
	if p.Topology.Graph().Hosts < 2 {
		return z, nil
	}
	z.measure(p.Topology)
	// the class's own parameters: network.links may change those of all links alike
	link, host := p.Fabric.Links[topology.LinkRouter], p.Fabric.HostLinks()[0]
	over := func(links int) units.Time {
		w := passage{
			routers: 1 + links,
			cables:  2*host.Latency + units.Time(links)*link.Latency,
			slowest: min(parts.crossbar, host.Bandwidth, link.Bandwidth),
		}
		return parts.time(w, w)
	}
	ends := over(0)
	hop := over(1) - ends
	if z.MostLinks > 0 {
		z.Neighbour = ends + hop
	}
	z.Farthest = over(z.MostLinks)
	z.Mean = ends + units.Time(z.MeanLinks*float64(hop)+0.5)
	return z, nil
}

// leastLatency returns a lower bound (ps) of the latency of any message of the workload: that of an
// empty one over the smallest possible number of links. With fromRouterToRouter it passes a link
// between routers; otherwise it passes one router only. No run with such a message can be shorter.
func leastLatency(p *plan.Plan, fromRouterToRouter bool) units.Time {
	parts := partsOf(p)
	parts.payload, parts.packets, parts.gap, parts.controls = 0, 1, 0, 0
	zeroLoadProtocol(p.Experiment, &parts)
	least := passage{routers: 1, cables: 2 * leastHostCable(&p.Fabric), slowest: parts.rate}
	if fromRouterToRouter {
		least.routers, least.cables = 2, least.cables+leastCable(p)
	}
	return parts.time(least, passage{})
}

// leastCable returns the lowest latency (ps) of the links between routers.
func leastCable(p *plan.Plan) units.Time {
	least := units.Time(math.MaxInt64)
	for i := range p.Fabric.Graph.Ports {
		if port := &p.Fabric.Graph.Ports[i]; port.Peer != topology.Unconnected {
			least = min(least, p.Fabric.Links[port.Link].Latency)
		}
	}
	return least
}

// leastHostCable returns the lowest latency (ps) of the links of NICs.
func leastHostCable(spec *fabric.Spec) units.Time {
	least := units.Time(math.MaxInt64)
	for _, link := range spec.HostLinks() {
		least = min(least, link.Latency)
	}
	return least
}

// alike reports whether all links between routers have the same parameters, and all links of NICs
// have the same parameters.
func alike(spec *fabric.Spec) bool {
	hosts := spec.Graph.HostClasses()
	for i, link := range spec.Links {
		if !ofHosts(i, hosts) && link != spec.Links[topology.LinkRouter] {
			return false
		}
	}
	for _, class := range hosts {
		if spec.Links[class] != spec.Links[hosts[0]] {
			return false
		}
	}
	return true
}

// ofHosts reports whether a link class is one of NIC links rather than of links between routers.
// hosts lists the classes of NIC links.
func ofHosts(class int, hosts []uint16) bool {
	return class == int(topology.LinkHost) || slices.Contains(hosts, uint16(class))
}

// zeroLoadParts holds the terms from which the latency of a message is computed.
type zeroLoadParts struct {
	protocol string
	payload  units.Bytes
	packets  int64
	gap      int64      // thousandths of a packet time
	software units.Time // at both ends, copies included
	controls int        // control packets without payload exchanged before the data

	ends     units.Time // latency of the I/O buses at both ends
	router   units.Time // sum of all delays of a router
	transfer units.Rate // between memory and NIC
	crossbar units.Rate
	rate     units.Rate // bandwidth of the fastest host links or of crossbars, whichever is lower

	packet fabric.Packet
}

// passage sums up the routers and links of a route.
type passage struct {
	// number of routers
	routers int
	cables  units.Time // sum of the latencies of all links, including those of both NICs
	slowest units.Rate // lowest bandwidth of all links and crossbars
	// global port number of the slowest link between routers, and its bandwidth; 0 if the route
	// stays at one router
	narrowest int32
	narrow    units.Rate
}

// partsOf computes the terms for a message of the workload. If the closed form does not hold for
// messages of several packets, the message is cut down to one packet.
func partsOf(built *plan.Plan) zeroLoadParts {
	e := built.Experiment
	p := zeroLoadParts{
		ends: 2 * e.Node.IOBus.Latency, router: e.RouterDelay(),
		transfer: e.MemoryRate(), crossbar: built.Fabric.Router.Bandwidth, rate: built.EndRate(),
		packet: built.Fabric.Packet,
	}
	p.gap = max(built.Fabric.Gap, fabric.GapUnit*int64(e.Workload.Pacing.Fixed()))
	p.payload = units.Bytes(p.packet.Payload())
	if size := max(e.Workload.Size, e.Traffic.Size); (size > 0 || e.Workload.Empty) &&
		(size <= p.payload || streams(built, &p)) {
		p.payload = size
	}
	p.packets = p.packet.Count(int64(p.payload))
	zeroLoadProtocol(e, &p)
	return p
}

// zeroLoadProtocol sets the protocol for the message's size, and the terms that depend on it.
func zeroLoadProtocol(e *experiment.Resolved, p *zeroLoadParts) {
	p.software = 2 * e.Node.Overhead
	large := e.Node.Protocol.Rendezvous != "" && p.payload > e.Node.Protocol.Eager
	if p.payload > e.Node.Protocol.LeastSetup() && !e.HasTraffic() && e.Workload.By != workload.ByPut {
		p.software += e.Node.Protocol.Setup
	}
	switch {
	case e.HasTraffic():
		p.protocol, p.software = ByTraffic, 0
	case e.Workload.By == workload.ByPut:
		p.protocol = ByPut
	case large && e.Node.Protocol.Rendezvous == experiment.RendezvousRead:
		p.protocol, p.controls = ByRendezvousRead, 2
	case large:
		p.protocol, p.controls = ByRendezvousWrite, 2
	case e.Node.Copies == experiment.CopiesOne:
		p.protocol = ByOneCopy
		p.software += 2 * plan.TransferTime(p.payload, e.Node.Memory)
	default:
		p.protocol = ByEager
	}
}

// time returns the latency (ps) of the message over the route there. Control packets of the
// protocol return over the route back.
func (p *zeroLoadParts) time(there, back passage) units.Time {
	t := p.software + p.oneWay(there, int64(p.payload))
	if p.controls > 0 {
		t += p.oneWay(there, 0) + p.oneWay(back, 0)
	}
	return t
}

// oneWay returns the time (ps) that size bytes take from posting to delivery over a route. Each
// packet follows the previous one at the rate of the slowest stage.
func (p *zeroLoadParts) oneWay(w passage, size int64) units.Time {
	t := p.ends + units.Time(w.routers)*p.router + w.cables
	n := p.packet.Count(size)
	first := units.Bytes(min(size, p.packet.Payload()))
	last := units.Bytes(size) - units.Bytes(n-1)*first
	full, short := units.Bytes(p.packet.Wire(int64(first))), units.Bytes(p.packet.Wire(int64(last)))
	period := full + full*units.Bytes(p.gap)/fabric.GapUnit
	t += plan.TransferTime(first, p.transfer)
	behind := plan.TransferTime(units.Bytes(n-1)*period+short, w.slowest)
	behind += plan.TransferTime(last, p.transfer)
	if n > 1 { // the last packet may be so short that it waits for the transfer of the previous one
		behind = max(
			behind,
			plan.TransferTime(units.Bytes(n-2)*period+full, w.slowest)+plan.TransferTime(
				first+last, p.transfer,
			),
		)
	}
	return t + behind
}
