package topology

import (
	"fmt"
	"strconv"
)

// Edge is a link between two routers.
type Edge struct {
	A, B   int    // router IDs
	Class  uint16 // link class: LinkRouter, or 2 and above
	OneWay bool   // packets pass only from A to B
}

// IrregularSpec describes a network of arbitrary shape by its list of links.
type IrregularSpec struct {
	Names   []string // of the routers, by ID
	Hosts   []int    // number of hosts of each router
	Edges   []Edge   // links; parallel ones are allowed
	Classes []string // names of the link classes from 2 on
	// HostClasses are the link classes of the hosts, in the order of their routers: LinkHost, or a
	// class for whose name OfHosts is true. nil means LinkHost for all.
	HostClasses []uint16
	// HostNames are the names of the hosts, in the order of their routers; nil if they have none.
	HostNames []string
	// Ends says of each router whether it is a node, which forwards nothing of others; nil: none is.
	Ends []bool
	// Labels are what a real network calls its routers, ports and hosts; nil if it does not.
	Labels *Labels
}

// Labels are the identifiers and addresses by which the forwarding tables of a real network name its
// routers, ports and hosts. Lists may be empty; an entry of 0 or "" is unknown.
type Labels struct {
	Routers    []string   // by router: identifier, such as the hexadecimal digits of a GUID
	RouterLIDs []int32    // by router: address
	HostLIDs   []int32    // by host: address
	Ports      [][2]int32 // by link: numbers of the ports at both of its ends
}

// Irregular is a network of arbitrary shape, given by a list of links. Router IDs are those of the
// description. A router's local ports are its links in the order of the description, followed by
// those to NICs.
type Irregular struct {
	names     []string
	hosts     []int
	classes   []string
	distances *Distances
	graph     *Graph
	hostNames []string
	labels    *Labels
	numbers   [][]int32 // by router and local port of a link: the port's number in Labels
}

// NewIrregular builds the network that s describes, with nicsPerHost NICs per host. It returns an
// error if s is invalid.
func NewIrregular(s IrregularSpec, nicsPerHost int) (*Irregular, error) {
	if err := ready(s, nicsPerHost); err != nil {
		return nil, err
	}
	n := &Irregular{
		names: s.Names, hosts: s.Hosts,
		classes:   append([]string{LinkRouter: "link", LinkHost: "host"}, s.Classes...),
		hostNames: s.HostNames, labels: s.Labels,
	}
	ends := s.ends()
	n.numbers = s.numbers(ends)
	n.graph = wiring{
		routers: len(s.Names), nics: nicsPerHost,
		degree: func(r int) (int, int) { return len(ends[r]), s.Hosts[r] },
		far: func(r, p int) (int, int, uint16) {
			e := ends[r][p]
			return int(e.peer), int(e.port), s.Edges[e.edge].Class
		},
		hostClass: s.hostClass(nicsPerHost),
		closed: func(r, p int) bool {
			e := s.Edges[ends[r][p].edge]
			return e.OneWay && e.B == r
		},
	}.layOut()
	n.graph.Ends = s.Ends
	n.distances = NewDistances(n.graph)
	return n, nil
}

// hostClass returns the function for wiring.hostClass.
func (s IrregularSpec) hostClass(nics int) func(nic int) uint16 {
	if s.HostClasses == nil {
		return nil
	}
	return func(nic int) uint16 { return s.HostClasses[nic/nics] }
}

// end is the other end of a router's port: the router, its local port, and the link's index in the
// description.
type end struct{ peer, port, edge int32 }

// ends returns the ends of the links at each router, in the order of the links.
func (s IrregularSpec) ends() [][]end {
	ends := make([][]end, len(s.Names))
	for i, e := range s.Edges {
		a, b := len(ends[e.A]), len(ends[e.B])
		ends[e.A] = append(ends[e.A], end{int32(e.B), int32(b), int32(i)})
		ends[e.B] = append(ends[e.B], end{int32(e.A), int32(a), int32(i)})
	}
	return ends
}

// numbers returns the numbers of the ports of each router; nil if the description gives none.
func (s IrregularSpec) numbers(ends [][]end) [][]int32 {
	if s.Labels == nil || len(s.Labels.Ports) != len(s.Edges) {
		return nil
	}
	numbers := make([][]int32, len(ends))
	for r, list := range ends {
		for _, e := range list {
			side := 0
			if s.Edges[e.edge].A != r {
				side = 1
			}
			numbers[r] = append(numbers[r], s.Labels.Ports[e.edge][side])
		}
	}
	return numbers
}

// Check implements Spec.
func (s IrregularSpec) Check() []Mistake {
	var c checker
	c.demand(len(s.Names) > 0, "routers", "none", "at least one router")
	c.demand(
		len(s.Hosts) == len(s.Names), "hosts", fmt.Sprintf("%d entries", len(s.Hosts)),
		fmt.Sprintf("one for each of the %d routers", len(s.Names)),
	)
	for i, h := range s.Hosts {
		c.least(fmt.Sprintf("hosts[%d]", i), h, 0)
	}
	for i, e := range s.Edges {
		field := fmt.Sprintf("edges[%d]", i)
		known := min(e.A, e.B) >= 0 && max(e.A, e.B) < len(s.Names)
		c.demand(
			known, field, fmt.Sprintf("a link from %d to %d", e.A, e.B),
			fmt.Sprintf("routers from 0 to %d", len(s.Names)-1),
		)
		c.demand(
			e.A != e.B, field, fmt.Sprintf("a link from router %d to itself", e.A),
			"a link between two routers",
		)
		c.demand(
			e.Class == LinkRouter || s.has(e.Class, false), field,
			fmt.Sprintf("class %d", e.Class), "a class of links between routers",
		)
	}
	for i, class := range s.HostClasses {
		c.demand(
			class == LinkHost || s.has(class, true), fmt.Sprintf("host_classes[%d]", i),
			fmt.Sprintf("class %d", class), "a class of links of hosts, whose name begins with "+HostLinks+"/",
		)
	}
	c.demand(
		s.Ends == nil || len(s.Ends) == len(s.Names), "ends", fmt.Sprintf("%d entries", len(s.Ends)),
		fmt.Sprintf("one for each of the %d routers", len(s.Names)),
	)
	if len(c.mistakes) == 0 {
		size := s.Size()
		c.demand(
			s.HostClasses == nil || len(s.HostClasses) == size.Hosts, "host_classes",
			fmt.Sprintf("%d entries", len(s.HostClasses)), fmt.Sprintf("one for each of %d hosts", size.Hosts),
		)
		c.demand(
			s.HostNames == nil || len(s.HostNames) == size.Hosts, "host_names",
			fmt.Sprintf("%d entries", len(s.HostNames)), fmt.Sprintf("one for each of %d hosts", size.Hosts),
		)
		c.demand(
			size.Routers <= maxRouters, "routers", size.Routers,
			fmt.Sprintf("at most %d routers", maxRouters),
		)
		c.demand(
			size.Hosts <= MaxHosts, "hosts", size.Hosts,
			fmt.Sprintf("at most %d hosts in all", MaxHosts),
		)
		c.demand(
			size.Links+size.Hosts <= maxPorts, "edges", len(s.Edges),
			fmt.Sprintf("links and hosts with at most %d ports in all", maxPorts),
		)
	}
	return c.mistakes
}

// has reports whether a class from 2 on exists and is one of host links (ofHosts) or of other
// links.
func (s IrregularSpec) has(class uint16, ofHosts bool) bool {
	i := int(class) - 2
	return i >= 0 && i < len(s.Classes) && OfHosts(s.Classes[i]) == ofHosts
}

// Size implements Spec.
func (s IrregularSpec) Size() Size {
	size := Size{Routers: len(s.Names), Links: 2 * len(s.Edges)}
	for _, h := range s.Hosts {
		size.Hosts += min(h, MaxHosts+1)
	}
	return size
}

// Build implements Spec. A network with nodes that forward nothing is an Endpoints.
func (s IrregularSpec) Build(nics int) (Topology, error) {
	n, err := NewIrregular(s, nics)
	if err != nil || s.Ends == nil {
		return n, err
	}
	return joined{n}, nil
}

// joined is an Irregular with nodes that have links to several routers.
type joined struct{ *Irregular }

// EndsOnly implements Endpoints.
func (joined) EndsOnly() {}

// Kind returns "file".
func (n *Irregular) Kind() string { return "file" }

// Graph returns the network.
func (n *Irregular) Graph() *Graph { return n.graph }

// LinkClasses returns "link", "host" and the classes of the description.
func (n *Irregular) LinkClasses() []string { return n.classes }

// RouterName returns the router's name in the description.
func (n *Irregular) RouterName(router int) string { return n.names[router] }

// HostName implements Named.
func (n *Irregular) HostName(host int) string {
	if n.hostNames == nil {
		return ""
	}
	return n.hostNames[host]
}

// Labels implements Labeled.
func (n *Irregular) Labels() *Labels { return n.labels }

// PortNumber implements Labeled.
func (n *Irregular) PortNumber(router, port int) int {
	if n.numbers == nil || port >= len(n.numbers[router]) {
		return 0
	}
	return int(n.numbers[router][port])
}

// PortName returns "link3" for the router's fourth link, and "nic0", "host0" or "host0.nic0" for a
// NIC port.
func (n *Irregular) PortName(router, port int) string {
	if links := n.graph.linksOf(router); port >= links {
		return nicName(port-links, n.hosts[router], n.graph.NICsPerHost)
	}
	return "link" + strconv.Itoa(port)
}

// Distance returns the number of links between the routers of two hosts, found by breadth-first
// search.
func (n *Irregular) Distance(a, b int) int { return n.distances.Hosts(a, b) }
