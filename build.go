package fabricast

import (
	"fmt"

	"fabricast/fabric"
	"fabricast/routing"
	"fabricast/topology"
)

// plan is an experiment made concrete: what the simulator needs to begin.
type plan struct {
	topology topology.Topology
	fabric   fabric.Spec
	hosts    []int32 // by rank
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
	f, err := e.buildRouting(t)
	if err != nil {
		return nil, err
	}
	hosts, err := e.hostsOfRanks()
	if err != nil {
		return nil, err
	}
	spec := e.fabricSpec(t.Graph(), f)
	if spec.Links, err = e.classLinks(t); err != nil {
		return nil, err
	}
	return &plan{topology: t, fabric: spec, hosts: hosts}, nil
}

// buildRouting makes the routing function for a network.
func (e *Experiment) buildRouting(t topology.Topology) (routing.Function, error) {
	torus, ok := t.(*topology.Torus)
	if !ok || torus.Hosts() != 1 {
		return nil, e.refuse("network.routing", e.Network.Routing.Algorithm, "an algorithm that suits the network",
			"there is none yet for this kind of network")
	}
	vcs := e.Network.Router.VCs
	if need := routing.DORMinVCs(torus); vcs < need {
		return nil, e.refuse("network.router.vcs", fmt.Sprint(vcs), fmt.Sprintf("at least %d", need),
			"with fewer, packets on a ring could wait for each other for ever")
	}
	dor, err := routing.NewDOR(torus, vcs, e.tie())
	if err != nil {
		return nil, e.refuse("network.routing", RoutingDOR, "an algorithm that suits the network", err.Error())
	}
	return dor, nil
}

// refuse reports a field that turned out wrong when the network was built.
func (e *Experiment) refuse(path, found, expected, hint string) error {
	v := &validator{e: e}
	v.problem(path, found, expected, hint)
	e.positions.Locate(v.problems)
	return configError(v.problems)
}

func (e *Experiment) tie() routing.Tie {
	if e.Network.Routing.Tie == TieUp {
		return routing.TieUp
	}
	return routing.TieSplit
}

func (e *Experiment) fabricSpec(g *topology.Graph, f routing.Function) fabric.Spec {
	n := e.Network
	arbiter := fabric.FCFS
	if n.Router.Arbiter == ArbiterRoundRobin {
		arbiter = fabric.RoundRobin
	}
	return fabric.Spec{
		Graph:   g,
		Routing: f,
		Router: fabric.Router{
			Routing:          int64(n.Router.Routing),
			VCAllocation:     int64(n.Router.VCAllocation),
			SwitchAllocation: int64(n.Router.SwitchAllocation),
			SwitchTraversal:  int64(n.Router.SwitchTraversal),
			Latency:          int64(n.Router.Latency),
			Bandwidth:        int64(n.Router.Bandwidth),
			VCs:              n.Router.VCs,
			Buffer:           int64(n.Router.Buffer),
			Arbiter:          arbiter,
		},
		Packet: fabric.Packet{MTU: int64(n.Packet.MTU), Header: int64(n.Packet.Header), Flit: int64(n.Packet.Flit)},
		DMA:    int64(e.Node.DMA),
		Seed:   e.Seed,
	}
}
