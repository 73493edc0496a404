package topology

import (
	"slices"
	"strings"
)

// Unconnected marks a port without anything at its other end, such as the outward port of a router
// at the edge of a mesh.
const Unconnected int32 = -1

// Graph is the network as the engine sees it: routers with numbered ports, the links between them,
// and the network interfaces (NICs) of the hosts. It is immutable once built, and has no
// coordinates.
//
// Ports have global IDs. Those of router r are PortBase[r] to PortBase[r+1]-1, so local port p of
// the router has the global ID PortBase[r]+p. NICs have global IDs too: NIC n of host h is
// h*NICsPerHost+n.
//
// A router may have any number of hosts. All NICs of a host are at one router, and hosts are
// numbered in the order of their routers. A router's ports to other routers come first, followed by
// those to NICs, in the order of the NICs. Where possible, routers with similar IDs are close in
// the network, because ranges of routers are simulated together.
type Graph struct {
	Routers     int
	Hosts       int
	NICsPerHost int
	PortBase    []int32 // first port of each router, and the end: Routers+1 entries
	Ports       []Port  // all ports, by their global IDs
	NICPort     []int32 // by global NIC ID: global ID of the router port
	// Ends says of each router whether it is part of a node, which does not forward what others send:
	// routes begin and end there, and none passes. nil: all routers forward.
	Ends []bool

	hops hopsMemo
}

// Port is one side of a link (router to router, or router to NIC).
type Port struct {
	Router int32  // the router that has this port
	Peer   int32  // global ID of the port at the other end; Unconnected for NIC ports and open ports
	NIC    int32  // global ID of the NIC connected here; Unconnected if none
	Link   uint16 // link class, the same at both ends; see Topology.LinkClasses
	Closed bool   // packets only arrive here: the link leads one way, from Peer
}

// Link classes that every topology has. Classes from 2 on are further kinds of links: between
// routers, such as the global links of a dragonfly, or between NICs and routers, if not all hosts
// are connected alike.
const (
	LinkRouter uint16 = 0 // between two routers; the only such class if all links are alike
	LinkHost   uint16 = 1 // between a NIC and its router; the only such class if all hosts are alike
)

// HostLinks is the name of class LinkHost.
const HostLinks = "host"

// OfHosts reports whether the link class with the given name is between NICs and routers. Such
// names are "host" and those of its parts, such as "host/0-7".
func OfHosts(class string) bool {
	return class == HostLinks || strings.HasPrefix(class, HostLinks+"/")
}

// HostRouter returns the router that a host is connected to.
func (g *Graph) HostRouter(host int) int {
	return int(g.Ports[g.NICPort[host*g.NICsPerHost]].Router)
}

// HostedRouters returns the routers that have hosts, in ascending order.
func (g *Graph) HostedRouters() []int32 {
	var list []int32
	for host := range g.Hosts {
		if r := int32(g.HostRouter(host)); len(list) == 0 || list[len(list)-1] != r {
			list = append(list, r)
		}
	}
	return list
}

// PeerRouter returns the router at the other end of a port, given by its global ID, or Unconnected
// if there is none.
func (g *Graph) PeerRouter(port int) int {
	if peer := g.Ports[port].Peer; peer != Unconnected {
		return int(g.Ports[peer].Router)
	}
	return int(Unconnected)
}

// NextRouter returns the router that packets reach by leaving through a port, given by its global ID, or
// Unconnected if none can leave there for a router.
func (g *Graph) NextRouter(port int) int {
	if g.Ports[port].Closed {
		return int(Unconnected)
	}
	return g.PeerRouter(port)
}

// Forwards reports whether packets from other routers may pass a router on their way to others.
func (g *Graph) Forwards(router int) bool { return g.Ends == nil || !g.Ends[router] }

// OneWay reports whether some links lead only one way.
func (g *Graph) OneWay() bool {
	return slices.ContainsFunc(g.Ports, func(p Port) bool { return p.Closed })
}

// Local returns the router and the local port of a port given by its global ID.
func (g *Graph) Local(port int) (router, local int) {
	router = int(g.Ports[port].Router)
	return router, port - int(g.PortBase[router])
}

// HostClasses returns the classes of the links between NICs and routers, in ascending order. If
// there are no NICs, it returns only LinkHost.
func (g *Graph) HostClasses() []uint16 {
	var used [1 << 16]bool
	classes, last := []uint16{}, -1
	for _, port := range g.NICPort {
		if class := g.Ports[port].Link; int(class) != last && !used[class] {
			used[class] = true
			classes = append(classes, class)
		}
	}
	if len(classes) == 0 {
		return []uint16{LinkHost}
	}
	slices.Sort(classes)
	return classes
}

// degree returns the number of ports of a router.
func (g *Graph) degree(router int) int { return int(g.PortBase[router+1] - g.PortBase[router]) }

// linksOf returns the number of ports of a router that do not lead to NICs. These are its first
// ports.
func (g *Graph) linksOf(router int) int {
	first, end := int(g.PortBase[router]), int(g.PortBase[router+1])
	for end > first && g.Ports[end-1].NIC != Unconnected {
		end--
	}
	return end - first
}

// Radix returns the maximum number of ports of a router.
func (g *Graph) Radix() int {
	most := 0
	for r := range g.Routers {
		most = max(most, g.degree(r))
	}
	return most
}

// Reclass replaces the link class of all links between routers a and b by the result of the
// function class for the current class. It returns the number of these links. It must not be called
// once the graph is in use.
func (g *Graph) Reclass(a, b int, class func(uint16) uint16) int {
	links := 0
	for p := g.PortBase[a]; p < g.PortBase[a+1]; p++ {
		if g.PeerRouter(int(p)) == b {
			to := class(g.Ports[p].Link)
			g.Ports[p].Link = to
			g.Ports[g.Ports[p].Peer].Link = to
			links++
		}
	}
	return links
}

// ReclassHost replaces the link class of all NICs of a host by the result of the function class for
// the current class. It must not be called once the graph is in use.
func (g *Graph) ReclassHost(host int, class func(uint16) uint16) {
	for _, port := range g.NICPort[host*g.NICsPerHost : (host+1)*g.NICsPerHost] {
		g.Ports[port].Link = class(g.Ports[port].Link)
	}
}

// Topology is a network: its graph, and the names of its routers, ports and link classes.
type Topology interface {
	// Kind returns the name used in experiments, such as "torus".
	Kind() string
	// Graph returns the network. It returns the same pointer at every call.
	Graph() *Graph
	// RouterName returns the coordinates of a router as text, such as "(3,0,1)".
	RouterName(router int) string
	// PortName returns the name of a local port of a router, such as "+x" or "host".
	PortName(router, port int) string
	// LinkClasses returns the names of the link classes, indexed by the Link field of ports, such
	// as {"local", "host", "global"} for a dragonfly. Entry LinkHost is "host"; the names of other
	// classes of links to NICs start with "host/" (see OfHosts).
	LinkClasses() []string
	// Distance returns the minimum number of links between the routers of two hosts.
	Distance(a, b int) int
}
