package predict

import (
	"context"

	"fabricast/internal/plan"
	"fabricast/record"
	"fabricast/routing"
	"fabricast/topology"
	"fabricast/traffic"
)

// Capacity holds the load at which the busiest link between routers would be saturated. It assumes
// that all hosts send at the same share of their links (in a closed loop, at the same rate) and
// that routes do not change with the load. This is the ideal throughput of Dally and Towles
// (Principles and Practices of Interconnection Networks, 2004, section 3.3). Loads are shares of
// the bandwidth at which a host can inject, and may exceed 1.
type Capacity struct {
	Load float64 `json:"load"`
	// Low and High are a 95 % confidence interval of Load if it is not exact.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// true if computed from routes and traffic pattern, false if estimated from the measured
	// traffic of links
	Exact bool `json:"exact"`
	// Link names the router and port at the start of the busiest link, or of the first of several
	// equal ones. Hosts is the load at which the busiest link from a router to a NIC would be
	// saturated. Both are known only if the capacity is exact.
	Link  string  `json:"link,omitempty"`
	Hosts float64 `json:"hosts,omitempty"`
}

// Limits on the work to compute a capacity, so that it takes a few seconds at most: capacityPairs
// on pairs of hosts, capacitySteps on steps of the computation.
const (
	capacityPairs = 1 << 24
	capacitySteps = 1 << 28
)

// CapacityOf computes the capacity for a load from the expected load of every link. known is false
// if the result would be unreliable or too expensive, for example if routes depend on queues. c is
// nil if the capacity is unknown, or if no packet passes between routers.
func CapacityOf(ctx context.Context, p *plan.Plan, load *traffic.Load) (c *Capacity, known bool) {
	if p.Experiment.Network.Ethernet() { // the hash by which routers choose is known to the run alone
		return nil, false
	}
	loads, ok := meanLoads(p, load, routing.Effort{
		Steps: capacitySteps, Stop: func() bool { return ctx.Err() != nil },
	})
	if !ok {
		return nil, false
	}
	return fullAt(p, loads), true
}

// fullAt returns the load at which the first link is saturated. loads holds the expected load of
// each port. It returns nil if no link between routers carries traffic.
func fullAt(p *plan.Plan, loads []float64) *Capacity {
	g, hosts := p.Fabric.Graph, p.Fabric.MeanHostBandwidth()
	busiest, most, exit := -1, 0.0, 0.0
	for port, load := range loads {
		use := load * hosts / float64(p.Fabric.Links[g.Ports[port].Link].Bandwidth)
		switch {
		case g.Ports[port].NIC != topology.Unconnected:
			exit = max(exit, use)
		case use > most*(1+1e-9): // take the first of links that are equal up to rounding
			busiest, most = port, use
		}
	}
	if busiest < 0 {
		return nil
	}
	c := &Capacity{Load: 1 / most, Low: 1 / most, High: 1 / most, Exact: true, Link: linkName(p, busiest)}
	if exit > 0 {
		c.Hosts = 1 / exit
	}
	return c
}

// linkName returns the name of the router and port at the start of a link. port is a global port
// number.
func linkName(p *plan.Plan, port int) string {
	router, local := p.Fabric.Graph.Local(port)
	l := record.Link{
		Kind:       record.Between,
		RouterName: p.Topology.RouterName(router),
		PortName:   p.Topology.PortName(router, local),
	}
	return l.Where()
}
