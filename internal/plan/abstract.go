package plan

import (
	"slices"
	"strconv"

	"fabricast/abstract"
	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/internal/units"
	"fabricast/topology"
)

// WithParameters returns a copy of the plan, and of the plans of its jobs, in which the abstract
// network model has the given parameters.
func (p *Plan) WithParameters(all experiment.Parameters) *Plan {
	changed := *p.Experiment
	changed.Network.Parameters = all
	other := p.For(&changed)
	other.Jobs = slices.Clone(p.Jobs)
	for i := range other.Jobs {
		other.Jobs[i].Plan = other.Jobs[i].WithParameters(all)
	}
	return other
}

// withoutTopology does the work of Build for an experiment without a topology: its hosts are
// connected directly, so no router delays their messages.
func withoutTopology(e *experiment.Resolved) (*Plan, error) {
	t, err := e.Spec().Build(e.Node.NICs)
	if err != nil {
		return nil, e.Refuse("ranks", strconv.Itoa(e.Ranks), "fewer hosts", err.Error())
	}
	hosts, err := hostsOfRanks(e, t)
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
	p := &Plan{
		Experiment: e, Topology: t, Hosts: hosts, Begins: begins, Losses: losses, Fabric: fabricSpec(e, t.Graph(), nil),
		Classes: t.LinkClasses(),
	}
	host := hostLink(&e.Network)
	p.Fabric.Links = []fabric.Link{topology.LinkRouter: host, topology.LinkHost: host}
	return p, p.checkAlgorithms()
}

// hostLink describes a NIC of an abstract network model as a link whose bandwidth follows from the
// model's time per byte.
func hostLink(n *experiment.Network) fabric.Link {
	perByte := n.Parameters.GapPerByte
	if n.Model == experiment.ModelAlphaBeta {
		perByte = n.Parameters.Beta
	}
	rate := units.Rate(0)
	if perByte != nil {
		rate = perByte.Rate()
	}
	return fabric.Link{Bandwidth: rate}
}

// abstractForecast estimates the memory of a run whose network model simulates no packets.
func (p *Plan) abstractForecast() Forecast {
	e, g := p.Experiment, p.Fabric.Graph
	network := units.Bytes(abstract.Forecast(g.Hosts, g.NICsPerHost)) + graphMemory(g)
	if !e.NoTopology() {
		network += tableMemory(e, p.Topology)
	}
	return newForecast(network, network, ranksMemory(e))
}
