package predict

import (
	"context"
	"slices"

	"fabricast/experiment"
	"fabricast/internal/innetwork"
	"fabricast/internal/plan"
	"fabricast/internal/units"
	"fabricast/internal/version"
	"fabricast/topology"
)

// PreviewSchema is the schema name and version of a Preview as JSON.
const PreviewSchema = "fabricast.check/1"

// Preview holds what is known about an experiment before it runs.
type Preview struct {
	Schema  string `json:"schema"` // PreviewSchema
	Version string `json:"version"`
	Model   string `json:"model,omitempty"` // name of the network model, if it is abstract
	Hosts   int    `json:"hosts"`
	Routers int    `json:"routers"`
	Links   int    `json:"links"` // between routers, one for each direction
	// HostLinks lists the classes of NIC links with their number of links; nil if there is only
	// one.
	HostLinks []LinkClass   `json:"host_links,omitempty"`
	ZeroLoad  ZeroLoad      `json:"zero_load"`
	Memory    plan.Forecast `json:"memory_forecast"`
	Routing   string        `json:"routing"`  // name of the algorithm
	Deadlock  string        `json:"deadlock"` // result of the deadlock check
	// RoundTrip is the longest credit round trip. The buffer of a virtual channel should hold what
	// a link carries in this time. It is nil in a network without packets.
	RoundTrip *RoundTrip `json:"round_trip,omitempty"`
	// Flow is a warning that a single flow cannot use the full bandwidth of a link because the
	// buffer of its VC is smaller than the credit round trip; "" if it can.
	Flow string `json:"flow,omitempty"`
	// Unread is a warning that files of the network or its routes have parts that are ignored, or
	// probable mistakes; "" if they have none.
	Unread string `json:"unread,omitempty"`
	// IdleNICs is the number of NICs of each node that no message uses for sending. With nic_choice
	// port, a node may have more NICs than its messages use ports.
	IdleNICs int `json:"idle_nics,omitempty"`
	// Trees are the aggregation trees of switches, and the groups that have none.
	Trees []innetwork.Shown `json:"trees,omitempty"`
	// Pacing summarizes the gaps of workload.pacing; nil until FindPacing has computed them.
	Pacing *PacingResult `json:"pacing,omitempty"`
	// Capacity is the load of synthetic traffic at which the busiest link would be full; nil until
	// FindCapacity has computed it.
	Capacity *Capacity `json:"capacity,omitempty"`
	// Work is an estimate of the work and time of the run; nil until FindWork has computed it, and
	// if it is unknown.
	Work *Work `json:"work,omitempty"`
	// Shared describes how several processes would share the run; nil unless the user requests it.
	Shared *Shared `json:"shared,omitempty"`
	// Divisions describes each kind of partition; nil until FindDivisions has computed it.
	Divisions []Division `json:"partitions,omitempty"`
	// Scaling estimates the speedup by several processes; nil until FindDivisions has computed it.
	Scaling *Scaling `json:"scaling,omitempty"`

	plan *plan.Plan
}

// Memory makes the same checks as NewPreview, but returns only the memory that a run needs. It is
// faster, since it does not measure the distances between hosts.
func Memory(e *experiment.Resolved) (plan.Forecast, error) {
	p, err := check(e)
	if err != nil {
		return plan.Forecast{}, err
	}
	return p.Forecast(), nil
}

// check builds the plan of an experiment, and makes all checks that precede a run.
func check(e *experiment.Resolved) (*plan.Plan, error) {
	p, err := plan.Build(e)
	if err != nil {
		return nil, err
	}
	if e.HasTraffic() {
		if _, err := p.TrafficLoad(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// NewPreview makes all checks that precede a run, and returns what can be predicted without
// running.
func NewPreview(e *experiment.Resolved) (*Preview, error) {
	p, err := check(e)
	if err != nil {
		return nil, err
	}
	if p, err = WithParameters(p); err != nil {
		return nil, err
	}
	if p.Experiment.Network.Routerless() {
		return abstractPreview(p), nil
	}
	if p.Experiment.Network.Ethernet() {
		return ethernetPreview(p)
	}
	g := p.Fabric.Graph
	zero, err := zeroLoad(p)
	if err != nil {
		return nil, err
	}
	preview := &Preview{
		Schema: PreviewSchema, Version: version.Full(),
		Model: abstractModel(p),
		Hosts: g.Hosts, Routers: g.Routers, Links: plan.RouterLinks(g),
		HostLinks: hostLinks(p), ZeroLoad: zero,
		Memory:  p.Forecast(),
		Routing: p.RoutingName(), Deadlock: p.Deadlock.String(),
		Flow:     flowOf(p),
		Unread:   unreadNotes(p),
		IdleNICs: idleNICs(p),
		Trees:    p.Forest.Show(p.Topology),
		plan:     p,
	}
	if !p.Experiment.Network.Abstract() {
		trip := longestRoundTrip(p)
		preview.RoundTrip = &trip
	}
	return preview, nil
}

// hostLinks returns Preview.HostLinks.
func hostLinks(p *plan.Plan) (list []LinkClass) {
	classes := p.Fabric.Graph.HostClasses()
	if len(classes) == 1 {
		return nil
	}
	for _, class := range classes {
		link := p.Fabric.Links[class]
		list = append(list, LinkClass{Name: p.Classes[class], Bandwidth: link.Bandwidth, Latency: link.Latency})
	}
	for _, port := range p.Fabric.Graph.NICPort {
		list[slices.Index(classes, p.Fabric.Graph.Ports[port].Link)].Count++
	}
	return list
}

// LeastLatency returns a lower bound (ps) of the duration of a run in which a message passes
// through the network: over a link between two routers, or through one router only. It is 0 in a
// network without credits.
func (p *Preview) LeastLatency(fromRouterToRouter bool) units.Time {
	if !p.plan.Experiment.Network.Credits() {
		return 0
	}
	return leastLatency(p.plan, fromRouterToRouter)
}

// Experiment returns a copy of the experiment with all defaults filled in, including those that
// depend on the network.
func (p *Preview) Experiment() *experiment.Experiment {
	e := p.plan.Experiment.Experiment
	return &e
}

// mostPaced is the largest number of ranks for which a preview computes the gaps of MOD pacing.
const mostPaced = 2048

// FindPacing computes the gaps of workload.pacing and sets Pacing. It leaves Pacing nil for MOD
// pacing of more than 2048 ranks, which would take too long; 2048 ranks take some seconds.
func (p *Preview) FindPacing() error {
	e := p.plan.Experiment
	if e.Workload.Pacing.Derived() && e.Ranks > mostPaced {
		return nil
	}
	paced, err := p.plan.Pace()
	p.Pacing = SumUpPacing(paced)
	return err
}

// FindCapacity computes the load at which the busiest link would be saturated, and sets Capacity.
// It leaves Capacity nil without synthetic traffic, or if routes depend on queues. For thousands of
// hosts it takes some seconds.
func (p *Preview) FindCapacity(ctx context.Context) error {
	if !p.plan.Experiment.HasTraffic() {
		return nil
	}
	load, err := p.plan.TrafficLoad()
	if err == nil {
		p.Capacity, _ = CapacityOf(ctx, p.plan, &load)
	}
	return err
}

// idleNICs returns the number of NICs of each node that no message uses for sending, whatever the
// program. With nic_choice port, the port by which a message leaves its router selects the NIC (see
// run.chooseNIC), so if there are more NICs than such ports, the rest stay idle.
func idleNICs(p *plan.Plan) int {
	e := p.Experiment
	g := p.Fabric.Graph
	if e.Node.NICChoice != experiment.NICPort || e.OwnProgram() || e.HasTraffic() || g.Hosts > g.Routers ||
		p.Fabric.Adaptive != nil ||
		plan.PerPacket(p.Fabric.Routing) {
		return 0
	}
	most := 0
	for r := range g.Routers {
		ports := 0
		for port := g.PortBase[r]; port < g.PortBase[r+1]; port++ {
			if g.Ports[port].NIC == topology.Unconnected {
				ports++
			}
		}
		most = max(most, ports)
	}
	return max(0, e.Node.NICs-most)
}
