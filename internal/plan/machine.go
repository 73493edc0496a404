package plan

import (
	"strconv"

	"fabricast/collective"
	"fabricast/topology"
	"fabricast/workload"
)

// Machine returns what algorithms of collectives can know of the network and the hosts of ranks.
func (p *Plan) Machine() *collective.Machine {
	if p.Experiment.NoTopology() {
		return collective.NewMachine(p.Hosts, nil, nil)
	}
	var grid *collective.Grid
	type dimensions interface {
		Dims() []int
		Hosts() int
	}
	if t, ok := p.Topology.(dimensions); ok && t.Hosts() > 0 {
		grid = &collective.Grid{Dims: t.Dims(), HostsOf: t.Hosts()}
	}
	var group func(host int32) int32
	if t, ok := p.Topology.(topology.Grouped); ok {
		g := p.Fabric.Graph
		group = func(host int32) int32 { return int32(t.Group(g.HostRouter(int(host)))) }
	}
	m := collective.NewMachine(p.Hosts, grid, group)
	if t, ok := p.Topology.(*topology.Nodes); ok {
		m.Seat(func(host int32) (node, seat int32) {
			n, s := t.Seat(int(host))
			return int32(n), int32(s)
		}, p.rates(t))
		if t.Spec().PXN && t.Outer() != nil {
			m.Rails(func(seat int32) int32 { return int32(t.Rail(int(seat))) })
		}
	}
	if p.Forest != nil {
		m.Switches(p.trees)
	}
	return m
}

// rates returns how fast nodes are within and beyond. It looks at the first GPU of the first node,
// as all are alike but for single links with entries of their own.
func (p *Plan) rates(t *topology.Nodes) collective.Rates {
	const megabyte = 1e6
	var within, between int64
	g := p.Fabric.Graph
	gpu := int(t.GPUs()[0])
	for i := range t.OwnLinks(gpu) {
		within += int64(p.Fabric.Links[g.Ports[int(g.PortBase[t.Router(0, gpu)])+i].Link].Bandwidth)
	}
	for nic := range t.Spec().NICs {
		router, port := t.Exit(0, nic)
		between += int64(p.Fabric.Links[g.Ports[int(g.PortBase[router])+port].Link].Bandwidth)
	}
	return collective.Rates{Within: int(within / megabyte), Between: int(between / megabyte)}
}

// checkAlgorithms returns an error if an algorithm that the experiment names needs another network,
// or other hosts of its ranks.
func (p *Plan) checkAlgorithms() error {
	e := p.Experiment
	if len(p.Hosts) == 0 || e.HasJobs() {
		return nil
	}
	var world *collective.Layout
	check := func(path string, k collective.Kind, a collective.Algorithm) error {
		info := collective.InfoOf(k, a)
		if info == nil || info.Needs == collective.NeedsNothing {
			return nil
		}
		if world == nil {
			world = p.Machine().World()
		}
		if found, expected := world.Lacks(info.Needs); found != "" {
			return e.Refuse(
				path, string(a)+" on "+found, expected+", or another algorithm",
				"the experiment has "+strconv.Itoa(len(p.Hosts))+" ranks",
			)
		}
		return nil
	}
	for i, one := range e.Collectives.Each() {
		k := collective.Kinds()[i]
		if err := check("collectives."+string(k), k, collective.Algorithm(one.Algorithm)); err != nil {
			return err
		}
	}
	if program := workload.Find(e.Workload.Program); program != nil && !e.OwnProgram() {
		kind, _ := program.Calls(0)
		return check("workload.algorithm", kind, collective.Algorithm(e.Workload.Algorithm))
	}
	return nil
}
