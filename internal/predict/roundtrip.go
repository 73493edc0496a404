package predict

import (
	"fmt"

	"fabricast/internal/humanize"
	"fabricast/internal/plan"
	"fabricast/internal/units"
	"fabricast/routing"
	"fabricast/topology"
)

// fits reports whether a message of the workload fits in the buffer of one virtual channel.
func fits(p *plan.Plan) bool {
	e, packet := p.Experiment, &p.Fabric.Packet
	if e.HasTraffic() || e.Workload.Size == 0 && !e.Workload.Empty {
		return false
	}
	packets := packet.Count(int64(e.Workload.Size))
	return packets*packet.Wire(packet.Payload()) <= int64(p.Fabric.Router.Buffer)
}

// flowNote returns a warning if a single flow cannot use the full bandwidth of a link: its packets
// stay in one virtual channel, whose buffer is smaller than the credit round trip ("Buffers and
// throughput" in docs/model.md). It returns "" if the buffer is large enough, if a message of the
// workload fits in it, or if using other channels would not help.
func flowNote(p *plan.Plan) string {
	e := p.Experiment
	r := p.Fabric.Router
	if p.Fabric.Routing == nil || plan.PerPacket(p.Fabric.Routing) || r.VCs < 2 || r.OutputBuffer > 0 {
		return ""
	}
	parts := partsOf(p)
	if fits(p) {
		return ""
	}
	payload := min(int64(parts.payload), p.Fabric.Packet.Payload())
	wire := units.Bytes(p.Fabric.Packet.Wire(payload))
	worst, trip, class := 1.0, units.Bytes(0), ""
	hosts := p.Fabric.Graph.HostClasses()
	for i, name := range p.Classes {
		if ofHosts(i, hosts) || !uses(p, uint16(i)) {
			continue
		}
		rate := min(p.Fabric.Links[i].Bandwidth, parts.rate)
		time := p.CreditRoundTrip(uint16(i), wire, rate)
		sent := r.Buffer / wire * wire // bytes of whole packets in each round trip
		bytes := carried(rate, time)
		if share := float64(sent) / float64(bytes); share < worst {
			worst, trip, class = share, bytes, name
		}
	}
	if worst > 0.99 {
		return ""
	}
	remedy := "larger buffers"
	if k := routing.KindOf(e.Network.Routing); k != nil && k.Takes("choice") {
		remedy += ", or choice: packet or queue,"
	}
	return fmt.Sprintf(
		"a flow keeps to one VC, whose buffer of %s is less than the credit round trip of %s on "+
			"links of %s: it gets at most %s of what its links could carry; %s avoid that",
		r.Buffer, trip, class, humanize.Percent(worst), remedy,
	)
}

// uses reports whether any port of the network has a link of the given class.
func uses(p *plan.Plan, class uint16) bool {
	for i := range p.Fabric.Graph.Ports {
		port := &p.Fabric.Graph.Ports[i]
		if port.Link == class && (port.Peer != topology.Unconnected || port.NIC != topology.Unconnected) {
			return true
		}
	}
	return false
}

// RoundTrip is the credit round trip of a link: its time, and the bytes that the link carries in
// it. A virtual channel with a buffer of that size can keep the link busy.
type RoundTrip struct {
	Class string      `json:"class"` // link class
	Time  units.Time  `json:"time_ps"`
	Bytes units.Bytes `json:"bytes"`
}

// longestRoundTrip returns the longest credit round trip of all link classes, with packets of the
// largest size.
func longestRoundTrip(p *plan.Plan) (longest RoundTrip) {
	wire := units.Bytes(p.Fabric.Packet.Wire(p.Fabric.Packet.Payload()))
	for i, name := range p.Classes {
		class := uint16(i)
		if !uses(p, class) {
			continue
		}
		rate := p.PortRate(class)
		time := p.CreditRoundTrip(class, wire, rate)
		if bytes := carried(rate, time); bytes > longest.Bytes {
			longest = RoundTrip{Class: name, Time: time, Bytes: bytes}
		}
	}
	return longest
}

// carried returns the number of bytes that a link carries in the given time, rounded for display.
func carried(rate units.Rate, time units.Time) units.Bytes {
	return units.Bytes(float64(time) * float64(rate) / float64(units.Second))
}

// Notes returns warnings, before a run, about settings that may distort its result.
func Notes(p *plan.Plan) []string {
	list := fileNotes(p)
	if p.Experiment.Network.Abstract() {
		return append(list, abstractNotes(p)...)
	}
	if p.Experiment.Network.Ethernet() {
		return append(list, ethernetNotes(p)...)
	}
	if !p.Deadlock.Whole() {
		list = append(list, p.RoutingName()+": "+p.Deadlock.String())
	}
	if flow := flowNote(p); flow != "" {
		list = append(list, flow)
	}
	return append(list, p.Forest.Notes()...)
}
