package netfile

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/humanize"
	"fabricast/internal/pattern"
	"fabricast/internal/units"
	"fabricast/topology"
)

var _ = register(60, Format{
	Name:    "infragraph",
	Summary: "InfraGraph YAML (Keysight): devices, instances, and the edges between these",
	Endings: []string{".infragraph.yaml"}, read: readInfraGraph, write: writeInfraGraph,
	loses:  "names of routers and hosts, one-way links, and names of classes",
	begins: func(text string) bool { return infraBegins().MatchString(text) && !experimentYAML().MatchString(text) },
})

// Beginnings of an infrastructure, and what only an experiment has.
var (
	infraBegins    = pattern.Lazy(`(?m)^(?:infrastructure:|devices?:|instances:)[ \t]*$`)
	experimentYAML = pattern.Lazy(`(?m)^(?:network|workload|traffic|base):`)
)

// infraReader reads an infrastructure: instances of devices, each with components such as nic and
// port, and edges between components of instances.
type infraReader struct {
	*inventory
	kinds     map[string]infraDevice // by name of the device
	instances map[string]infraInstance
	links     map[string]Cable
	number    map[string]int // device of the inventory by instance and index
	roles     map[int]bool   // whether a device of unknown kind was cabled at a port
	ignored   tally
	edges     int
}

// infraDevice is what the reader needs of a device.
type infraDevice struct {
	components map[string]int // their numbers
	nested     map[string]string
	host       bool
}

// infraInstance is a number of equal devices.
type infraInstance struct {
	device string
	count  int
	known  bool // the file gives the device and the number
}

// infraFields are the fields of a file.
var infraFields = []string{
	"device", "devices", "instances", "links", "edges", "connections", "name", "description",
}

func readInfraGraph(source *config.Source, _ int) (*Network, config.Problems) {
	r := &infraReader{
		inventory: newInventory(source, "infragraph"), kinds: map[string]infraDevice{},
		instances: map[string]infraInstance{}, links: map[string]Cable{}, number: map[string]int{},
		roles: map[int]bool{}, ignored: tally{},
	}
	root, problems := readYAML(source)
	if len(problems) > 0 {
		return nil, problems
	}
	if inner := fieldOf(root, "infrastructure"); inner != nil {
		root = inner
	}
	for _, d := range itemsOf(fieldOf(root, "devices")) {
		r.kind(d)
	}
	for _, i := range itemsOf(fieldOf(root, "instances")) {
		r.instance(i)
	}
	for _, l := range itemsOf(fieldOf(root, "links")) {
		r.link(l)
	}
	for _, e := range itemsOf(fieldOf(root, "edges")) {
		r.edge(e)
	}
	for _, c := range itemsOf(fieldOf(root, "connections")) {
		r.connection(c)
	}
	if r.edges == 0 && r.problems.Count() == 0 {
		r.fail(root.Position, "edges", "none",
			"edges between instances, of which the network consists", "a device alone is no network")
	}
	for _, f := range root.Fields {
		if !slices.Contains(infraFields, f.Key) {
			r.ignored[f.Key]++
		}
	}
	r.guessKinds()
	if len(r.ignored) > 0 {
		r.reading.ignore("%s", r.ignored.list())
	}
	return r.network()
}

// kind reads a device. It is a host if it has accelerators, or processors and no switch.
func (r *infraReader) kind(d *config.Node) {
	name := textOf(fieldOf(d, "name"))
	if name == "" {
		r.fail(d.Position, "devices", "a device without a name", "its name", "")
		return
	}
	k := infraDevice{components: map[string]int{}, nested: map[string]string{}}
	processor, isSwitch := false, false
	for _, c := range itemsOf(fieldOf(d, "components")) {
		r.ignored.unread(c, "component ", "name", "count", "choice", "type")
		component := textOf(fieldOf(c, "name"))
		k.components[component] = r.count(fieldOf(c, "count"))
		switch textOf(fieldOf(c, "choice", "type")) {
		case "xpu", "npu", "gpu":
			k.host = true
		case "cpu":
			processor = true
		case "switch":
			isSwitch = true
		case "device":
			k.nested[component] = component
		}
	}
	k.host = k.host || processor && !isSwitch
	r.ignored.unread(d, "device ", "name", "components", "edges", "connections", "links")
	r.kinds[name] = k
	if n := len(itemsOf(fieldOf(d, "edges", "connections"))); n > 0 {
		r.ignored["links within devices"] += n
	}
}

// count reads a number of devices or components; 1 if it is not given.
func (r *infraReader) count(n *config.Node) int {
	if n == nil {
		return 1
	}
	v, err := strconv.Atoi(textOf(n))
	if err != nil || v < 0 || v > mostInstances {
		r.fail(n.Position, "count", textOf(n), fmt.Sprintf("a number up to %d", mostInstances), "")
		return 1
	}
	return v
}

// mostInstances limits the number of devices of an instance, and of the ends of an edge.
const mostInstances = 1 << 20

func (r *infraReader) instance(i *config.Node) {
	name, device := textOf(fieldOf(i, "name")), textOf(fieldOf(i, "device"))
	if name == "" || device == "" {
		r.fail(i.Position, "instances", "an instance without name or device", "both", "")
		return
	}
	r.ignored.unread(i, "instance ", "name", "device", "count")
	r.instances[name] = infraInstance{device, r.count(fieldOf(i, "count")), true}
}

// link reads a kind of link, with its bandwidth and latency.
func (r *infraReader) link(l *config.Node) {
	physical, own := l, []string{"name", "physical", "bandwidth", "latency"}
	if p := fieldOf(l, "physical"); p != nil {
		physical, own = p, own[:2]
		r.ignored.unread(p, "link ", "bandwidth", "latency")
	}
	r.ignored.unread(l, "link ", own...)
	var c Cable
	if b := fieldOf(physical, "bandwidth"); b != nil {
		for _, f := range b.Fields {
			switch factor := infraRate(f.Key); {
			case f.Key == "choice":
			case factor == nil:
				r.ignored["bandwidth in "+f.Key]++
			default:
				if v, ok := r.scaled(attribute{f.Key, textOf(f.Value), f.Value.Position}, "bandwidth",
					factor); ok {
					rate := units.Rate(v)
					c.Bandwidth = &rate
				}
			}
		}
	}
	if t := fieldOf(physical, "latency"); t != nil {
		for _, f := range t.Fields {
			_, factor := unitOf("latency_" + f.Key)
			if factor == nil && f.Key != "choice" {
				r.ignored["latency in "+f.Key]++
			}
			if factor != nil {
				if v, ok := r.scaled(attribute{f.Key, textOf(f.Value), f.Value.Position}, "latency",
					factor); ok {
					time := units.Time(v)
					c.Latency = &time
				}
			}
		}
	}
	r.links[textOf(fieldOf(l, "name"))] = c
}

// infraRate returns the factor from a unit such as gigabits_per_second to bytes in a second; nil
// for others.
func infraRate(unit string) *big.Rat {
	switch strings.NewReplacer("_", "", "giga", "g").Replace(unit) {
	case "gbitspersecond":
		return big.NewRat(1e9, 8)
	case "gbytespersecond":
		return big.NewRat(1e9, 1)
	}
	return nil
}

// infraEnd is a component of a device.
type infraEnd struct {
	instance  string // with its index, such as leaf.0
	component string // such as port.3
	kind      string // name of the instance
	at        config.Position
}

// edge reads an edge, which stands for many cables.
func (r *infraReader) edge(e *config.Node) {
	r.ignored.unread(e, "edge ", "ep1", "ep2", "scheme", "many2many", "link")
	ends := [2][]infraEnd{r.ends(e, "ep1"), r.ends(e, "ep2")}
	if r.problems.Enough() || ends[0] == nil || ends[1] == nil {
		return
	}
	cable := r.cableOf(fieldOf(e, "link"))
	scheme := textOf(fieldOf(e, "scheme"))
	if old := fieldOf(e, "many2many"); scheme == "" && old != nil {
		scheme = map[string]string{"true": "many2many", "false": "one2one"}[textOf(old)]
	}
	switch scheme {
	case "one2one":
		if len(ends[0]) != len(ends[1]) {
			r.reading.ignore("line %d: %d of the ends of an edge, which have no other end", e.Position.Line,
				max(len(ends[0]), len(ends[1]))-min(len(ends[0]), len(ends[1])))
		}
		for i := range min(len(ends[0]), len(ends[1])) {
			r.cable(ends[0][i], ends[1][i], cable)
		}
	case "many2many":
		if len(ends[0])*len(ends[1]) > mostInstances {
			r.fail(e.Position, "edge", fmt.Sprintf("%d cables", len(ends[0])*len(ends[1])),
				fmt.Sprintf("at most %d", mostInstances), "")
			return
		}
		for _, a := range ends[0] {
			for _, b := range ends[1] {
				if a.instance != b.instance || a.component != b.component {
					r.cable(a, b, cable)
				}
			}
		}
	default:
		r.fail(e.Position, "scheme", cmp.Or(scheme, "nothing"), "one2one or many2many", "")
	}
}

// cableOf returns the cable of a kind of link.
func (r *infraReader) cableOf(name *config.Node) Cable {
	c, known := r.links[textOf(name)]
	if name != nil && !known {
		r.fail(name.Position, "link", textOf(name), "the name of one of the links", "")
	}
	return c
}

// ends returns all ends that an endpoint with slices stands for, device by device.
func (r *infraReader) ends(e *config.Node, field string) (list []infraEnd) {
	ep := fieldOf(e, field)
	instance, component := fieldOf(ep, "instance"), fieldOf(ep, "component")
	if instance == nil || component == nil {
		r.fail(e.Position, field, "an end without instance or component", "both", "")
		return nil
	}
	name, _, _ := strings.Cut(instance.Text, "[")
	of, known := r.instances[name]
	if !known {
		r.fail(instance.Position, "instance", instance.Text, "the name of an instance", "")
		return nil
	}
	devices := r.slice(instance.Text, instance.Position, of.count)
	parts := []string{""}
	kind := r.kinds[of.device]
	for _, part := range strings.Split(component.Text, ".") {
		name, _, _ := strings.Cut(part, "[")
		count, found := kind.components[name]
		if !found {
			r.fail(component.Position, "component", part, "a component of device "+of.device, "")
			return nil
		}
		var longer []string
		for _, p := range parts {
			for _, s := range r.slice(part, component.Position, count) {
				longer = append(longer, strings.TrimPrefix(p+"."+s, "."))
			}
		}
		parts, kind = longer, r.kinds[kind.nested[name]]
	}
	if len(devices)*len(parts) > mostInstances {
		r.fail(ep.Position, field, fmt.Sprintf("%d ends", len(devices)*len(parts)),
			fmt.Sprintf("at most %d", mostInstances), "")
		return nil
	}
	list = make([]infraEnd, 0, len(devices)*len(parts))
	for _, d := range devices {
		for _, p := range parts {
			list = append(list, infraEnd{d, p, name, ep.Position})
		}
	}
	return list
}

// infraSlice matches a name with an index or a slice as in Python.
var infraSlice = pattern.Lazy(`^([^\[\]]+)(?:\[(\d{0,7})(:?)(\d{0,7})(?::(\d{1,7}))?\])?$`)

// slice returns the names "name.index" for which "name[from:to:step]" stands; count is how many
// there are.
func (r *infraReader) slice(text string, at config.Position, count int) (list []string) {
	m := infraSlice().FindStringSubmatch(text)
	if m == nil {
		r.fail(at, "index", text, "a name such as port[0:4]", "")
		return nil
	}
	from, to, step := 0, count, 1
	if m[2] != "" {
		from, _ = strconv.Atoi(m[2])
		if m[3] == "" {
			to = from + 1
		}
	}
	if m[4] != "" {
		to, _ = strconv.Atoi(m[4])
	}
	if m[5] != "" {
		step, _ = strconv.Atoi(m[5])
	}
	if from > to || to > count || step < 1 {
		r.fail(at, "index", text, fmt.Sprintf("indices from 0 to %d", count-1), "")
		return nil
	}
	for i := from; i < to; i += step {
		list = append(list, m[1]+"."+strconv.Itoa(i))
	}
	return list
}

// connection reads a cable as older files have it: host.0.nic.0.eth.leaf.0.port.0.
func (r *infraReader) connection(c *config.Node) {
	p := strings.Split(textOf(c), ".")
	if len(p) != 9 {
		r.fail(c.Position, "connection", textOf(c),
			"nine names and indices such as host.0.nic.0.eth.leaf.0.port.0", "")
		return
	}
	cable := r.cableOf(&config.Node{Kind: config.Scalar, Text: p[4], Position: c.Position})
	r.cable(
		infraEnd{p[0] + "." + p[1], p[2] + "." + p[3], p[0], c.Position},
		infraEnd{p[5] + "." + p[6], p[7] + "." + p[8], p[5], c.Position}, cable,
	)
}

// cable adds a cable between two components.
func (r *infraReader) cable(a, b infraEnd, c Cable) {
	w := wire{cable: c, at: a.at}
	for i, end := range []infraEnd{a, b} {
		d, known := r.number[end.instance]
		if !known {
			d = r.device(device{id: end.instance, name: end.instance, at: end.at})
			r.number[end.instance] = d
			of := r.instances[end.kind]
			kind, defined := r.kinds[of.device]
			if r.devices[d].adapter = kind.host; !defined {
				r.roles[d] = false
			}
		}
		if _, unknown := r.roles[d]; unknown && strings.Contains(end.component, "port") {
			r.roles[d] = true
		}
		index, _ := strconv.Atoi(end.component[strings.LastIndexByte(end.component, '.')+1:])
		w.ends[i] = plug{device: d, number: min(index, 1<<16) + 1, name: end.component}
	}
	r.edges++
	r.wires = append(r.wires, w)
}

// guessKinds takes devices that the file does not describe for hosts, unless they are cabled at a
// port.
func (r *infraReader) guessKinds() {
	for d, isSwitch := range r.roles {
		r.devices[d].adapter = !isSwitch
	}
	if len(r.roles) > 0 {
		r.reading.guess("%s that the file does not describe: hosts, unless a component with a cable is called port",
			humanize.Plural(len(r.roles), "device"))
	}
	r.reading.guess("devices with accelerators, or with processors and without a switch, are hosts; all others are switches")
	r.reading.understand("%s between devices", humanize.Plural(r.edges, "cable"))
	without := 0
	for _, w := range r.wires {
		if w.cable.Bandwidth == nil {
			without++
		}
	}
	if without > 0 {
		r.reading.guess("%s without a bandwidth: network.link and network.host_link",
			humanize.Plural(without, "cable"))
	}
}

// writeInfraGraph writes a network as hosts with a NIC and switches of one kind, with an edge for
// each cable.
func writeInfraGraph(w io.Writer, t topology.Topology, cables []Cable) error {
	out := bufio.NewWriter(w)
	g := t.Graph()
	fmt.Fprintf(out, "name: %s\ndevices:\n- name: server\n  components:\n  - {name: xpu, count: 1, choice: xpu}\n"+
		"  - {name: nic, count: %d, choice: nic}\n- name: switch\n  components:\n  - {name: port, count: %d, choice: port}\n"+
		"instances:\n- {name: host, device: server, count: %d}\n- {name: router, device: switch, count: %d}\nlinks:\n",
		quoted(t.Kind()), g.NICsPerHost, g.Radix(), g.Hosts, g.Routers)
	for class, c := range cables {
		fmt.Fprintf(out, "- {name: link%d, physical: {", class)
		if c.Bandwidth != nil {
			fmt.Fprintf(out, "bandwidth: {choice: gigabytes_per_second, gigabytes_per_second: %s}",
				thousandths(int64(*c.Bandwidth), 9))
		}
		if c.Bandwidth != nil && c.Latency != nil {
			fmt.Fprint(out, ", ")
		}
		if c.Latency != nil {
			fmt.Fprintf(out, "latency: {choice: ns, ns: %s}", thousandths(int64(*c.Latency), 3))
		}
		fmt.Fprint(out, "}}\n")
	}
	fmt.Fprint(out, "edges:\n")
	for p, port := range g.Ports {
		_, local := g.Local(p)
		end := ""
		switch {
		case port.NIC != topology.Unconnected:
			end = fmt.Sprintf("{instance: \"host[%d]\", component: \"nic[%d]\"}",
				int(port.NIC)/g.NICsPerHost, int(port.NIC)%g.NICsPerHost)
		case port.Peer > int32(p):
			far, there := g.Local(int(port.Peer))
			end = fmt.Sprintf("{instance: \"router[%d]\", component: \"port[%d]\"}", far, there)
		default:
			continue
		}
		fmt.Fprintf(out, "- {ep1: {instance: \"router[%d]\", component: \"port[%d]\"}, ep2: %s, scheme: one2one, link: link%d}\n",
			port.Router, local, end, port.Link)
	}
	return out.Flush()
}

// thousandths writes v / 10^places without rounding.
func thousandths(v int64, places int) string {
	text := fmt.Sprintf("%0*d", places+1, v)
	return text[:len(text)-places] + "." + text[len(text)-places:]
}
