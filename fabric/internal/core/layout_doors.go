package core

import (
	"slices"

	"fabricast/fabric/model"
	"fabricast/internal/random"
	"fabricast/topology"
)

// NoAgent is the agent port of routers without an agent.
const NoAgent = 1<<16 - 1

// withAgents returns the graph with an additional port at each router that has an agent.
func withAgents(g *topology.Graph, a *model.Agent) *topology.Graph {
	has := a.HasAgents(g.Routers)
	with := &topology.Graph{
		Routers: g.Routers, Hosts: g.Hosts, NICsPerHost: g.NICsPerHost, PortBase: make([]int32, 1, g.Routers+1),
		NICPort: make([]int32, len(g.NICPort)),
	}
	moved := make([]int32, len(g.Ports)) // by port: how much its ID has increased
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

// FindAgents records the agents' ports.
func (l *Layout) FindAgents() {
	if l.Spec.Doors == nil || l.Spec.Doors.Agent == nil {
		return
	}
	l.Agents = make([]uint16, len(l.Routers))
	for name, has := range l.Spec.Doors.Agent.HasAgents(len(l.Routers)) {
		r := l.Router(int32(name))
		if l.Agents[r] = NoAgent; has {
			l.Agents[r] = l.Routers[r].NumVCs/uint16(l.NumVCs) - 1
		}
	}
}

// PortChange is the effect of an event on one port.
type PortChange struct {
	At    int64  // time of the change (ps)
	Port  uint32 // ID in the layout
	Kind  model.EventKind
	Class uint16 // the port's new link class, with SetRate
	// FromNIC: the change is one of the NIC at the port, which sends to it.
	FromNIC bool
}

// PortErrors are the bit errors in the direction out of a port.
type PortErrors struct {
	Rate uint64 // 2^-64 a bit
	Key  uint64 // of the random numbers of the port, to which the number of a packet is added
}

// seedOfErrors separates the random numbers of bit errors from those of other uses of the seed.
const seedOfErrors = 0x6269746572726f72

// changesInjection reports whether an event changes the rate at which a NIC sends.
func changesInjection(e model.Event) bool { return e.FromNIC && e.Kind == model.SetRate }

// withRates returns the link classes with an additional class for each rate that an event sets.
func withRates(spec *model.Spec) []model.Link {
	links := slices.Clone(spec.Links)
	for _, e := range spec.Doors.Events {
		for port := range changedPorts(spec, e) {
			if link := e.LinkAfter(spec.Links, spec.Graph.Ports[port].Link); !slices.Contains(links, link) {
				links = append(links, link)
			}
		}
	}
	return links
}

// changedPorts yields the ports that an event changes, in a graph in the user's numbering.
func changedPorts(spec *model.Spec, e model.Event) func(yield func(port int32) bool) {
	g := spec.Graph
	return func(yield func(port int32) bool) {
		first, end := g.PortBase[e.Router], g.PortBase[e.Router+1]
		if e.Port != model.AllPorts {
			first += e.Port
			end = first + 1
		}
		for port := first; port < end; port++ {
			peer := g.Ports[port].Peer
			if peer == topology.Unconnected && g.Ports[port].NIC == topology.Unconnected {
				continue
			}
			if !yield(port) || peer != topology.Unconnected && !e.OneWay && !yield(peer) {
				return
			}
		}
	}
}

// ExpandEvents computes the effects of events on the ports of the layout. user is the graph in the
// user's numbering, and number returns the ID in the layout of one of its ports.
func (l *Layout) ExpandEvents(user *topology.Graph, number func(port int) int) {
	if l.Spec.Doors == nil {
		return
	}
	l.findErrors(user, number)
	spec := l.Spec
	spec.Graph = user
	for _, e := range l.Spec.Doors.Events {
		for port := range changedPorts(&spec, e) {
			link := e.LinkAfter(l.Spec.Links, user.Ports[port].Link)
			c := PortChange{
				At: int64(e.At), Port: uint32(number(int(port))), Kind: e.Kind,
				Class: uint16(slices.Index(l.Spec.Links, link)), FromNIC: e.FromNIC,
			}
			l.Changes = append(l.Changes, c)
		}
	}
}

// findErrors records the bit errors of ports, by their numbers in the layout. Those of the Spec do not count
// the ports of agents, each the last of its router.
func (l *Layout) findErrors(user *topology.Graph, number func(port int) int) {
	rates := l.Spec.Doors.BitErrors
	if rates == nil {
		return
	}
	has := make([]bool, user.Routers)
	if a := l.Spec.Doors.Agent; a != nil {
		has = a.HasAgents(user.Routers)
	}
	l.Errors = make([]PortErrors, len(user.Ports))
	seed, given := random.Scramble(l.Spec.Seed^seedOfErrors), 0
	for r := range user.Routers {
		end := int(user.PortBase[r+1])
		if has[r] {
			end--
		}
		for port := int(user.PortBase[r]); port < end; port++ {
			l.Errors[number(port)] = PortErrors{rates[given], random.Scramble(seed + uint64(given))}
			given++
		}
	}
}

// boundByDoors limits the window length as doors require. used says which link classes packets use.
func (l *Layout) boundByDoors(used []bool) {
	d := l.Spec.Doors
	if d == nil {
		return
	}
	for i := range d.Events { // events may be in any order and of any links
		for class, link := range l.Spec.Links {
			used[class] = used[class] || link.Bandwidth == d.Events[i].Rate
		}
	}
	if d.Agent != nil {
		used[d.Agent.Link] = true
	}
	if d.Hooks != nil && d.Hooks.Delay > 0 {
		l.MinHop = min(l.MinHop, int64(d.Hooks.Delay))
	}
	if d.Timeout > 0 {
		l.MinHop = min(l.MinHop, int64(d.Timeout))
	}
}
