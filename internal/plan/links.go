package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/internal/config"
	"fabricast/topology"
)

// LinkClass holds the name, bandwidth and latency of a class of links in a network.
type LinkClass struct {
	Name string // a class of the topology, or an entry of network.links that names routers or hosts
	experiment.Link
}

// LinkClasses returns all classes of links with their bandwidth and latency. Links that have an
// entry of their own in network.links become classes of their own, and LinkClasses assigns their
// ports in the graph of t to these classes.
func LinkClasses(e *experiment.Resolved, t topology.Topology) ([]LinkClass, error) {
	used := map[string]bool{}
	var classes []LinkClass
	for _, name := range t.LinkClasses() {
		link, entries := e.Class(name)
		for _, entry := range entries {
			used[entry] = true
		}
		classes = append(classes, LinkClass{name, link})
	}
	for _, name := range e.LinkNames() {
		if used[name] {
			continue
		}
		split := singleLinks
		if _, hosts := experiment.NamedHosts(name); hosts {
			split = hostLinks
		}
		var err error
		if classes, err = split(e, t, name, classes); err != nil {
			return nil, err
		}
	}
	return classes, nil
}

func fabricLink(l experiment.Link) fabric.Link {
	return fabric.Link{Bandwidth: l.Bandwidth, Latency: l.Latency}
}

// singleLinks moves each link between two routers, named as in "3-17" or "(0,0)-(0,1)", into a
// class of its own, and returns all classes. It returns an error if a name is neither that of a
// class nor that of two neighbouring routers.
func singleLinks(
	e *experiment.Resolved,
	t topology.Topology,
	name string,
	classes []LinkClass,
) ([]LinkClass, error) {
	path := "network.links." + name
	if a, b, ok := twoRouters(t, name, '-'); ok {
		s := splitter{e: e, name: name, classes: classes, regular: len(t.LinkClasses())}
		if t.Graph().Reclass(a, b, s.split) == 0 {
			return nil, e.Refuse(path, name, "two routers that are joined by a link", nextTo(t, a))
		}
		if s.twice != "" {
			return nil, e.Refuse(
				path, name, "one entry for the links between two routers",
				s.twice+" names the same two",
			)
		}
		return s.classes, nil
	}
	known := t.LinkClasses()
	return nil, e.Refuse(
		path, name, config.OneOf(known)+", two routers such as 0-1, or hosts such as host/0-7",
		config.DidYouMean(name, known),
	)
}

// splitter creates new classes for the links that one entry of network.links names. Parallel links
// of different classes get different new classes, because each keeps the parameters of its old
// class that the entry does not set.
type splitter struct {
	e       *experiment.Resolved
	name    string // name of the entry, such as "3-17"
	classes []LinkClass
	regular int      // number of classes of the topology
	from    []uint16 // for each new class, the class from which it was split off
	twice   string   // name of an earlier entry for the same links; "" if there is none
}

func (s *splitter) split(class uint16) uint16 {
	first := len(s.classes) - len(s.from)
	if i := slices.Index(s.from, class); i >= 0 {
		return uint16(first + i)
	}
	if int(class) >= s.regular {
		s.twice = s.classes[class].Name
	}
	s.from = append(s.from, class)
	s.classes = append(s.classes, LinkClass{s.name, s.e.Entry(s.name, s.classes[class].Link)})
	return uint16(first + len(s.from) - 1)
}

// nextTo lists up to eight routers next to the given one, for the hint of an error message.
func nextTo(t topology.Topology, router int) string {
	g, names := t.Graph(), []string{}
	for p := g.PortBase[router]; p < g.PortBase[router+1] && len(names) < 8; p++ {
		if n := g.PeerRouter(int(p)); n >= 0 {
			names = append(names, strconv.Itoa(n))
		}
	}
	return fmt.Sprintf("router %d is next to %s", router, strings.Join(names, ", "))
}

// twoRouters returns the routers that a name such as "3-17" or "(0,0)-(0,1)" joins by a separator.
func twoRouters(t topology.Topology, name string, separator byte) (a, b int, ok bool) {
	for i := range len(name) {
		if name[i] != separator {
			continue
		}
		if a, b = findRouter(t, name[:i]), findRouter(t, name[i+1:]); a >= 0 && b >= 0 {
			return a, b, true
		}
	}
	return 0, 0, false
}

// findRouter returns the router with the given number or name, or -1 if there is none.
func findRouter(t topology.Topology, name string) int {
	routers := t.Graph().Routers
	if n, err := strconv.Atoi(name); err == nil && n >= 0 && n < routers {
		return n
	}
	for r := range routers {
		if t.RouterName(r) == name {
			return r
		}
	}
	return -1
}

// RouterLinks counts the links between routers. A cable counts twice, once for each direction.
func RouterLinks(g *topology.Graph) int {
	n := 0
	for i := range g.Ports {
		if g.Ports[i].Peer != topology.Unconnected {
			n++
		}
	}
	return n
}
