package netfile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/humanize"
	"fabricast/topology"
)

// inventory builds a network from devices and the cables between them, as most formats describe it:
// a switch becomes a router, and each cabled port of an adapter becomes a host.
type inventory struct {
	*collector
	devices []device
	wires   []wire
}

// device is a switch, or an adapter with the name "node" or "node/adapter".
type device struct {
	id, name string
	adapter  bool
	unused   bool // an adapter where no rank can be
	at       config.Position
	lid      int // of a switch; 0 if unknown
	sort     int // of a switch: those of unequal sorts are not compared with one another
}

// plug is a port of a device. Number 0 stands for an unknown one.
type plug struct {
	device, number int
	lid            int    // of an adapter's port; 0 if unknown
	name           string // of an adapter's port, where ports have names
}

// wire is a cable between two devices.
type wire struct {
	ends  [2]plug
	class string
	cable Cable
	at    config.Position
}

func newInventory(source *config.Source, format string) *inventory {
	v := &inventory{collector: newCollector(source)}
	v.reading.Format = format
	return v
}

// device adds a device and returns its index.
func (v *inventory) device(d device) int {
	v.devices = append(v.devices, d)
	return len(v.devices) - 1
}

// network returns the network of the devices and cables.
func (v *inventory) network() (*Network, config.Problems) {
	if v.problems.Count() > 0 {
		return nil, v.problems.Problems()
	}
	router := v.switches()
	hosts := make([][]hostAt, len(v.names))
	cabled := make([]int, len(v.devices)) // by device: its cables
	for _, w := range v.wires {
		cabled[w.ends[0].device]++
		cabled[w.ends[1].device]++
	}
	for _, w := range v.wires {
		a, b := w.ends[0], w.ends[1]
		if v.devices[a.device].adapter {
			a, b = b, a
		}
		switch ra, rb := router[a.device], router[b.device]; {
		case ra < 0:
			v.reading.ignore(
				"line %d: the cable between the adapters %s and %s, which no switch joins", w.at.Line,
				v.devices[a.device].name, v.devices[b.device].name,
			)
		case rb < 0:
			hosts[ra] = append(hosts[ra], v.hostAt(w, a, b, cabled[b.device]))
		case ra == rb:
			v.reading.ignore("line %d: the cable from switch %s to itself", w.at.Line, v.names[ra])
		default:
			before := len(v.edges)
			if v.link(w.at, v.names[ra], v.names[rb], w.class, w.cable); len(v.edges) > before {
				v.known.Ports = append(v.known.Ports, [2]int32{int32(a.number), int32(b.number)})
				v.edgeLines = append(v.edgeLines, int32(w.at.Line))
			}
		}
	}
	v.placeHosts(hosts)
	v.idle(cabled)
	return v.collector.network(0, false)
}

// switches adds a router for each switch, in the order of their lines. It returns the routers by device, -1 for adapters. Switches
// of equal names get their identifiers appended.
func (v *inventory) switches() []int {
	named := tally{}
	for _, d := range v.devices {
		if !d.adapter {
			named[d.name]++
		}
	}
	router, order := make([]int, len(v.devices)), make([]int, len(v.devices))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(v.devices[a].at.Line, v.devices[b].at.Line) })
	twice := 0
	for _, i := range order {
		d := v.devices[i]
		router[i] = -1
		if d.adapter {
			continue
		}
		name := d.name
		if named[name] > 1 || name == "" {
			name = strings.TrimPrefix(name+"/"+d.id, "/")
			twice++
		}
		for _, taken := v.number[name]; taken; _, taken = v.number[name] {
			name += "'"
		}
		router[i] = v.router(d.at, name)
		v.hosts[router[i]] = 0
		v.sorts = append(v.sorts, d.sort)
		v.known.Routers = append(v.known.Routers, d.id)
		v.known.RouterLIDs = append(v.known.RouterLIDs, int32(d.lid))
	}
	if twice > 0 {
		v.reading.guess("%s have names that are not theirs alone; their identifiers are appended",
			humanize.Plural(twice, "switch"))
	}
	return router
}

// hostAt is a host at a router, before the hosts are numbered.
type hostAt struct {
	name, id    string
	port, lid   int
	class       uint16
	order, line int
}

// hostAt returns the host at the far end of a cable. plugs is the number of cables of the adapter.
func (v *inventory) hostAt(w wire, at, far plug, plugs int) hostAt {
	d := &v.devices[far.device]
	name := d.name
	if name == "" {
		name = d.id
	}
	switch {
	case far.name != "":
		name += "/" + far.name
	case plugs > 1:
		number := far.number
		if number == 0 {
			d.lid++ // adapters have no address of their own: counts their cables
			number = d.lid
		}
		name += "/" + strconv.Itoa(number)
	}
	class := topology.LinkHost
	if label := w.cable.Label(); label != "" {
		class, _ = v.kind(w.at, topology.HostLinks+"/"+label, w.cable)
	}
	return hostAt{name, d.id, at.number, far.lid, class, 0, w.at.Line}
}

// placeHosts numbers the hosts of each router by its ports.
func (v *inventory) placeHosts(hosts [][]hostAt) {
	named := tally{}
	for _, list := range hosts {
		for _, h := range list {
			named[h.name]++
		}
	}
	twice := 0
	nodes := adapters{}
	for r, list := range hosts {
		slices.SortStableFunc(list, func(a, b hostAt) int { return cmp.Compare(a.port, b.port) })
		for _, h := range list {
			if named[h.name] > 1 {
				h.name += "/" + h.id
				twice++
			}
			v.host(r, h.name, h.class)
			nodes.add(h.name, h.class)
			v.known.HostLIDs = append(v.known.HostLIDs, int32(h.lid))
		}
	}
	nodes.describe(&v.reading)
	if twice > 0 {
		v.reading.guess("%s have names that are not theirs alone; their identifiers are appended",
			humanize.Plural(twice, "adapter"))
	}
}

// adapters are the link classes of the adapters of each node.
type adapters map[string][]uint16

func (a adapters) add(host string, class uint16) {
	if node, _, of := strings.Cut(host, "/"); of {
		a[node] = append(a[node], class)
	}
}

// describe says how many nodes have several adapters, and how many of these have unlike ones.
func (a adapters) describe(r *Reading) {
	several, unlike := 0, 0
	for _, classes := range a {
		if len(classes) > 1 {
			several++
		}
		if slices.Min(classes) != slices.Max(classes) {
			unlike++
		}
	}
	if several == 0 {
		return
	}
	text := ""
	if unlike > 0 {
		text = fmt.Sprintf(", with unlike links at %s", humanize.Plural(unlike, "node"))
	}
	r.understand("%s with several adapters%s: each adapter is a host of its own, or with 'adapters: joined' of the "+
		"topology the node is one", humanize.Plural(several, "node"), text)
}

// idle reports adapters without a cable.
func (v *inventory) idle(cabled []int) {
	var names []string
	for i, d := range v.devices {
		if d.adapter && !d.unused && cabled[i] == 0 {
			names = append(names, cmp.Or(d.name, d.id))
		}
	}
	if len(names) > 0 {
		v.reading.ignore("%s without a cable: %s", humanize.Plural(len(names), "adapter"), some(names))
	}
}

// some returns the first names of a list.
func some(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + " and " + humanize.Count(len(names)-most) + " more"
}
