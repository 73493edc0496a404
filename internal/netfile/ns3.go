package netfile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/fields"
	"fabricast/internal/humanize"
	"fabricast/internal/pattern"
	"fabricast/internal/units"
	"fabricast/topology"
)

var _ = register(51, Format{
	Name: "ns3", Summary: "topologies of RDMA simulations on ns-3: HPCC's and SimAI's",
	Endings: []string{".ns3.txt"}, read: readNS3, write: writeNS3, loses: ns3Loses,
	begins: func(text string) bool { return ns3Begins().MatchString(text) },
})

// ns3Begins matches the numbers of nodes, switches and links of HPCC, or those with servers and
// NVSwitches of SimAI, a line with the switches, and a link.
var ns3Begins = pattern.Lazy(
	`^\s*(?:\d+[ \t]+\d+[ \t]+\d+|\d+(?:[ \t]+\d+){4}[ \t]+[A-Za-z]\w*)[ \t]*\r?\n[\d \t]*\r?\n\d+[ \t]+\d+[ \t]+[\d.]+[kKMGT]?bps\b`)

// ns3Reader reads a file of words. Nodes are numbered from 0 on.
type ns3Reader struct {
	*inventory
	words    []word
	end      config.Position
	nodes    int
	isSwitch []bool // by node: it is a switch
	sort     []int  // by node: that of a switch
	links    []ns3Link
	degree   []int // by node: its links
}

// ns3Link is a link as it is read.
type ns3Link struct {
	ends  [2]int
	cable Cable
	at    config.Position
}

// nvSwitch is the sort of the switches within servers.
const nvSwitch = 1

// mostNS3 is the number of nodes at most.
const mostNS3 = topology.MaxHosts

// readNS3 reads a topology. A node with one link is a host. A node with several, such as a GPU with
// links to an NVSwitch and to a switch, is a router with one host.
func readNS3(source *config.Source, _ int) (*Network, config.Problems) {
	r := &ns3Reader{
		inventory: newInventory(source, "ns3"),
		end:       config.Position{Line: 1, Column: 1, Width: 1},
	}
	head, n := "", 0
	for line := range strings.Lines(source.Text) {
		n++
		if head == "" {
			head = line
		}
		for _, w := range fields.Append(nil, strings.TrimRight(line, "\r\n")) {
			at := config.Position{Line: n, Column: w.Column, Width: w.Width()}
			r.words, r.end = append(r.words, word{w.Text, at}), at
		}
	}
	switches, links, above := r.head(len(strings.Fields(head)))
	if r.problems.Count() > 0 {
		return nil, r.problems.Problems()
	}
	r.readSwitches(switches, above)
	r.readLinks(links)
	r.surplus(links)
	if r.problems.Count() > 0 {
		return nil, r.problems.Problems()
	}
	r.build()
	return r.network()
}

// surplus reports words after the links. ns-3 does not read them, either.
func (r *ns3Reader) surplus(links int) {
	if len(r.words) == 0 || r.problems.Count() > 0 {
		return
	}
	const each = 5 // words of a link
	first := r.words[0].at.Line
	r.reading.find(Surplus, first, "%s after the %s of line 1, which ns-3 does not read: no part of the network",
		humanize.Plural(len(r.words)/each, "link"), humanize.Plural(links, "link"))
	r.reading.ignore("what follows from line %d on, after the %s of line 1", first, humanize.Plural(links, "link"))
}

// here returns where the next word is, or the last one at the end of the file.
func (r *ns3Reader) here() config.Position {
	if len(r.words) == 0 {
		return r.end
	}
	return r.words[0].at
}

// take returns the next word; with a text of "" at the end of the file.
func (r *ns3Reader) take() word {
	if len(r.words) == 0 {
		return word{"", r.here()}
	}
	w := r.words[0]
	r.words = r.words[1:]
	return w
}

// number takes the next word, a number from 0 to most. what is what it says. After a problem it
// returns 0, as it is not known what the words that follow mean.
func (r *ns3Reader) number(what string, most int) int { return r.between(what, 0, most) }

// between is number, of a number that is at least least.
func (r *ns3Reader) between(what string, least, most int) int {
	if r.problems.Count() > 0 {
		return 0
	}
	w := r.take()
	n, err := strconv.Atoi(w.text)
	if err == nil && n >= least && n <= most {
		return n
	}
	found := w.text
	if found == "" {
		found = "the end of the file"
	}
	r.fail(w.at, what, found, fmt.Sprintf("a number from %d to %d", least, most), "")
	return 0
}

// head reads the first line, of 3 numbers (HPCC), or of 5 and the kind of GPU (SimAI). It returns
// the number of switches, of links, and of the NVSwitches that come first among the switches.
func (r *ns3Reader) head(words int) (switches, links, first int) {
	r.nodes = r.between("nodes", 1, mostNS3)
	if words != 6 {
		return r.number("switches", r.nodes), r.number("links", mostLinks), 0
	}
	server := r.number("GPUs of a server", r.nodes)
	first = r.number("NVSwitches", r.nodes)
	switches = first + r.number("switches", r.nodes)
	links = r.number("links", mostLinks)
	gpu := r.take()
	r.reading.understand("servers with %s of kind %s", humanize.Plural(server, "GPU"), gpu.text)
	return switches, links, first
}

// readSwitches reads the numbers of the switches. The first of them are NVSwitches.
func (r *ns3Reader) readSwitches(count, first int) {
	r.isSwitch, r.degree, r.sort = make([]bool, r.nodes), make([]int, r.nodes), make([]int, r.nodes)
	for i := range count {
		at := r.here()
		n := r.number("switch", r.nodes-1)
		if r.problems.Count() > 0 {
			return
		}
		if r.isSwitch[n] {
			r.fail(at, "switch", fmt.Sprint(n, " a second time"), "the number of another node", "")
			return
		}
		r.isSwitch[n] = true
		if i < first {
			r.sort[n] = nvSwitch
		}
	}
	if first > 0 {
		r.reading.understand("%s, and %s besides", humanize.Plural(first, "NVSwitch"),
			humanize.Plural(count-first, "switch"))
	}
}

// readLinks reads the links: two nodes, rate, delay and rate of errors.
func (r *ns3Reader) readLinks(count int) {
	lossy := 0
	for range count {
		if r.problems.Count() > 0 {
			return
		}
		l := ns3Link{at: r.here()}
		l.ends = [2]int{r.number("link", r.nodes-1), r.number("link", r.nodes-1)}
		if r.problems.Count() > 0 {
			return
		}
		rate, delay, lost := r.take(), r.take(), r.take()
		l.cable.Bandwidth, l.cable.Latency = r.rate(rate.at, rate.text), r.time(delay.at, delay.text)
		if share, err := strconv.ParseFloat(lost.text, 64); err != nil || !(share >= 0 && share <= 1) {
			r.fail(lost.at, "rate of errors", lost.text, "a number from 0 to 1", "")
		} else if share > 0 {
			lossy++
		}
		for _, n := range l.ends {
			r.degree[n]++
		}
		r.links = append(r.links, l)
	}
	if lossy > 0 {
		r.reading.ignore("the rate of errors of %s", humanize.Plural(lossy, "link"))
	}
}

// build makes devices of the nodes and wires of the links. Switches and nodes with several links
// become routers, in the order of their numbers.
func (r *ns3Reader) build() {
	at := config.Position{Line: 1, Column: 1, Width: 1}
	devices, router := make([]int, r.nodes), make([]bool, r.nodes)
	several := 0
	rates := make([]units.Rate, r.nodes) // of all links of a node
	for _, l := range r.links {
		for _, n := range l.ends {
			rates[n] += *l.cable.Bandwidth
		}
	}
	for n := range devices {
		name := strconv.Itoa(n)
		router[n] = r.isSwitch[n] || r.degree[n] > 1
		devices[n] = r.device(device{id: name, name: name, adapter: !router[n], sort: r.sort[n], at: at})
	}
	order := slices.Clone(r.links)
	slices.SortStableFunc(order, func(a, b ns3Link) int { return r.hostOf(a) - r.hostOf(b) })
	for _, l := range order {
		r.wires = append(r.wires, wire{
			ends: [2]plug{{device: devices[l.ends[0]]}, {device: devices[l.ends[1]]}}, cable: l.cable,
			at: l.at,
		})
	}
	for n := range devices {
		if router[n] && !r.isSwitch[n] {
			several++
			r.own(n, devices[n], rates[n], at)
		}
	}
	if several > 0 {
		r.reading.guess("%s with several links: each is a switch with one host, whose link is as fast as all of these, "+
			"so that packets may pass through it", humanize.Plural(several, "node"))
	}
	r.numbers(router)
}

// hostOf returns the node of a link that is a host with this link alone, or else the number of
// nodes.
func (r *ns3Reader) hostOf(l ns3Link) int {
	for _, n := range l.ends {
		if !r.isSwitch[n] && r.degree[n] == 1 {
			return n
		}
	}
	return r.nodes
}

// own gives a node that is a router a host of its own, with a link of a rate.
func (r *ns3Reader) own(n, router int, rate units.Rate, at config.Position) {
	name := strconv.Itoa(n)
	host := r.device(device{id: name, name: name, adapter: true, at: at})
	r.wires = append(r.wires, wire{
		ends: [2]plug{{device: router}, {device: host}}, cable: Cable{Bandwidth: &rate}, at: at,
	})
}

// numbers says whether hosts have other numbers than their nodes: they are counted switch by
// switch.
func (r *ns3Reader) numbers(router []bool) {
	var nodes []int
	at := make(map[int][]int) // by router: the nodes of its hosts
	for n := range router {
		if router[n] && !r.isSwitch[n] {
			at[n] = append(at[n], n)
		}
	}
	for _, l := range r.links {
		if n := r.hostOf(l); n < r.nodes {
			far := l.ends[0] + l.ends[1] - n
			at[far] = append(at[far], n)
		}
	}
	for n := range router {
		slices.Sort(at[n])
		nodes = append(nodes, at[n]...)
	}
	for host, n := range nodes {
		if host != n {
			r.reading.guess("hosts are counted switch by switch: host %d is node %d", host, n)
			return
		}
	}
}
