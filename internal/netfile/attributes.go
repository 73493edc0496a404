package netfile

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/humanize"
	"fabricast/internal/pattern"
	"fabricast/internal/units"
	"fabricast/topology"
)

// attribute is a named property of a node or link.
type attribute struct {
	name, text string
	at         config.Position
}

// attributed builds a network from a graph whose nodes and links have attributes. GraphML and the
// formats of NetworkX share it. A node is a router, or a host if an attribute says so.
type attributed struct {
	*collector
	named   map[string]string // router's name by the node's identifier
	taken   map[string]string // identifier by the attribute "name"
	isHost  map[string]string // name of a host by the node's identifier
	joins   []hostJoin
	sides   map[[2]string]int // links of hosts that lead one way, by the identifiers of their ends
	roles   tally             // values that tell hosts from routers
	unknown tally             // attributes of nodes without influence
	unread  tally             // the same of links
	byUnit  tally             // attributes of links that name their unit
	oneWay  bool              // links lead one way
}

// hostJoin is a link between a node that is a host and a router.
type hostJoin struct {
	host   string // identifier
	router string
	cable  Cable
	at     config.Position
}

func newAttributed(source *config.Source, format string) *attributed {
	g := &attributed{
		collector: newCollector(source), named: map[string]string{}, taken: map[string]string{},
		isHost: map[string]string{}, sides: map[[2]string]int{}, roles: tally{}, unknown: tally{},
		unread: tally{}, byUnit: tally{},
	}
	g.reading.Format = format
	return g
}

// sstHosts is what SST's AnyTopo calls the number of hosts of a router.
const sstHosts = "endpoints"

// roleNames are the attributes that may say whether a node is a host.
var roleNames = []string{"type", "role", "kind", "node_type", "device_type"}

// hostRoles are the values of such attributes that mean a host.
var hostRoles = []string{
	"host", "server", "compute", "endpoint", "terminal", "nic", "hca", "gpu",
	"xpu", "npu",
}

// node adds a node.
func (g *attributed) node(at config.Position, id string, list []attribute) {
	_, again := g.named[id]
	if _, host := g.isHost[id]; again || host || id == "" {
		g.fail(at, "node", fmt.Sprintf("node %q a second time", id),
			"an identifier of its own for each node", "")
		return
	}
	var name, label, hosts, hostNames *attribute
	host := false
	for i := range list {
		switch a := &list[i]; {
		case a.name == "name":
			name = a
		case a.name == "label":
			label = a
		case a.name == "hosts" || a.name == sstHosts && hosts == nil:
			hosts = a
		case a.name == "host_names":
			hostNames = a
		case slices.Contains(roleNames, strings.ToLower(a.name)):
			g.roles[a.name+"="+a.text]++
			host = host || slices.Contains(hostRoles, strings.ToLower(a.text))
		default:
			g.unknown[a.name]++
		}
	}
	if host {
		g.isHost[id] = firstText(id, name, label)
		return
	}
	r := g.addRouter(at, id, name, label)
	if hosts != nil {
		if g.hostsOf(r, spread(hosts.at, hosts.text)); hosts.text == "" {
			g.count(hosts.at, hosts.text)
		}
	}
	if hostNames != nil {
		g.namesOf(hostNames.at, r, strings.Fields(hostNames.text))
	}
}

// firstText returns the text of the first attribute that has one, or else the identifier.
func firstText(id string, list ...*attribute) string {
	for _, a := range list {
		if a != nil && a.text != "" {
			return a.text
		}
	}
	return id
}

// addRouter adds a router under a name of its own.
func (g *attributed) addRouter(at config.Position, id string, name, label *attribute) int {
	text := firstText(id, name, label)
	own := name != nil && name.text != ""
	if other, twice := g.taken[text]; own && twice {
		g.fail(
			at, "name", fmt.Sprintf("%q a second time", text), "a name of its own for each node",
			fmt.Sprintf("it is that of node %q too; attributes \"label\" may be alike", other),
		)
	} else if own {
		g.taken[text] = id
	}
	for _, taken := g.number[text]; taken; _, taken = g.number[text] {
		text += "/" + id // labels need not be unique, identifiers are
	}
	g.named[id] = text
	return g.router(at, text)
}

// edge adds a link between two nodes, which leads both ways or only from a to b. Links of hosts
// lead both ways.
func (g *attributed) edge(at config.Position, a, b string, oneWay bool, list []attribute) {
	class, cable := g.attributesOf(list)
	hostA, isA := g.isHost[a]
	hostB, isB := g.isHost[b]
	if oneWay && (isA || isB) {
		g.sides[[2]string{a, b}]++
		if g.sides[[2]string{a, b}] <= g.sides[[2]string{b, a}] {
			return // the other way of a link
		}
	}
	switch {
	case isA && isB:
		g.reading.ignore("line %d: the link between the hosts %s and %s, which no router joins", at.Line,
			hostA, hostB)
	case isA:
		g.joins = append(g.joins, hostJoin{a, g.named[b], cable, at})
	case isB:
		g.joins = append(g.joins, hostJoin{b, g.named[a], cable, at})
	case oneWay:
		g.collector.directed(at, g.named[a], g.named[b], class, cable)
	default:
		g.link(at, g.named[a], g.named[b], class, cable)
	}
}

// known reports whether an identifier is that of a node.
func (g *attributed) known(id string) bool {
	_, router := g.named[id]
	_, host := g.isHost[id]
	return router || host
}

// attributesOf reads the attributes of a link.
func (g *attributed) attributesOf(list []attribute) (class string, cable Cable) {
	rest := g.reads(list, &class, &cable)
	for _, a := range rest {
		switch q, factor := unitOf(a.name); {
		case q == rateQuantity && cable.Bandwidth == nil:
			g.byUnit[a.name]++
			if v, ok := g.scaled(a, "bandwidth", factor); ok {
				rate := units.Rate(v)
				cable.Bandwidth = &rate
			}
		case q == timeQuantity && cable.Latency == nil:
			g.byUnit[a.name]++
			if v, ok := g.scaled(a, "latency", factor); ok {
				time := units.Time(v)
				cable.Latency = &time
			}
		default:
			g.unread[a.name]++
			if !slices.Contains(g.collector.unread, a.name) {
				g.collector.unread = append(g.collector.unread, a.name)
			}
		}
	}
	return class, cable
}

// reads reads the attributes whose values have units, and returns the others.
func (g *attributed) reads(list []attribute, class *string, cable *Cable) (rest []attribute) {
	for _, a := range list {
		switch a.name {
		case "class":
			if *class = a.text; topology.OfHosts(a.text) {
				g.fail(a.at, "class", a.text, "another name: this is what links of hosts are called", "")
			}
		case "bandwidth":
			cable.Bandwidth = g.rate(a.at, a.text)
		case "latency":
			cable.Latency = g.time(a.at, a.text)
		default:
			rest = append(rest, a)
		}
	}
	return rest
}

// Quantities that attributes may have.
const (
	noQuantity = iota
	rateQuantity
	timeQuantity
)

// Names of attributes that end with the unit of their values.
var (
	rateName = pattern.Lazy(`^(?i:bandwidth|bw|capacity|speed|link_?speed|rate|data_?rate)[_ .-]?(?i:([kmgt]?)(?:(?-i:(b|B))(?i:ps|/s)|(bits?|bytes?)(?:ps|/s|_per_s(?:ec|econd)?)))$`)
	timeName = pattern.Lazy(`^(?i:latency|delay|link_?delay|propagation_?delay)[_ .-]?(?i:(ps|ns|us|ms|s))$`)
)

// unitOf returns the quantity and unit of an attribute by its name. Its values times the factor are
// bytes in a second, or picoseconds.
func unitOf(name string) (quantity int, factor *big.Rat) {
	if name == "LinkSpeedRaw" { // of the Topology Zoo: bits in a second
		return rateQuantity, big.NewRat(1, 8)
	}
	if m := rateName().FindStringSubmatch(name); m != nil {
		thousands := strings.Index(" kmgt", strings.ToLower(m[1])) // 0 without a prefix
		f := big.NewRat(1, 8)
		if m[2] == "B" || strings.HasPrefix(strings.ToLower(m[3]), "byte") {
			f = big.NewRat(1, 1)
		}
		for range thousands {
			f.Mul(f, big.NewRat(1000, 1))
		}
		return rateQuantity, f
	}
	if m := timeName().FindStringSubmatch(name); m != nil {
		exponents := map[string]int64{"ps": 1, "ns": 1e3, "us": 1e6, "ms": 1e9, "s": 1e12}
		return timeQuantity, big.NewRat(exponents[strings.ToLower(m[1])], 1)
	}
	return noQuantity, nil
}

// plainNumber matches a number that is not so large that arithmetic with it takes long.
var plainNumber = pattern.Lazy(`^\d{1,18}(\.\d{0,12})?([eE][+-]?\d{1,2})?$`)

// scaled returns the value of an attribute times a factor, rounded down.
func (g *collector) scaled(a attribute, field string, factor *big.Rat) (int64, bool) {
	least := "from 0"
	if field == "bandwidth" {
		least = "above 0"
	}
	value, ok := new(big.Rat), plainNumber().MatchString(a.text)
	if ok {
		value, ok = value.SetString(a.text)
	}
	if ok {
		value.Mul(value, factor)
		whole := new(big.Int).Quo(value.Num(), value.Denom())
		const most = 1 << 60
		if n := whole.Int64(); whole.IsInt64() && n < most && (n > 0 || field != "bandwidth") {
			return n, true
		}
	}
	g.fail(a.at, field, a.name+" "+a.text,
		"a number "+least+" in the unit of the attribute's name", "")
	return 0, false
}

// finish returns the network. hosts is the number of hosts of routers for which the file says
// nothing.
func (g *attributed) finish(hosts int) (*Network, config.Problems) {
	if len(g.isHost) > 0 {
		hosts = 0
		g.placeHosts()
	}
	g.report(hosts)
	return g.network(hosts, false)
}

// report says what was guessed and ignored. hosts is the number of hosts of routers for which the file says
// nothing.
func (g *attributed) report(hosts int) {
	for _, part := range []struct {
		what string
		list tally
	}{{"attributes of nodes", g.unknown}, {"attributes of links", g.unread}} {
		if len(part.list) > 0 {
			g.reading.ignore("%s: %s", part.what, part.list.list())
		}
	}
	if len(g.byUnit) > 0 {
		g.reading.guess("units by the names of attributes: %s", g.byUnit.list())
	}
	if len(g.roles) > 0 {
		g.reading.guess("%s: %s of these nodes are hosts", g.roles.list(), humanize.Count(len(g.isHost)))
	}
	g.reportDefaults(hosts)
}

// reportDefaults says what the experiment decides because the file does not.
func (g *attributed) reportDefaults(hosts int) {
	silent := 0
	for _, n := range g.hosts {
		if n < 0 {
			silent++
		}
	}
	if silent > 0 && len(g.isHost) == 0 {
		g.reading.guess("%s without a number of hosts: topology.hosts for each, here %d",
			humanize.Plural(silent, "switch"), hosts)
	}
	noRate, noTime := 0, 0
	for _, e := range g.edges {
		c := Cable{}
		if i := int(e.Class) - 2; i >= 0 {
			c = g.cables[i]
		}
		if c.Bandwidth == nil {
			noRate++
		}
		if c.Latency == nil {
			noTime++
		}
	}
	if noRate > 0 {
		g.reading.guess("%s without a bandwidth: that of network.link", humanize.Plural(noRate, "link"))
	}
	if noTime > 0 {
		g.reading.guess("%s without a latency: that of network.link", humanize.Plural(noTime, "link"))
	}
}

// placeHosts adds the nodes that are hosts to the routers that they are linked to: a host for each
// link.
func (g *attributed) placeHosts() {
	links := tally{}
	for _, j := range g.joins {
		links[j.host]++
	}
	next := tally{}
	for _, j := range g.joins {
		r := g.router(j.at, j.router)
		if given := g.hosts[r]; given > 0 && (r >= len(g.hostNames) || g.hostNames[r] == nil) {
			g.fail(j.at, "hosts", fmt.Sprintf("a link to host %s, and a number of hosts of router %s", g.isHost[j.host], j.router),
				"one of them", "")
			return
		}
		name := g.isHost[j.host]
		if next[j.host]++; links[j.host] > 1 {
			name += "/" + fmt.Sprint(next[j.host])
		}
		class := topology.LinkHost
		if label := j.cable.Label(); label != "" {
			class, _ = g.kind(j.at, topology.HostLinks+"/"+label, j.cable)
		}
		g.host(r, name, class)
	}
	if alone := len(g.isHost) - len(links); alone > 0 {
		g.reading.ignore("%s without a link to a router", humanize.Plural(alone, "host"))
	}
}
