package netfile

import (
	"strings"

	"fabricast/internal/option"
	"fabricast/internal/units"
	"fabricast/topology"
)

// Adapters says what the adapters of one node are.
type Adapters uint8

const (
	// ApartAdapters: each is a host of its own.
	ApartAdapters Adapters = iota
	// JoinedAdapters: they are the links of one host, which sends and receives by all of them.
	JoinedAdapters
)

var adapterWords = []string{ApartAdapters: "apart", JoinedAdapters: "joined"}

// Words implements option.Worded.
func (a *Adapters) Words() []string { return adapterWords }

// String returns the word used in experiments.
func (a Adapters) String() string { return adapterWords[a] }

// UnmarshalText parses the word used in experiments.
func (a *Adapters) UnmarshalText(text []byte) error { return option.Parse(a, text, adapterWords) }

// AdapterLinks is the name of the class of the links of joined adapters, in parts such as
// "adapter/25GBps" if they differ.
const AdapterLinks = "adapter"

// join makes one host of the adapters of each node that has several. The node becomes a router that
// forwards nothing of others: its host has a link as fast as those of all its adapters, which lead
// to the routers where the adapters were.
func (n *Network) join() {
	j := joining{
		Network: n, class: map[uint16]uint16{}, nodes: map[string]int{}, switches: len(n.Spec.Names),
		taken: map[string]bool{},
	}
	for _, name := range n.Spec.Names {
		j.taken[name] = true
	}
	hosts := n.adaptersOf()
	several := false
	for _, list := range hosts {
		several = several || len(list) > 1
	}
	if !several {
		return
	}
	before := n.Spec
	j.keep(before, hosts)
	host := 0
	for r, count := range before.Hosts {
		for range count {
			name, _, _ := strings.Cut(before.HostNames[host], "/")
			if len(hosts[name]) > 1 {
				j.adapter(name, r, classOf(before, host))
			}
			host++
		}
	}
	j.finish()
}

// adaptersOf returns the hosts of each named node.
func (n *Network) adaptersOf() map[string][]int {
	hosts := map[string][]int{}
	for host, name := range n.Spec.HostNames {
		if node, _, _ := strings.Cut(name, "/"); node != "" {
			hosts[node] = append(hosts[node], host)
		}
	}
	return hosts
}

func classOf(s topology.IrregularSpec, host int) uint16 {
	if s.HostClasses == nil {
		return topology.LinkHost
	}
	return s.HostClasses[host]
}

// joining is a network while the adapters of its nodes are joined.
type joining struct {
	*Network
	class map[uint16]uint16 // by class of host links: that of the links of such adapters
	nodes map[string]int    // by name: the router, which comes after all switches
	rates []units.Rate      // by node: the sum of its adapters' rates; 0 if one has none of its own

	switches int
	taken    map[string]bool // names of routers
}

// keep removes the hosts that are joined.
func (j *joining) keep(s topology.IrregularSpec, nodes map[string][]int) {
	j.Spec.Hosts, j.Spec.HostNames, j.Spec.HostClasses = make([]int, len(s.Hosts)), nil, nil
	j.Spec.Ends, j.Spec.Labels = make([]bool, len(s.Hosts)), nil
	host := 0
	for r, count := range s.Hosts {
		for range count {
			if node, _, _ := strings.Cut(s.HostNames[host], "/"); len(nodes[node]) <= 1 {
				j.Spec.Hosts[r]++
				j.Spec.HostNames = append(j.Spec.HostNames, s.HostNames[host])
				j.Spec.HostClasses = append(j.Spec.HostClasses, classOf(s, host))
			}
			host++
		}
	}
}

// adapter adds the link of an adapter of a node to a router.
func (j *joining) adapter(node string, router int, class uint16) {
	at, known := j.nodes[node]
	if !known {
		at = len(j.Spec.Names)
		j.nodes[node] = at
		j.Spec.Names = append(j.Spec.Names, j.unused(node))
		j.Spec.Hosts, j.Spec.Ends = append(j.Spec.Hosts, 1), append(j.Spec.Ends, true)
		j.Spec.HostNames = append(j.Spec.HostNames, node)
		j.lines = append(j.lines, j.lines[router])
		j.rates = append(j.rates, 0)
	}
	j.Spec.Edges = append(j.Spec.Edges, topology.Edge{A: at, B: router, Class: j.linkClass(class)})
	rate := &j.rates[at-j.switches]
	if own := j.rateOf(class); own == 0 || known && *rate == 0 {
		*rate = 0
	} else {
		*rate += own
	}
}

// unused returns a name that no router has.
func (j *joining) unused(name string) string {
	for j.taken[name] {
		name = "node/" + name
	}
	j.taken[name] = true
	return name
}

// rateOf returns the bandwidth that the file gives for a class of host links; 0 if it gives none.
func (j *joining) rateOf(class uint16) units.Rate {
	if class == topology.LinkHost || j.Cables[class-2].Bandwidth == nil {
		return 0
	}
	return *j.Cables[class-2].Bandwidth
}

// linkClass returns the class of the links of adapters whose host links were of a class.
func (j *joining) linkClass(class uint16) uint16 {
	if known, found := j.class[class]; found {
		return known
	}
	cable := Cable{}
	if class != topology.LinkHost {
		cable = j.Cables[class-2]
	}
	j.class[class] = j.add(AdapterLinks, cable)
	return j.class[class]
}

// add adds a class of links, named after its values if it has any.
func (j *joining) add(name string, cable Cable) uint16 {
	if label := cable.Label(); label != "" {
		name += "/" + label
	}
	for i, taken := range j.Spec.Classes {
		if taken == name {
			return uint16(i + 2)
		}
	}
	j.Spec.Classes = append(j.Spec.Classes, name)
	j.Cables = append(j.Cables, cable)
	return uint16(len(j.Spec.Classes) + 1)
}

// finish gives the hosts of nodes links as fast as those of their adapters.
func (j *joining) finish() {
	for _, rate := range j.rates {
		class := topology.LinkHost
		if rate > 0 {
			class = j.add(topology.HostLinks, Cable{Bandwidth: &rate})
		}
		j.Spec.HostClasses = append(j.Spec.HostClasses, class)
	}
}
