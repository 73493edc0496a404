package fabricast

import (
	"errors"
	"fmt"
	"syscall"

	"fabricast/fabric"
	"fabricast/mpi"
	"fabricast/pacing"
	"fabricast/routing"
	"fabricast/routing/deadlock"
	"fabricast/topology"
)

// plan is an experiment made concrete: what the simulator needs to begin.
type plan struct {
	topology topology.Topology
	fabric   fabric.Spec
	classes  []string      // names of the classes of links: the topology's, then those of single links
	hosts    []int32       // by rank
	begins   []int64       // ps, by rank: when each begins, if a file tells
	pacing   *mpi.Pacing   // of a collective; nil if it is not paced, or not yet known
	pacer    *pacing.Pacer // of a program's collectives; nil if none is paced
	deadlock *deadlock.Report
}

// routingName is the name of the algorithm.
func (p *plan) routingName() string {
	if p.fabric.Adaptive != nil {
		return p.fabric.Adaptive.Name()
	}
	return p.fabric.Routing.Name()
}

// notes say before a run what may make its result doubtful.
func (p *plan) notes() []string {
	if p.deadlock.Whole() {
		return nil
	}
	return []string{p.routingName() + ": " + p.deadlock.String()}
}

// build makes the network of a resolved experiment and places its ranks, if it fits in memory.
func (e *Experiment) build() (*plan, error) {
	if err := e.roughForecast().check(); err != nil {
		return nil, err // without laying out a network that may not fit either
	}
	t, err := e.buildTopology()
	if err != nil {
		return nil, err
	}
	rough := e.roughForecast()
	if err := newForecast(rough.Network+e.tableMemory(t), rough.Network+e.tableMemory(t), rough.Ranks).check(); err != nil {
		return nil, err // without making tables that may not fit either
	}
	algorithm, report, err := e.buildRouting(t)
	if err != nil {
		return nil, err
	}
	hosts, err := e.hostsOfRanks()
	if err != nil {
		return nil, err
	}
	begins, err := e.readBegins()
	if err != nil {
		return nil, err
	}
	spec := e.fabricSpec(t.Graph(), algorithm)
	classes, err := e.linkClasses(t)
	if err != nil {
		return nil, err
	}
	p := &plan{topology: t, hosts: hosts, begins: begins, deadlock: report}
	for _, c := range classes {
		spec.Links = append(spec.Links, c.fabric())
		p.classes = append(p.classes, c.name)
	}
	p.fabric = spec
	return p, nil
}

// refuse reports a field that turned out wrong when the network was built.
func (e *Experiment) refuse(path, found, expected, hint string) error {
	v := &validator{e: e}
	v.problem(path, found, expected, hint)
	e.positions.Locate(v.problems)
	return configError(v.problems)
}

// fabricOf makes the network of a resolved experiment.
func (e *Experiment) fabricOf(p *plan, workers int) (*fabric.Network, error) {
	network, err := fabric.New(p.fabric, workers)
	if err != nil {
		return nil, e.refuseNetwork(err)
	}
	return network, nil
}

// refuseNetwork words why a network cannot be made. Where this machine has refused something, nothing is wrong with the experiment.
func (e *Experiment) refuseNetwork(err error) error {
	var refused syscall.Errno
	if errors.As(err, &refused) {
		return fmt.Errorf("this machine does not let the network be simulated (its limits may be too low: ulimit -a): %w", err)
	}
	return e.refuse("network", "a network", "one that can be simulated", err.Error())
}

// Words of experiments for choices of the fabric.
var (
	arbiters = map[string]fabric.Arbiter{
		ArbiterFCFS: fabric.FCFS, ArbiterRoundRobin: fabric.RoundRobin, ArbiterMatrix: fabric.Matrix,
		ArbiterAge: fabric.Age, ArbiterPriority: fabric.Priority,
	}
	queues = map[string]fabric.Queues{QueuesInput: fabric.InputQueues, QueuesVOQ: fabric.VirtualOutputQueues}
)

func (e *Experiment) fabricSpec(g *topology.Graph, algorithm any) fabric.Spec {
	n := e.Network
	spec := fabric.Spec{
		Graph: g,
		Router: fabric.Router{
			Routing:          int64(n.Router.Routing),
			VCAllocation:     int64(n.Router.VCAllocation),
			SwitchAllocation: int64(n.Router.SwitchAllocation),
			SwitchTraversal:  int64(n.Router.SwitchTraversal),
			Latency:          int64(n.Router.Latency),
			Bandwidth:        int64(n.Router.Bandwidth),
			VCs:              n.Router.VCs,
			Buffer:           int64(n.Router.Buffer),
			Queues:           queues[n.Router.Queues],
			OutputBuffer:     int64(n.Router.OutputBuffer),
			Arbiter:          arbiters[n.Router.Arbiter],
		},
		Packet: fabric.Packet{MTU: int64(n.Packet.MTU), Header: int64(n.Packet.Header), Flit: int64(n.Packet.Flit)},
		DMA:    int64(e.Node.DMA),
		IOBus:  fabric.IOBus{Bandwidth: int64(e.Node.IOBus.Bandwidth), Latency: int64(e.Node.IOBus.Latency)},
		Seed:   e.Seed,
	}
	switch a := algorithm.(type) {
	case routing.Adaptive:
		spec.Adaptive = a
	case routing.Function:
		spec.Routing = a
	}
	return spec
}
