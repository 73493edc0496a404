package netfile

import (
	"strconv"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/units"
	"fabricast/topology"
)

// hostGroup is a number of hosts of a router whose links are of one class.
type hostGroup struct {
	hosts int
	class uint16
}

// hostsOf reads the hosts of a router: their number, and the bandwidth and latency of their links if
// these are not as network.host_link; the same for each further group of its hosts.
func (c *collector) hostsOf(router int, words []word) {
	var groups []hostGroup
	total, described := 0, false
	for len(words) > 0 {
		at := words[0].at
		hosts := c.count(at, words[0].text)
		n := 1
		for n < len(words) && !isNumber(words[n].text) {
			n++
		}
		cable, ok := c.cable(words[1:n])
		words = words[n:]
		if !ok {
			return
		}
		class := topology.LinkHost
		if label := cable.Label(); label != "" {
			if class, ok = c.kind(at, topology.HostLinks+"/"+label, cable); !ok {
				return
			}
			described = true
		}
		total = min(total+hosts, topology.MaxHosts+1) // else a sum could be too large for a number
		groups = append(groups, hostGroup{hosts, class})
	}
	c.hosts[router] = total
	if described {
		c.joined[router] = groups
	}
}

// isNumber reports whether a word is a whole number without a unit.
func isNumber(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil
}

// hostClasses returns the class of each host, in the order of routers.
func (c *collector) hostClasses() (classes []uint16) {
	for r, hosts := range c.hosts {
		groups := c.joined[r]
		if groups == nil {
			groups = []hostGroup{{hosts, topology.LinkHost}}
		}
		for _, g := range groups {
			for range g.hosts {
				classes = append(classes, g.class)
			}
		}
	}
	return classes
}

// cable reads bandwidth and latency of a link, in any order, either of which may be missing.
func (c *collector) cable(words []word) (cable Cable, ok bool) {
	for _, w := range words {
		var t units.Time
		if cable.Latency == nil && t.Set(w.text) == nil {
			cable.Latency = &t
			continue
		}
		if cable.Bandwidth != nil {
			c.fail(w.at, "latency", w.text, "a time such as 100ns beside the bandwidth", "")
			return cable, false
		}
		if cable.Bandwidth = c.rate(w.at, w.text); cable.Bandwidth == nil {
			return cable, false
		}
	}
	return cable, true
}

// spread returns the words of a value that is at one place.
func spread(at config.Position, text string) (words []word) {
	for _, w := range split(text, at.Line) {
		words = append(words, word{w.text, at})
	}
	return words
}

// describesHostLinks reports whether some links of hosts have a class of their own.
func describesHostLinks(g *topology.Graph) bool {
	classes := g.HostClasses()
	return len(classes) > 1 || classes[0] != topology.LinkHost
}

// hostWords describes the hosts of each router as hostsOf reads them: their number, and the links of
// each group of them if the network has different ones.
func hostWords(g *topology.Graph, cables []Cable) []string {
	groups := make([][]hostGroup, g.Routers)
	for host := range g.Hosts {
		port := g.Ports[g.NICPort[host*g.NICsPerHost]]
		list := &groups[port.Router]
		if last := len(*list) - 1; last >= 0 && (*list)[last].class == port.Link {
			(*list)[last].hosts++
			continue
		}
		*list = append(*list, hostGroup{1, port.Link})
	}
	different := describesHostLinks(g)
	texts := make([]string, g.Routers)
	for r, list := range groups {
		var words []string
		for _, group := range list {
			words = append(words, strconv.Itoa(group.hosts))
			if cable := cables[group.class]; different {
				words = append(words, strings.Fields(cable.words())...)
			}
		}
		if texts[r] = strings.Join(words, " "); texts[r] == "" {
			texts[r] = "0"
		}
	}
	return texts
}
