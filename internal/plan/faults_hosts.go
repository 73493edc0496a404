package plan

import (
	"fmt"
	"slices"
	"strconv"

	"fabricast/experiment"
	"fabricast/internal/units"
	"fabricast/topology"
)

// addHost adds a host, or both directions of the link of a NIC. What reaches a host that is down is
// discarded there, so that it does not hold up other packets; only its sending ends.
func (o *Outage) addHost(g *topology.Graph, f *experiment.Fault, refuse refusal) error {
	field, text, count := "nic", f.NIC, len(g.NICPort)
	if f.Host != "" {
		field, text, count = "host", f.Host, g.Hosts
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n >= count {
		return refuse(field, text, fmt.Sprintf("a number from 0 to %d", count-1), "")
	}
	if field == "nic" {
		o.nics, o.ports = []int32{int32(n)}, []int32{g.NICPort[n]}
		return nil
	}
	o.host = int32(n)
	for i := range g.NICsPerHost {
		o.nics = append(o.nics, int32(n*g.NICsPerHost+i))
	}
	return nil
}

// addPlane adds all links of the switches of a plane of a network of nodes.
func (o *Outage) addPlane(t topology.Topology, text string, refuse refusal) error {
	nodes, ok := t.(*topology.Nodes)
	if !ok || nodes.Outer() == nil {
		return refuse("plane", text, "none: only topologies of kind nodes with an outer one have planes", "")
	}
	n, err := strconv.Atoi(text)
	if planes := nodes.Spec().Planes; err != nil || n < 0 || n >= planes {
		return refuse("plane", text, fmt.Sprintf("a number from 0 to %d", planes-1), "")
	}
	for inner := range nodes.Outer().Graph().Routers {
		o.addRouter(t.Graph(), nodes.Switch(n, inner))
	}
	slices.Sort(o.ports) // links within the plane were added from both ends
	o.ports = slices.Compact(o.ports)
	return nil
}

// Stops returns when the ranks of each host stop because it goes down (ps), math.MaxInt64 if it does
// not; nil if no host goes down.
func (p *Plan) Stops() (times []int64) {
	for i := range p.Outages {
		o := &p.Outages[i]
		if o.host < 0 {
			continue
		}
		if times == nil {
			times = slices.Repeat([]int64{int64(never)}, p.Topology.Graph().Hosts)
		}
		times[o.host] = min(times[o.host], int64(o.From))
	}
	return times
}

// HostsDown lists the hosts that go down, and when.
func (p *Plan) HostsDown() (list []string) {
	for i := range p.Outages {
		if o := &p.Outages[i]; o.host >= 0 {
			list = append(list, o.Name+" at "+o.From.String())
		}
	}
	return list
}

// refuseTraffic returns an error if a host goes down in an experiment with synthetic traffic, which
// measures all messages that it sends.
func refuseTraffic(e *experiment.Resolved, outages []Outage) error {
	traffic := e.HasTraffic() || slices.ContainsFunc(e.Jobs, func(j experiment.Job) bool { return j.HasTraffic() })
	for i := range outages {
		if o := &outages[i]; o.host >= 0 && traffic {
			return o.refuse(o.Name+" with synthetic traffic", "programs, whose ranks stop", "a nic or a link may be down")
		}
	}
	return nil
}

// checkRate returns an error if an outage leaves too little of a link of rate full.
func checkRate(e *experiment.Resolved, o *Outage, full units.Rate) error {
	if least := e.LeastRate(); o.Rate > 0 && reduced(full, o.Rate) < least {
		return o.refuse(
			fmt.Sprintf("%s at %s", o.Name, reduced(full, o.Rate)), "at least "+least.String(),
			"a packet of the largest size would take too long",
		)
	}
	return nil
}
