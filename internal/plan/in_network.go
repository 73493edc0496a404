package plan

import (
	"fmt"

	"fabricast/collective"
	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/internal/innetwork"
	"fabricast/internal/units"
	"fabricast/topology"
)

// inNetworkClass is the name of the class of links between a router and what reduces in it.
const inNetworkClass = "in-network"

// plantTrees builds the aggregation trees of an experiment: for each job those of the entries of
// network.in_network.groups, in their order.
func (p *Plan) plantTrees() error {
	e := p.Experiment
	n := &e.Network.InNetwork
	if !n.Given() {
		return nil
	}
	hosts := [][]int32{p.Hosts}
	if e.HasJobs() {
		hosts = nil
		for i := range p.Jobs {
			hosts = append(hosts, p.Jobs[i].Hosts)
		}
	}
	var groups []innetwork.Group
	for job, of := range hosts {
		for shape, entry := range n.Groups {
			lists, _ := experiment.GroupsOf(entry, len(of))
			for _, ranks := range lists {
				if len(ranks) > 0 {
					groups = append(groups, innetwork.Group{Job: job, Shape: shape, Name: entry, Ranks: ranks})
				}
			}
		}
	}
	if codes := len(n.Groups) * n.Lanes; codes > collective.MostCodes {
		return e.Refuse("network.in_network.groups", fmt.Sprintf("%d groups and lanes of a rank", codes),
			fmt.Sprintf("at most %d", collective.MostCodes), "")
	}
	if err := p.connected(hosts, n.Lanes); err != nil {
		return err
	}
	p.Forest = innetwork.Plant(innetwork.Spec{
		Trees: n.Trees, Slots: n.Slots, Window: n.Window, Lanes: n.Lanes, Payload: n.Payload,
		Latency: n.Latency, Copy: n.Copy, Reduces: n.Reduces(),
	}, p.Fabric.Graph, hosts, groups)
	for i := range p.Jobs {
		p.Jobs[i].Forest, p.Jobs[i].program = p.Forest, i
	}
	p.addAgent()
	return nil
}

// connected refuses trees between hosts that the NICs of a lane do not connect.
func (p *Plan) connected(hosts [][]int32, lanes int) error {
	e, g := p.Experiment, p.Fabric.Graph
	for lane := range min(lanes, g.NICsPerHost) {
		router := func(host int32) int32 { return g.Ports[g.NICPort[int(host)*g.NICsPerHost+lane]].Router }
		for _, of := range hosts {
			if len(of) == 0 {
				continue
			}
			reached := topology.NewDistances(g).From(int(router(of[0])))
			for rank, h := range of {
				if reached[router(h)] < 0 {
					return e.Refuse(
						"network.in_network.groups", fmt.Sprintf("ranks 0 and %d, whose NICs %d no routers connect", rank, lane),
						"ranks on connected routers", fmt.Sprintf("they are on hosts %d and %d", of[0], h),
					)
				}
			}
		}
	}
	return nil
}

// addAgent adds the class of links by which routers take operands, and a door that stands for what a run
// adds (Plan.InNetwork).
func (p *Plan) addAgent() {
	rate := p.Experiment.Network.InNetwork.Rate
	if rate == 0 {
		rate = p.allPorts()
	}
	link := fabric.Link{Bandwidth: rate, Latency: p.Fabric.Links[topology.LinkRouter].Latency}
	p.Fabric.Links = append(p.Fabric.Links, link)
	p.Classes = append(p.Classes, inNetworkClass)
	p.Fabric.Doors = p.InNetwork(innetwork.NewAgent(p.Forest))
	for i := range p.Jobs {
		p.Jobs[i].Fabric, p.Jobs[i].Classes = p.Fabric, p.Classes
	}
}

// InNetwork returns the doors of a network whose trees the agent of a run carries out.
func (p *Plan) InNetwork(a *innetwork.Agent) *fabric.Doors {
	return &fabric.Doors{Agent: a.Door(uint16(len(p.Fabric.Links) - 1))}
}

// UseTrees gives the agent of a run the contents of the messages of the plan's program.
func (p *Plan) UseTrees(a *innetwork.Agent, c innetwork.Contents) {
	if a != nil {
		a.Uses(p.program, c)
	}
}

// allPorts returns the rate of all ports of the router that has the greatest.
func (p *Plan) allPorts() (most units.Rate) {
	g := p.Fabric.Graph
	for r := range g.Routers {
		sum := units.Rate(0)
		for _, port := range g.Ports[g.PortBase[r]:g.PortBase[r+1]] {
			sum += p.Fabric.Links[port.Link].Bandwidth
		}
		most = max(most, sum)
	}
	return most
}

// trees returns which trees switches have for a communicator of some ranks of the program.
func (p *Plan) trees(ranks []int32, size int) *collective.Trees {
	f := p.Forest
	code := f.Find(p.program, ranks, size)
	if code < 0 {
		if f.Full(p.program, ranks, size) {
			return &collective.Trees{Full: true, Reduces: f.Reduces}
		}
		return nil
	}
	return &collective.Trees{
		Code: code, Lanes: f.Lanes, Window: f.Window, Payload: int(f.Payload), Reduces: f.Reduces,
	}
}
