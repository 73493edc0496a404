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

// says tells which of its fields an entry of network.links sets. What it leaves
// open is as the link would be without the entry.
func (e *Experiment) says(name string) (bandwidth, latency bool) {
	l, path := e.Network.Links[name], "network.links."+name
	bandwidth = l.Bandwidth != 0 || e.positions.Has(path+".bandwidth")
	latency = l.Latency != 0 || e.positions.Has(path+".latency")
	if e.positions == nil { // made in Go, a zero latency beside a bandwidth is meant
		latency = latency || bandwidth
	}
	return bandwidth, latency
}

// entry lays what an entry of network.links says over a link.
func (e *Experiment) entry(name string, link Link) Link {
	bandwidth, latency := e.says(name)
	if bandwidth {
		link.Bandwidth = e.Network.Links[name].Bandwidth
	}
	if latency {
		link.Latency = e.Network.Links[name].Latency
	}
	return link
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
		v.entry("network.links."+name, name)
	}
	for _, class := range slices.Sorted(maps.Keys(v.e.network.cables)) {
		l := over(v.e.network.cables[class], v.e.Network.Link)
		v.link("network.topology.file", l)
		v.packetTime("network.topology.file", l.Bandwidth)
		v.hop("network.topology.file", l)
	}
}

// entry checks what an entry says; what it leaves open is checked where it is said.
func (v *validator) entry(path, name string) {
	l := v.e.Network.Links[name]
	bandwidth, latency := v.e.says(name)
	if bandwidth {
		v.rate(path+".bandwidth", l.Bandwidth)
		v.packetTime(path+".bandwidth", l.Bandwidth)
	}
	if latency {
		v.delay(path+".latency", l.Latency)
		if name != "host" {
			v.hop(path+".latency", l)
		}
	}
}

// linkClass is a class of links of a network that has been laid out.
type linkClass struct {
	name string // of the topology, or of two routers as network.links names them
	Link
}

// linkClasses gives every class of links its bandwidth and latency. Single links
// that have an entry of their own become further classes of the graph.
func (e *Experiment) linkClasses(t topology.Topology) ([]linkClass, error) {
	used := map[string]bool{}
	var classes []linkClass
	for _, name := range t.LinkClasses() {
		classes = append(classes, linkClass{name, e.classLink(name, used)})
	}
	for _, name := range e.linkNames() {
		if used[name] {
			continue
		}
		var err error
		if classes, err = e.singleLinks(t, name, classes); err != nil {
			return nil, err
		}
	}
	return classes, nil
}

func (l Link) fabric() fabric.Link {
	return fabric.Link{Bandwidth: int64(l.Bandwidth), Latency: int64(l.Latency)}
}

// classLink is what a class of links is like: as network.link, over which lie what
// the file of the network says, the entries of the parts of the network that the
// class belongs to ("outer" for "outer/x"), and that of the class itself.
func (e *Experiment) classLink(class string, used map[string]bool) Link {
	link := e.Network.Link
	if class == "host" {
		link = e.Network.HostLink
	}
	if cable, ok := e.network.cables[class]; ok {
		link = over(cable, link)
	}
	for end := 1; end <= len(class); end++ {
		if end < len(class) && class[end] != '/' {
			continue
		}
		name := class[:end]
		if _, ok := e.Network.Links[name]; ok {
			used[name] = true
			link = e.entry(name, link)
		}
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

// singleLinks sets the links between two routers, named as in "3-17" or
// "(0,0)-(0,1)", apart from the classes that they are of.
func (e *Experiment) singleLinks(t topology.Topology, name string, classes []linkClass) ([]linkClass, error) {
	path := "network.links." + name
	for i := range name {
		if name[i] != '-' {
			continue
		}
		a, b := findRouter(t, name[:i]), findRouter(t, name[i+1:])
		if a < 0 || b < 0 {
			continue
		}
		s := splitter{e: e, name: name, classes: classes, regular: len(t.LinkClasses())}
		if t.Graph().Reclass(a, b, s.split) == 0 {
			return nil, e.refuse(path, name, "two routers that are joined by a link", e.neighbours(t, a))
		}
		if s.twice != "" {
			return nil, e.refuse(path, name, "one entry for the links between two routers", s.twice+" names the same two")
		}
		return s.classes, nil
	}
	known := t.LinkClasses()
	return nil, e.refuse(path, name, config.OneOf(known)+", or two routers such as 0-1", config.DidYouMean(name, known))
}

// splitter makes classes of single links. Parallel links of several classes stay
// apart: what the entry leaves open is of each as it was.
type splitter struct {
	e       *Experiment
	name    string // of the entry
	classes []linkClass
	regular int      // classes of the topology
	from    []uint16 // the class that each new one was split off
	twice   string   // an earlier entry for the same links
}

func (s *splitter) split(class uint16) uint16 {
	first := len(s.classes) - len(s.from)
	if i := slices.Index(s.from, class); i >= 0 {
		return uint16(first + i)
	}
	if int(class) >= s.regular {
		s.twice = s.classes[class].name
	}
	s.from = append(s.from, class)
	s.classes = append(s.classes, linkClass{s.name, s.e.entry(s.name, s.classes[class].Link)})
	return uint16(first + len(s.from) - 1)
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
