package fabric

import (
	"fabricast/topology"
	"slices"
)

// noAgent is the number of the agent's port of routers that have none.
const noAgent = 1<<16 - 1

// withAgents returns the graph with a port more at each router that has an agent.
func withAgents(g *topology.Graph, a *Agent) *topology.Graph {
	has := a.hasAgents(g.Routers)
	with := &topology.Graph{
		Routers: g.Routers, Hosts: g.Hosts, NICsPerHost: g.NICsPerHost, PortBase: make([]int32, 1, g.Routers+1),
		NICPort: make([]int32, len(g.NICPort)),
	}
	moved := make([]int32, len(g.Ports)) // by port: how far its number has moved
	for r := range int32(g.Routers) {
		for port := g.PortBase[r]; port < g.PortBase[r+1]; port++ {
			moved[port] = int32(len(with.Ports)) - port
			with.Ports = append(with.Ports, g.Ports[port])
		}
		if has[r] {
			with.Ports = append(with.Ports, topology.Port{
				Router: r, Peer: topology.Unconnected, NIC: topology.Unconnected, Link: a.Link,
			})
		}
		with.PortBase = append(with.PortBase, int32(len(with.Ports)))
	}
	for i := range with.Ports {
		if peer := &with.Ports[i].Peer; *peer != topology.Unconnected {
			*peer += moved[*peer]
		}
	}
	for nic, port := range g.NICPort {
		with.NICPort[nic] = port + moved[port]
	}
	return with
}

// findAgents computes the agents' ports.
func (l *layout) findAgents() {
	if l.spec.Doors == nil || l.spec.Doors.Agent == nil {
		return
	}
	l.agents = make([]uint16, len(l.routers))
	for name, has := range l.spec.Doors.Agent.hasAgents(len(l.routers)) {
		r := l.router(int32(name))
		if l.agents[r] = noAgent; has {
			l.agents[r] = l.routers[r].slots/uint16(l.vcs) - 1
		}
	}
}

// portChange is an event as one port sees it.
type portChange struct {
	at    int64  // ps
	port  uint32 // number in the layout
	kind  EventKind
	class uint16 // of links: the port's from now on, with SetRate
}

// withRates adds a class of links for each rate that an event sets. The original classes end at `first`.
func withRates(spec Spec) (with Spec, first int) {
	first = len(spec.Links)
	if spec.Doors == nil {
		return spec, first
	}
	spec.Links = slices.Clone(spec.Links)
	for _, e := range spec.Doors.Events {
		for port := range changedPorts(&spec, e) {
			if e.Kind == SetRate && e.Rate > 0 {
				class := spec.Graph.Ports[port].Link
				if link := (Link{e.Rate, spec.Links[class].Latency}); !slices.Contains(spec.Links[first:], link) {
					spec.Links = append(spec.Links, link)
				}
			}
		}
	}
	return spec, first
}

// changedPorts yields the ports that an event changes, in a graph in the user's numbering.
func changedPorts(spec *Spec, e Event) func(yield func(port int32) bool) {
	g := spec.Graph
	return func(yield func(port int32) bool) {
		first, end := g.PortBase[e.Router], g.PortBase[e.Router+1]
		if e.Port != AllPorts {
			first += e.Port
			end = first + 1
		}
		for port := first; port < end; port++ {
			peer := g.Ports[port].Peer
			if peer == topology.Unconnected && g.Ports[port].NIC == topology.Unconnected {
				continue
			}
			if !yield(port) || peer != topology.Unconnected && !yield(peer) {
				return
			}
		}
	}
}

// expandEvents computes what events do to the ports of the layout. user is the graph in the user's
// numbering, and number gives the number in the layout of one of its ports.
func (l *layout) expandEvents(user *topology.Graph, number func(port int) int) {
	if l.spec.Doors == nil {
		return
	}
	spec := l.spec
	spec.Graph = user
	for _, e := range l.spec.Doors.Events {
		for port := range changedPorts(&spec, e) {
			c := portChange{at: int64(e.At), port: uint32(number(int(port))), kind: e.Kind}
			if c.class = user.Ports[port].Link; e.Kind == SetRate && e.Rate > 0 {
				link := Link{e.Rate, l.spec.Links[c.class].Latency}
				c.class = uint16(l.ratesFrom + slices.Index(l.spec.Links[l.ratesFrom:], link))
			}
			l.changes = append(l.changes, c)
		}
	}
}

// boundByDoors takes doors into account for the length of windows. used are the classes of links that
// packets take.
func (l *layout) boundByDoors(used []bool) {
	d := l.spec.Doors
	if d == nil {
		return
	}
	for class := l.ratesFrom; class < len(used); class++ {
		used[class] = true
	}
	if d.Agent != nil {
		used[d.Agent.Link] = true
	}
	if d.Hooks != nil && d.Hooks.Delay > 0 {
		l.minHop = min(l.minHop, int64(d.Hooks.Delay))
	}
}
