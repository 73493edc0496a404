package fabricast

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fabricast/fabric"
	"fabricast/internal/config"
	"fabricast/internal/netfile"
	"fabricast/topology"
)

// linkNames lists the keys of network.links in a fixed order.
func (e *Experiment) linkNames() []string { return slices.Sorted(maps.Keys(e.Network.Links)) }

// links fills in what entries of network.links leave open.
func (f filler) links(n *Network) {
	if len(n.Links) == 0 {
		return
	}
	filled := make(map[string]Link, len(n.Links)) // the caller's map stays as it is
	for _, name := range f.e.linkNames() {
		base, source := n.Link, "network.link"
		if name == "host" {
			base, source = n.HostLink, "network.host_link"
		}
		l := n.Links[name]
		f.link("network.links."+name, &l, base, source)
		filled[name] = l
	}
	n.Links = filled
}

// fastest is the bandwidth of the fastest links between routers.
func (e *Experiment) fastest() Rate {
	rate := e.Network.Link.Bandwidth
	for _, name := range e.linkNames() {
		if name != "host" {
			rate = max(rate, e.Network.Links[name].Bandwidth)
		}
	}
	for _, cable := range e.network.cables { // the order does not matter to the greatest
		if cable.Bandwidth != nil {
			rate = max(rate, *cable.Bandwidth)
		}
	}
	return rate
}

// links checks the entries of network.links, but not yet their names.
func (v *validator) links() {
	for _, name := range v.e.linkNames() {
		path, l := "network.links."+name, v.e.Network.Links[name]
		v.link(path, l)
		v.packetTime(path+".bandwidth", l.Bandwidth)
		if name != "host" {
			v.hop(path+".latency", l)
		}
	}
	for _, class := range slices.Sorted(maps.Keys(v.e.network.cables)) {
		l := over(v.e.network.cables[class], v.e.Network.Link)
		v.link("network.topology.file", l)
		v.packetTime("network.topology.file", l.Bandwidth)
		v.hop("network.topology.file", l)
	}
}

// classLinks gives every class of links its bandwidth and latency. Single links
// that have an entry of their own become further classes of the graph.
func (e *Experiment) classLinks(t topology.Topology) ([]fabric.Link, error) {
	classes := t.LinkClasses()
	links := make([]fabric.Link, len(classes))
	for i, class := range classes {
		links[i] = e.classLink(class, map[string]bool{}).fabric()
	}
	for _, name := range e.singleLinks(t) {
		if err := e.singleLink(t, name, uint16(len(links))); err != nil {
			return nil, err
		}
		links = append(links, e.Network.Links[name].fabric())
	}
	return links, nil
}

// singleLinks are the names of those entries that are no class of the topology, in the order of the further classes.
func (e *Experiment) singleLinks(t topology.Topology) (names []string) {
	used := map[string]bool{}
	for _, class := range t.LinkClasses() {
		e.classLink(class, used)
	}
	for _, name := range e.linkNames() {
		if !used[name] {
			names = append(names, name)
		}
	}
	return names
}

func (l Link) fabric() fabric.Link {
	return fabric.Link{Bandwidth: int64(l.Bandwidth), Latency: int64(l.Latency)}
}

// classLink is what a class of links is like: as the entry of its name says, or
// that of the part of the network it belongs to ("outer" for "outer/x"), or the
// file of the network, or network.link.
func (e *Experiment) classLink(class string, used map[string]bool) Link {
	for name := class; name != ""; name = name[:max(strings.LastIndexByte(name, '/'), 0)] {
		if l, ok := e.Network.Links[name]; ok {
			used[name] = true
			return l
		}
	}
	link := e.Network.Link
	if class == "host" {
		link = e.Network.HostLink
	}
	if cable, ok := e.network.cables[class]; ok {
		link = over(cable, link)
	}
	return link
}

// over lays what a file says of a cable over a link.
func over(c netfile.Cable, l Link) Link {
	if c.Bandwidth != nil {
		l.Bandwidth = *c.Bandwidth
	}
	if c.Latency != nil {
		l.Latency = *c.Latency
	}
	return l
}

// singleLink gives the links between two routers, named as in "3-17" or
// "(0,0)-(0,1)", a class of their own.
func (e *Experiment) singleLink(t topology.Topology, name string, class uint16) error {
	path := "network.links." + name
	for i := range name {
		if name[i] != '-' {
			continue
		}
		a, b := findRouter(t, name[:i]), findRouter(t, name[i+1:])
		if a < 0 || b < 0 {
			continue
		}
		if t.Graph().SetClass(a, b, class) == 0 {
			return e.refuse(path, name, "two routers that are joined by a link", e.neighbours(t, a))
		}
		return nil
	}
	classes := t.LinkClasses()
	return e.refuse(path, name, config.OneOf(classes)+", or two routers such as 0-1", config.DidYouMean(name, classes))
}

// neighbours names the routers next to one, for a hint.
func (e *Experiment) neighbours(t topology.Topology, router int) string {
	g, names := t.Graph(), []string{}
	for p := g.PortBase[router]; p < g.PortBase[router+1] && len(names) < 8; p++ {
		if n := g.PeerRouter(int(p)); n >= 0 {
			names = append(names, strconv.Itoa(n))
		}
	}
	return fmt.Sprintf("router %d is next to %s", router, strings.Join(names, ", "))
}

// findRouter finds a router by its number or its name; -1 if there is none.
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
