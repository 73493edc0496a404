package plan

import (
	"encoding"

	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/internal/innetwork"
	"fabricast/node"
	"fabricast/routing"
	"fabricast/routing/deadlock"
	"fabricast/topology"
)

// Plan holds everything the simulator needs to start: the network, its routing, and the hosts of
// the ranks. It is immutable once Build has returned it.
type Plan struct {
	Experiment *experiment.Resolved // completed with the settings that depend on the network
	Topology   topology.Topology
	Fabric     fabric.Spec
	Classes    []string     // names of the link classes: the topology's, then those of network.links
	Hosts      []int32      // by rank
	Begins     []int64      // start time of each rank (ps); nil: all start at 0
	Losses     *node.Losses // recorded noise; nil: none
	Jobs       []Job        // of an experiment with several jobs; Hosts then lists the ranks of all jobs
	Outages    []Outage     // links and switches that fail, in order of time
	BitErrors  []uint64     // of each port: rate of bit errors (2^-64 a bit); nil: none
	Deadlock   *deadlock.Report
	Forest     *innetwork.Forest // aggregation trees of switches; nil: none
	changes    linkChanges       // of a network that drops or pauses packets
	program    int               // which of Forest's programs the plan's is, in the plan of a job
}

// For returns a copy of the plan for experiment e, which must use the same network and ranks.
func (p *Plan) For(e *experiment.Resolved) *Plan {
	other := *p
	other.Experiment = e
	return &other
}

// RoutingName returns the name of the routing algorithm.
func (p *Plan) RoutingName() string {
	if p.Experiment.NoTopology() {
		return "none"
	}
	if p.Fabric.Adaptive != nil {
		return p.Fabric.Adaptive.Name()
	}
	return p.Fabric.Routing.Name()
}

// Build makes the plan of a resolved experiment: it lays out the network, chooses and checks the
// routing, and places the ranks on hosts. It returns a *failure.MemoryError if the plan cannot fit
// in this machine's memory, and a configuration error if the network or the mapping is invalid.
func Build(e *experiment.Resolved) (*Plan, error) {
	if err := RoughForecast(e).Check(); err != nil {
		return nil, err // checked before the network is built, since that might exhaust memory
	}
	if e.NoTopology() {
		return withoutTopology(e)
	}
	t, err := BuildTopology(e)
	if err != nil {
		return nil, err
	}
	if err := roomForTables(e, tableMemory(e, t)); err != nil {
		return nil, err // checked before routing tables are built, since they might exhaust memory
	}
	e, algorithm, report, err := buildRouting(e, t)
	if err != nil {
		return nil, err
	}
	var hosts []int32
	if !e.HasJobs() {
		hosts, err = hostsOfRanks(e, t)
	}
	if err != nil {
		return nil, err
	}
	if err := checkSlow(e); err != nil {
		return nil, err
	}
	begins, err := readBegins(e)
	if err != nil {
		return nil, err
	}
	losses, err := readLosses(e)
	if err != nil {
		return nil, err
	}
	spec := fabricSpec(e, t.Graph(), algorithm)
	if err := checkWeights(e, &spec); err != nil {
		return nil, err
	}
	classes, err := LinkClasses(e, t)
	if err != nil {
		return nil, err
	}
	p := &Plan{Experiment: e, Topology: t, Hosts: hosts, Begins: begins, Losses: losses, Deadlock: report}
	for _, c := range classes {
		spec.Links = append(spec.Links, fabricLink(c.Link))
		p.Classes = append(p.Classes, c.Name)
	}
	if spec.Cut, err = Cut(e, t); err != nil {
		return nil, err
	}
	p.BitErrors, err = bitErrors(e, t)
	switch {
	case err != nil:
	case e.Network.Ethernet():
		err = p.addEthernetFaults(e, classes)
	case e.Faults.Given():
		p.Outages, err = addFaults(&spec, e, t, algorithm, classes)
		if err == nil {
			spec.Doors.BitErrors = p.BitErrors
		}
	default:
		spec.Doors, err = makeDoors(e, t)
	}
	if err != nil {
		return nil, err
	}
	if err := addControl(e, &spec); err != nil {
		return nil, err
	}
	p.Fabric = spec
	if err := p.checkDoors(); err != nil {
		return nil, err
	}
	if e.HasJobs() {
		if err := p.placeJobs(); err != nil {
			return nil, err
		}
	}
	if err := p.plantTrees(); err != nil {
		return nil, err
	}
	if err := p.checkDoors(); err != nil {
		return nil, err
	}
	for i := range p.Jobs {
		if err := p.Jobs[i].checkAlgorithms(); err != nil {
			return nil, err
		}
	}
	return p, p.checkAlgorithms()
}

// checkDoors returns an error about doors that the network cannot have.
func (p *Plan) checkDoors() error {
	err := fabric.CheckDoors(p.Fabric)
	if err == nil {
		return nil
	}
	field := "network.doors"
	switch {
	case p.Experiment.Faults.Given():
		field = "faults"
	case p.Experiment.Controlled():
		field = "node.transport.control"
	case p.Forest != nil:
		field = "network.in_network"
	}
	return p.Experiment.Refuse(field, "such doors", "doors that the network can have", err.Error())
}

// choice parses an enumerated field of an experiment that has already been validated.
func choice[E any, P interface {
	*E
	encoding.TextUnmarshaler
}](word string) (e E) {
	if err := P(&e).UnmarshalText([]byte(word)); err != nil {
		panic(err)
	}
	return e
}

func fabricSpec(e *experiment.Resolved, g *topology.Graph, algorithm routing.Algorithm) fabric.Spec {
	n := e.Network
	spec := fabric.Spec{
		Graph: g,
		Router: fabric.Router{
			Routing:          n.Router.Routing,
			VCAllocation:     n.Router.VCAllocation,
			SwitchAllocation: n.Router.SwitchAllocation,
			SwitchTraversal:  n.Router.SwitchTraversal,
			Latency:          n.Router.Latency,
			Bandwidth:        n.Router.Bandwidth,
			VCs:              n.Router.Channels(),
			Classes:          fabricClasses(&n),
			Buffer:           n.Router.Buffer,
			Queues:           choice[fabric.Queues](n.Router.Queues),
			OutputBuffer:     n.Router.OutputBuffer,
			Arbiter:          choice[fabric.Arbiter](n.Router.Arbiter),
			Allocation:       choice[fabric.Allocation](n.Router.Allocation),
			Allocator:        choice[fabric.Allocator](n.Router.Allocator),
			Turnaround:       n.Router.Turnaround,
			OwnArbiter:       n.Router.OwnArbiter,
			FlowControl:      n.Router.FlowControl,
			Injection:        choice[fabric.Injection](e.Node.Injection),
		},
		Packet: fabric.Packet{
			MTU:    int64(n.Packet.MTU),
			Header: int64(n.Packet.Header),
			Flit:   flit(&n),
		},
		DMA:   e.Node.DMA,
		IOBus: fabric.IOBus{Bandwidth: e.Node.IOBus.Bandwidth, Latency: e.Node.IOBus.Latency},
		Seed:  e.Seed,

		Gap:       int64(e.Node.Gap / experiment.GapUnit),
		TakeTurns: e.Node.NICOrder == experiment.NICRoundRobin,

		ControlFirst: e.Node.NICOrder == experiment.NICControlFirst,
	}
	switch a := algorithm.(type) {
	case routing.Adaptive:
		spec.Adaptive = a
	case routing.Function:
		spec.Routing = a
	}
	return spec
}

// Overtaking reports whether packets of a message may take different routes or virtual channels,
// and so arrive out of order.
func (p *Plan) Overtaking() bool {
	if p.Experiment.Network.Routerless() {
		return false
	}
	r := &p.Fabric.Router
	if d := p.Fabric.Doors; d != nil && (d.Agent != nil || len(d.Epochs) > 0) {
		return true
	}
	return p.Experiment.Faults.Reroutes() || p.Experiment.Faults.Packets == experiment.PacketsLose || p.Fabric.TakeTurns || p.Fabric.ControlFirst || p.Fabric.Adaptive != nil ||
		len(r.Classes) > 1 ||
		PerPacket(p.Fabric.Routing) ||
		r.Allocation != fabric.CombinedAllocation ||
		r.Injection != fabric.RoutedVC
}

// PerPacket reports whether the routing algorithm f may send packets between the same two hosts
// over different routes.
func PerPacket(f routing.Function) bool {
	_, random := f.(routing.Randomized)
	return random
}
