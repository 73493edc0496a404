package netfile

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/humanize"
	"fabricast/internal/units"
	"fabricast/topology"
)

// collector builds a network from routers and links as they are read.
type collector struct {
	source   *config.Source
	problems config.First
	number   map[string]int
	names    []string
	hosts    []int               // by router; -1 if not given
	joined   map[int][]hostGroup // by router: hosts whose links the file describes
	lines    []int32             // by router: the line that names it first
	edges    []topology.Edge
	oneWay   map[topology.Edge][]int // links that lead one way, by ends and class: their indices in edges
	classes  map[cableKey]uint16
	kinds    map[string]int // by name of a class: number of different cables in it
	labels   []string
	cables   []Cable
	unread   []string // see Network

	hostNames [][]string // by router: names of its hosts, in order; empty if they have none
	known     topology.Labels
	edgeLines []int32 // by link: its line; empty if unknown
	sorts     []int   // by router: sort of switch; empty if all are of one
	reading   Reading
}

// cableKey is a Cable with the name of its class, as the key of a map; -1 for values that are not
// given.
type cableKey struct {
	class     string
	bandwidth units.Rate
	latency   units.Time
}

func newCollector(source *config.Source) *collector {
	return &collector{
		source: source, number: map[string]int{}, kinds: map[string]int{}, joined: map[int][]hostGroup{},
		oneWay:  map[topology.Edge][]int{},
		classes: map[cableKey]uint16{{"", -1, -1}: topology.LinkRouter},
	}
}

func (c *collector) fail(at config.Position, field, found, expected, hint string) {
	at.Source = c.source
	c.problems.Add(config.Problem{Position: at, Field: field, Found: found, Expected: expected, Hint: hint})
}

// router returns the number of a router that a place names. It adds the router if its name is new.
func (c *collector) router(at config.Position, name string) int {
	n, ok := c.number[name]
	if !ok {
		n = len(c.names)
		c.number[name] = n
		c.names = append(c.names, name)
		c.hosts = append(c.hosts, -1)
		c.lines = append(c.lines, int32(at.Line))
	}
	return n
}

// host adds a named host to a router, with the class of its link.
func (c *collector) host(router int, name string, class uint16) {
	for len(c.hostNames) <= router {
		c.hostNames = append(c.hostNames, nil)
	}
	c.hostNames[router] = append(c.hostNames[router], name)
	c.hosts[router] = len(c.hostNames[router])
	c.joined[router] = append(c.joined[router], hostGroup{1, class})
}

// namesOf names the hosts of a router, whose number must be known or is that of the names.
func (c *collector) namesOf(at config.Position, router int, names []string) {
	if c.hosts[router] < 0 {
		c.hosts[router] = len(names)
	}
	if len(names) != c.hosts[router] {
		c.fail(at, "host_names", fmt.Sprintf("%d names", len(names)), fmt.Sprintf("one for each of %d hosts", c.hosts[router]), "")
		return
	}
	for len(c.hostNames) <= router {
		c.hostNames = append(c.hostNames, nil)
	}
	c.hostNames[router] = names
}

// link adds a link between two routers. A link without a class belongs to the class of its
// bandwidth and latency.
func (c *collector) link(at config.Position, a, b, class string, cable Cable) {
	if a == b {
		c.fail(at, "link", "a link from "+a+" to itself", "a link between two routers", "")
		return
	}
	if class == "" || class == "link" { // which is what links without a class are called
		class = cable.Label()
	}
	if number, ok := c.kind(at, class, cable); ok {
		c.edges = append(c.edges, topology.Edge{A: c.router(at, a), B: c.router(at, b), Class: number})
	}
}

// directed adds a link that leads from a to b only. With an equal one from b to a, it is one link that leads
// both ways.
func (c *collector) directed(at config.Position, a, b, class string, cable Cable) {
	last := len(c.edges)
	if c.link(at, a, b, class, cable); len(c.edges) == last {
		return
	}
	e := c.edges[last]
	back := topology.Edge{A: e.B, B: e.A, Class: e.Class}
	if open := c.oneWay[back]; len(open) > 0 {
		c.edges[open[0]].OneWay = false
		c.oneWay[back] = open[1:]
		c.edges = c.edges[:last]
		return
	}
	c.edges[last].OneWay = true
	c.oneWay[e] = append(c.oneWay[e], last)
}

// kind returns the number of the class of links with a name and the values of a cable. It adds the
// class if it is new. It reports false if there are too many.
func (c *collector) kind(at config.Position, class string, cable Cable) (number uint16, ok bool) {
	key := cableKey{class, -1, -1}
	if cable.Bandwidth != nil {
		key.bandwidth = *cable.Bandwidth
	}
	if cable.Latency != nil {
		key.latency = *cable.Latency
	}
	if number, ok = c.classes[key]; !ok {
		if len(c.cables) > math.MaxUint16-3 {
			c.fail(
				at, "link", "one more kind of link",
				fmt.Sprintf("at most %d pairs of bandwidth and latency", len(c.cables)), "",
			)
			return 0, false
		}
		number = uint16(len(c.cables)) + topology.LinkHost + 1
		c.classes[key] = number
		c.kinds[class]++
		c.cables = append(c.cables, cable)
		c.labels = append(c.labels, class)
	}
	return number, true
}

// name names the classes. If cables of a class differ, each kind becomes a part of the class, as in
// "global/8GBps 100ns", so that the class's name stands for all of them.
func (c *collector) name() {
	taken := map[string]bool{}
	for i, class := range c.labels {
		if label := c.cables[i].Label(); c.kinds[class] > 1 && label != "" {
			c.labels[i] = class + "/" + label
		}
		for taken[c.labels[i]] { // another class may be called like such a part
			c.labels[i] += "'"
		}
		taken[c.labels[i]] = true
	}
}

// Label returns the name of the class of a cable by its values, as in "8GBps 100ns".
func (c Cable) Label() string {
	var parts []string
	if c.Bandwidth != nil {
		parts = append(parts, strings.ReplaceAll(c.Bandwidth.String(), "/s", "ps"))
	}
	if c.Latency != nil {
		parts = append(parts, c.Latency.String())
	}
	return strings.Join(parts, " ")
}

// rate parses a bandwidth, which must be above 0; nil if it is invalid.
func (c *collector) rate(at config.Position, text string) *units.Rate {
	r := new(units.Rate)
	if !c.quantity(at, "bandwidth", text, r) {
		return nil
	}
	if *r <= 0 {
		c.fail(at, "bandwidth", text, "a rate above 0", "")
	}
	return r
}

// time parses a latency; nil if it is invalid.
func (c *collector) time(at config.Position, text string) *units.Time {
	t := new(units.Time)
	if !c.quantity(at, "latency", text, t) {
		return nil
	}
	return t
}

func (c *collector) quantity(at config.Position, field, text string, into config.Setter) bool {
	err := into.Set(text)
	if err == nil {
		return true
	}
	expected, hint := err.Error(), ""
	if u := (*units.Error)(nil); errors.As(err, &u) {
		expected, hint = u.Expected, u.Hint
	}
	c.fail(at, field, text, expected, hint)
	return false
}

// count parses a number of hosts.
func (c *collector) count(at config.Position, text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > topology.MaxHosts {
		c.fail(at, "hosts", text, fmt.Sprintf("a number of hosts, up to %d", topology.MaxHosts), "")
	}
	return n
}

// network returns the complete network. hosts is the number of hosts of routers that do not give
// theirs. If byNumber is true, and all names of routers are numbers, the routers are sorted by
// these.
func (c *collector) network(hosts int, byNumber bool) (*Network, config.Problems) {
	if len(c.names) == 0 && c.problems.Count() == 0 {
		c.fail(config.Position{Line: 1, Column: 1, Width: 1}, "", "no routers", "a link or a router", "")
	}
	if c.problems.Count() > 0 {
		return nil, c.problems.Problems()
	}
	for i := range c.hosts {
		if c.hosts[i] < 0 {
			c.hosts[i] = hosts
		}
	}
	if byNumber {
		c.sort()
	}
	c.name()
	single := 0
	for _, e := range c.edges {
		if e.OneWay {
			single++
		}
	}
	if single > 0 {
		c.reading.understand("%s one way", humanize.Plural(single, "link"))
	}
	spec := topology.IrregularSpec{Names: c.names, Hosts: c.hosts, Edges: c.edges, Classes: c.labels}
	if len(c.joined) > 0 && spec.Size().Hosts <= topology.MaxHosts {
		spec.HostClasses = c.hostClasses()
	}
	c.nameHosts(&spec)
	for _, m := range spec.Check() {
		c.fail(config.Position{Line: 1, Column: 1, Width: 1}, m.Field, m.Found, m.Expected, m.Hint)
	}
	n := &Network{
		Spec: spec, Cables: c.cables, Unread: c.unread, Reading: c.reading, path: c.source.Name, lines: c.lines,
		edgeLines: c.edgeLines, sorts: c.sorts,
	}
	return n, c.problems.Problems()
}

// nameHosts sets the names of the hosts, if any has one, and the labels.
func (c *collector) nameHosts(spec *topology.IrregularSpec) {
	if len(c.hostNames) == 0 {
		return
	}
	for r, hosts := range spec.Hosts {
		var names []string
		if r < len(c.hostNames) {
			names = c.hostNames[r]
		}
		for i := range min(hosts, topology.MaxHosts) {
			name := ""
			if i < len(names) {
				name = names[i]
			}
			spec.HostNames = append(spec.HostNames, name)
		}
	}
	if len(c.known.Routers) > 0 {
		spec.Labels = &c.known
	}
}

// sort renumbers the routers by their names if all of these are numbers.
func (c *collector) sort() {
	value := make([]int, len(c.names))
	order := make([]int, len(c.names))
	for i, name := range c.names {
		n, err := strconv.Atoi(name)
		if err != nil {
			return
		}
		value[i], order[i] = n, i
	}
	slices.SortStableFunc(order, func(a, b int) int { return value[a] - value[b] })
	names, hosts, place := make([]string, len(order)), make([]int, len(order)), make([]int, len(order))
	lines := make([]int32, len(order))
	for to, from := range order {
		names[to], hosts[to], lines[to], place[from] = c.names[from], c.hosts[from], c.lines[from], to
	}
	c.names, c.hosts, c.lines = names, hosts, lines
	joined := make(map[int][]hostGroup, len(c.joined))
	for from, groups := range c.joined {
		joined[place[from]] = groups
	}
	c.joined = joined
	hostNames := make([][]string, 0, len(place))
	for _, from := range order {
		if from < len(c.hostNames) {
			hostNames = append(hostNames, c.hostNames[from])
		} else if len(c.hostNames) > 0 {
			hostNames = append(hostNames, nil)
		}
	}
	c.hostNames = hostNames
	for i, e := range c.edges {
		c.edges[i].A, c.edges[i].B = place[e.A], place[e.B]
	}
}
