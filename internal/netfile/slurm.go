package netfile

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/hostlist"
	"fabricast/internal/humanize"
	"fabricast/internal/pattern"
	"fabricast/topology"
)

var _ = register(20, Format{
	Name: "slurm", Summary: "Slurm's topology.conf: a tree of switches, or blocks",
	Endings: []string{"topology.conf"}, read: readSlurm, write: writeSlurm,
	begins: func(text string) bool { return slurmBegins().MatchString(text) },
	loses:  slurmLoses,
})

// slurmLoses is what the files of Slurm do not hold.
const slurmLoses = "one-way and parallel links, links between switches of one level, bandwidths, latencies, " +
	"and adapters beside the first of a node"

// slurmBegins matches a line of topology.conf.
var slurmBegins = pattern.Lazy(`(?mi)^[ \t]*(SwitchName|BlockName)=\S`)

// slurm builds the network of Slurm's description: each switch or block is a router, each node a
// host.
type slurm struct {
	*inventory
	number map[string]int          // device by name
	own    map[int]config.Position // switches and blocks with a record, and where it is
	above  map[[2]int]config.Position
	links  [][2]int // switch above and below, in the order of the file
	blocks []int
}

func newSlurm(source *config.Source, format string) *slurm {
	return &slurm{
		inventory: newInventory(source, format), number: map[string]int{},
		own: map[int]config.Position{}, above: map[[2]int]config.Position{},
	}
}

func readSlurm(source *config.Source, _ int) (*Network, config.Problems) {
	s := newSlurm(source, "slurm")
	ignored := tally{}
	n, continued := 0, ""
	for line := range strings.Lines(source.Text) {
		n++
		text, _, _ := strings.Cut(continued+strings.TrimRight(line, "\r\n"), "#")
		if before, more := strings.CutSuffix(strings.TrimRight(text, " \t"), `\`); more {
			continued = before + " "
			continue
		}
		continued = ""
		s.line(split(text, n), ignored)
		if s.problems.Enough() {
			break
		}
	}
	if len(ignored) > 0 {
		s.reading.ignore("options without influence on the network: %s", ignored.list())
	}
	return s.finish()
}

// line reads a line of words NAME=VALUE.
func (s *slurm) line(words []word, ignored tally) {
	values := map[string]word{}
	for _, w := range words {
		key, value, found := strings.Cut(w.text, "=")
		if !found || value == "" {
			s.fail(w.at, "line", w.text, "words such as SwitchName=leaf1 Nodes=node[001-016]", "")
			return
		}
		switch key = strings.ToLower(key); key {
		case "switchname", "blockname", "switches", "nodes":
			values[key] = word{value, w.at}
		default: // LinkSpeed, too, which Slurm itself does not use
			ignored[strings.SplitN(w.text, "=", 2)[0]]++
		}
	}
	name, isSwitch := values["switchname"]
	block, isBlock := values["blockname"]
	switch {
	case isSwitch:
		s.add(name, values["switches"], values["nodes"], false)
	case isBlock:
		s.add(block, word{}, values["nodes"], true)
	case len(values) > 0:
		s.fail(words[0].at, "line", words[0].text, "SwitchName or BlockName first", "")
	}
}

// add adds a switch or block with the switches and nodes below it.
func (s *slurm) add(name, switches, nodes word, block bool) {
	if strings.ContainsAny(name.text, "[],") {
		s.fail(name.at, "name", name.text, "the name of one switch or block", "")
		return
	}
	at := s.named(name, false)
	if s.devices[at].adapter {
		s.fail(name.at, "name", name.text, "a name that is either a switch's or a node's", "")
		return
	}
	if before, twice := s.own[at]; twice {
		s.fail(name.at, "name", name.text+" a second time",
			fmt.Sprintf("one record of each switch or block (the first is in line %d)", before.Line), "")
		return
	}
	s.own[at] = name.at
	if switches.text == "" && nodes.text == "" {
		s.reading.find(EmptySwitch, name.at.Line, "switch %s lists neither nodes nor switches", name.text)
	}
	if block {
		s.blocks = append(s.blocks, at)
	}
	for _, below := range []struct {
		list    word
		adapter bool
	}{{switches, false}, {nodes, true}} {
		if below.list.text == "" {
			continue
		}
		names, wrong, right := hostlist.All(below.list.text)
		if !right {
			s.fail(below.list.at, "names", wrong, "names such as node[001-016],login1", "")
			continue
		}
		for _, one := range names {
			end := s.named(word{one, below.list.at}, below.adapter)
			if end == at {
				s.fail(below.list.at, "names", one+", which is this switch itself", "names of others", "")
				return
			}
			if s.devices[end].adapter != below.adapter {
				s.fail(below.list.at, "names", one, "a name that is either a switch's or a node's", "")
				return
			}
			key := [2]int{at, end}
			if _, twice := s.above[key]; !twice {
				s.links = append(s.links, key)
			}
			s.above[key] = below.list.at
		}
	}
}

// named returns the device with a name, which it adds if it is new.
func (s *slurm) named(name word, adapter bool) int {
	i, found := s.number[name.text]
	if !found {
		i = s.device(device{id: name.text, name: name.text, adapter: adapter, at: name.at})
		s.number[name.text] = i
	}
	return i
}

// finish returns the network. Nodes that several switches list are below the first of these that
// has no switches below it, and a switch that joins all blocks is added.
func (s *slurm) finish() (*Network, config.Problems) {
	s.defined()
	taken, twice := map[int]bool{}, 0
	inner := map[int]bool{} // switches with switches below
	for _, l := range s.links {
		inner[l[0]] = inner[l[0]] || !s.devices[l[1]].adapter
	}
	leaves, nodes := tally{}, 0
	for _, l := range s.links {
		if s.devices[l[1]].adapter {
			if taken[l[1]] || inner[l[0]] && s.below(l[1], l[0], inner) {
				twice++
				continue
			}
			taken[l[1]] = true
			nodes++
			leaves[s.devices[l[0]].name]++
		}
		s.wires = append(s.wires, wire{ends: [2]plug{{device: l[0]}, {device: l[1]}}, at: s.above[l]})
	}
	s.reading.understand("%s below %s", humanize.Plural(nodes, "node"),
		humanize.Plural(len(leaves), "switch"))
	if twice > 0 {
		s.reading.ignore("%s of nodes that are also listed below another switch",
			humanize.Plural(twice, "mention"))
	}
	if len(s.blocks) > 1 {
		top := s.device(device{
			id: "between-blocks", name: "between-blocks",
			at: s.devices[s.blocks[len(s.blocks)-1]].at,
		})
		for _, b := range s.blocks {
			s.wires = append(s.wires, wire{ends: [2]plug{{device: top}, {device: b}}, at: s.devices[b].at})
		}
		s.reading.guess("each of %s is one switch, and one more switch joins them: the file does not say how",
			humanize.Plural(len(s.blocks), "block"))
	}
	s.reading.guess("one link between a switch and each switch above it; bandwidths and latencies are those of " +
		"network.link and network.host_link")
	return s.network()
}

// defined fails for switches that another one lists, but that have no record.
func (s *slurm) defined() {
	for i, d := range s.devices {
		if _, own := s.own[i]; !own && !d.adapter && !s.problems.Enough() {
			s.fail(d.at, "names", d.name, "the name of a switch with a record of its own in the file", "")
		}
	}
}

// below reports whether a node is also listed by a switch without switches below it, other than
// one.
func (s *slurm) below(node, other int, inner map[int]bool) bool {
	for key := range s.above {
		if key[1] == node && key[0] != other && !inner[key[0]] {
			return true
		}
	}
	return false
}

// slurmSwitch is a switch with what is below it.
type slurmSwitch struct{ name, switches, nodes string }

// slurmSwitches returns a switch for each router, below the routers that are farther from hosts.
func slurmSwitches(t topology.Topology) []slurmSwitch {
	g := t.Graph()
	level := levels(g)
	nodes := make([][]string, g.Routers)
	seen := map[string]bool{}
	for host := range g.Hosts {
		node, _, _ := strings.Cut(hostName(t, host), "/")
		if !seen[node] {
			seen[node] = true
			nodes[g.HostRouter(host)] = append(nodes[g.HostRouter(host)], slurmName(node))
		}
	}
	list := make([]slurmSwitch, g.Routers)
	for r := range list {
		var below []string
		for p := g.PortBase[r]; p < g.PortBase[r+1]; p++ {
			far := g.PeerRouter(int(p))
			if far < 0 || level[far] >= level[r] {
				continue
			}
			if name := slurmName(t.RouterName(far)); len(below) == 0 || below[len(below)-1] != name {
				below = append(below, name)
			}
		}
		list[r] = slurmSwitch{
			slurmName(t.RouterName(r)), strings.Join(below, ","),
			strings.Join(nodes[r], ","),
		}
	}
	return list
}

// writeSlurm writes a network as topology.conf.
func writeSlurm(w io.Writer, t topology.Topology, _ []Cable) error {
	out := bufio.NewWriter(w)
	for _, s := range slurmSwitches(t) {
		fmt.Fprintf(out, "SwitchName=%s", s.name)
		if s.nodes != "" {
			fmt.Fprintf(out, " Nodes=%s", s.nodes)
		}
		if s.switches != "" {
			fmt.Fprintf(out, " Switches=%s", s.switches)
		}
		fmt.Fprintln(out)
	}
	return out.Flush()
}

// levels returns the distance of each router from the nearest with hosts.
func levels(g *topology.Graph) []int {
	level := make([]int, g.Routers)
	for r := range level {
		level[r] = g.Routers
	}
	var queue []int
	for _, r := range g.HostedRouters() {
		level[r] = 0
		queue = append(queue, int(r))
	}
	for i := 0; i < len(queue); i++ {
		for p := g.PortBase[queue[i]]; p < g.PortBase[queue[i]+1]; p++ {
			if far := g.PeerRouter(int(p)); far >= 0 && level[far] == g.Routers {
				level[far] = level[queue[i]] + 1
				queue = append(queue, far)
			}
		}
	}
	return level
}

// slurmName returns a name without what separates names in topology.conf.
func slurmName(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("[],=#\\ \t\r\n", r) {
			return '_'
		}
		return r
	}, name)
}
