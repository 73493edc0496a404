package netfile

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/humanize"
	"fabricast/internal/pattern"
	"fabricast/topology"
)

var _ = register(40, Format{
	Name: "lldp", Summary: "what lldpctl -f json (or json0) prints on each device, in one object by the names of the devices",
	Endings: []string{".lldp.json"}, read: readLLDP, write: writeLLDP,
	loses:  "one-way links, bandwidths, latencies, and names of classes",
	begins: func(text string) bool { return lldpBegins().MatchString(text) },
})

// lldpBegins matches an object with the output of lldpctl, or with such objects by the names of
// devices.
var lldpBegins = pattern.Lazy(`^\s*\{\s*(?:"[^"\n]*"\s*:\s*\{\s*)?"lldp"\s*:`)

// lldpReader reads what the devices of an Ethernet know of their neighbours by LLDP (IEEE 802.1AB).
type lldpReader struct {
	*inventory
	number   map[string]int // device by name
	recorded []bool         // by device: its neighbours are in the file
	roles    []lldpRole     // by device: what its neighbours know of it
	seen     []*lldpRecord
	ignored  tally
}

// lldpRole counts the neighbours that see a device as a switch, or as a station.
type lldpRole struct{ bridge, station bool }

// lldpRecord is what a device knows of a neighbour.
type lldpRecord struct {
	device, far   int
	port, farPort string
	at            config.Position
	taken         bool // it is the other end of a cable
}

func readLLDP(source *config.Source, _ int) (*Network, config.Problems) {
	r := &lldpReader{
		inventory: newInventory(source, "lldp"), number: map[string]int{},
		ignored: tally{},
	}
	root, problems := readJSON(source)
	if len(problems) > 0 {
		return nil, problems
	}
	if own := fieldOf(root, "lldp"); own != nil {
		name, _, _ := strings.Cut(filepath.Base(source.Name), ".")
		r.reading.guess("the device on which lldpctl ran is called %s, as the file", name)
		r.record(name, root.Position, own)
	} else {
		for _, f := range root.Fields {
			r.ignored.unread(f.Value, "", "lldp")
			r.record(f.Key, f.KeyPosition, fieldOf(f.Value, "lldp"))
		}
	}
	r.cables()
	r.kinds()
	if len(r.ignored) > 0 {
		r.reading.ignore("%s", r.ignored.list())
	}
	r.reading.guess("bandwidths and latencies: those of network.link and network.host_link")
	return r.network()
}

// named returns the device with a name.
func (r *lldpReader) named(name string, at config.Position) int {
	i, found := r.number[name]
	if !found {
		i = r.device(device{id: name, name: name, at: at})
		r.number[name] = i
		r.recorded, r.roles = append(r.recorded, false), append(r.roles, lldpRole{})
	}
	return i
}

// record reads what a device prints: its interfaces, each with a neighbour, as a list or by their
// names.
func (r *lldpReader) record(name string, at config.Position, lldp *config.Node) {
	if lldp != nil && lldp.Kind == config.List && len(lldp.Items) > 0 { // json0
		if more := len(lldp.Items) - 1; more > 0 {
			r.ignored["further objects of lldp"] += more
		}
		lldp = lldp.Items[0]
	}
	r.ignored.unread(lldp, "", "interface")
	if lldp == nil || lldp.Kind != config.Mapping {
		r.fail(at, name, "no object \"lldp\"", "what lldpctl -f json prints on this device", "")
		return
	}
	own := r.named(name, at)
	r.recorded[own] = true
	list := fieldOf(lldp, "interface")
	if list == nil {
		return // it has no neighbours
	}
	items := list.Items
	if list.Kind == config.Mapping {
		items = []*config.Node{list}
	}
	met := map[string]bool{}
	for _, item := range items {
		if port := textOf(fieldOf(item, "name")); port != "" {
			r.neighbour(own, port, item, met)
			continue
		}
		for _, f := range item.Fields {
			r.neighbour(own, f.Key, f.Value, met)
		}
	}
}

// lldpManagement matches interfaces that lead to a network for management.
var lldpManagement = pattern.Lazy(`(?i)^(mgmt|management|fxp0|me0|em0)`)

// neighbour adds the neighbour at an interface of a device.
func (r *lldpReader) neighbour(own int, port string, n *config.Node, met map[string]bool) {
	chassis, far := first(fieldOf(n, "chassis")), first(fieldOf(n, "port"))
	if chassis == nil || far == nil {
		r.fail(n.Position, "interface "+port, "an interface without chassis and port",
			"both, of its neighbour", "")
		return
	}
	name := valueOf(fieldOf(chassis, "name"))
	if name == "" && len(chassis.Fields) == 1 && chassis.Fields[0].Value.Kind == config.Mapping &&
		chassis.Fields[0].Key != "id" {
		name, chassis = chassis.Fields[0].Key, chassis.Fields[0].Value // by its name
	}
	if name = cmp.Or(name, valueOf(fieldOf(chassis, "id"))); name == "" {
		r.fail(n.Position, "chassis", "a chassis without name and id", "one of them", "")
		return
	}
	switch {
	case lldpManagement().MatchString(port):
		r.ignored["interfaces for management"]++
		return
	case met[port]:
		r.ignored["further neighbours at one interface"]++
		return
	}
	met[port] = true
	r.ignored.unread(n, "", "name", "chassis", "port")
	r.ignored.unread(chassis, "chassis ", "name", "id", "capability")
	r.ignored.unread(far, "port ", "id", "descr")
	i := r.named(name, n.Position)
	for _, c := range itemsOf(fieldOf(chassis, "capability")) {
		if textOf(fieldOf(c, "enabled")) != "true" {
			continue
		}
		switch textOf(fieldOf(c, "type")) {
		case "Bridge", "Router":
			r.roles[i].bridge = true
		case "Station":
			r.roles[i].station = true
		}
	}
	id := first(fieldOf(far, "id"))
	farPort := valueOf(id)
	if kind := textOf(fieldOf(id, "type")); kind == "mac" || kind == "" {
		farPort = cmp.Or(valueOf(fieldOf(far, "descr")), farPort)
	}
	r.seen = append(r.seen,
		&lldpRecord{device: own, far: i, port: port, farPort: farPort, at: n.Position})
}

// first returns a value, or the first item of it if it is a list.
func first(n *config.Node) *config.Node {
	if n != nil && n.Kind == config.List {
		if len(n.Items) == 0 {
			return nil
		}
		return n.Items[0]
	}
	return n
}

// itemsOf returns the items of a list, or a single value as a list.
func itemsOf(n *config.Node) []*config.Node {
	if n == nil || n.Kind == config.List {
		if n == nil {
			return nil
		}
		return n.Items
	}
	return []*config.Node{n}
}

// valueOf returns a text that may be the field "value" of an object.
func valueOf(n *config.Node) string {
	n = first(n)
	return cmp.Or(textOf(n), textOf(fieldOf(n, "value")))
}

// cables joins what the two ends of each cable know of it.
func (r *lldpReader) cables() {
	byPort := map[[2]string]*lldpRecord{} // by the names of device and port
	between := map[[2]int][]*lldpRecord{} // by device and neighbour
	for _, s := range r.seen {
		byPort[[2]string{r.devices[s.device].name, s.port}] = s
		between[[2]int{s.device, s.far}] = append(between[[2]int{s.device, s.far}], s)
	}
	paired := 0
	for _, s := range r.seen {
		if s.taken {
			continue
		}
		s.taken = true
		other := byPort[[2]string{r.devices[s.far].name, s.farPort}]
		if other == nil || other.taken || other.far != s.device {
			other = unpaired(s, between[[2]int{s.device, s.far}], between[[2]int{s.far, s.device}])
			if other != nil {
				paired++
			}
		}
		far := s.farPort
		switch {
		case other != nil:
			other.taken = true
			far = other.port
		case r.recorded[s.far]:
			r.reading.find(OneSided, s.at.Line, "%s of %s sees %s, which does not see it", s.port,
				r.devices[s.device].name,
				r.devices[s.far].name)
		}
		r.wires = append(r.wires, wire{
			ends: [2]plug{{device: s.device, name: s.port}, {device: s.far, name: far}}, at: s.at,
		})
	}
	r.reading.understand("%s of %s", humanize.Plural(len(r.wires), "cable"),
		humanize.Plural(len(r.devices), "device"))
	if paired > 0 {
		r.reading.guess("which ends of %s belong together: their devices do not name the ports alike",
			humanize.Plural(paired, "cable"))
	}
}

// unpaired returns the first record of a neighbour (theirs) whose port no other record of the
// device (mine) names; nil if there is none.
func unpaired(s *lldpRecord, mine, theirs []*lldpRecord) *lldpRecord {
	for _, other := range theirs {
		if !other.taken && !slices.ContainsFunc(mine, func(m *lldpRecord) bool { return m != s && m.farPort == other.port }) {
			return other
		}
	}
	return nil
}

// kinds tells switches from hosts.
func (r *lldpReader) kinds() {
	unknown := 0
	for i := range r.devices {
		role := r.roles[i]
		switch {
		case role.station, !role.bridge && !r.recorded[i]:
			r.devices[i].adapter = true
		case !role.bridge:
			unknown++
		}
	}
	r.reading.guess("devices that their neighbours see as Station, or not as Bridge or Router, are hosts")
	if unknown > 0 {
		r.reading.guess("%s of whose kind no neighbour tells: with neighbours of their own in the file, they are switches",
			humanize.Plural(unknown, "device"))
	}
}

// writeLLDP writes what the routers of a network would know of their neighbours.
func writeLLDP(w io.Writer, t topology.Topology, _ []Cable) error {
	out := bufio.NewWriter(w)
	g := t.Graph()
	fmt.Fprint(out, "{")
	for r := range g.Routers {
		fmt.Fprintf(out, "%s\n%s: {\"lldp\": {\"interface\": [", comma(r), quoted(t.RouterName(r)))
		n := 0
		for p := g.PortBase[r]; p < g.PortBase[r+1]; p++ {
			port := g.Ports[p]
			name, far, kind := "", "", "Station"
			switch {
			case port.NIC != topology.Unconnected:
				host := int(port.NIC) / g.NICsPerHost
				var adapter string
				name, adapter, _ = strings.Cut(hostName(t, host), "/")
				far = cmp.Or(adapter, "nic"+fmt.Sprint(int(port.NIC)%g.NICsPerHost))
			case port.Peer != topology.Unconnected:
				router, local := g.Local(int(port.Peer))
				name, far, kind = t.RouterName(router), "port"+fmt.Sprint(local), "Bridge"
			default:
				continue
			}
			fmt.Fprintf(out, "%s\n  {\"port%d\": {\"chassis\": {%s: {\"capability\": [{\"type\": %q, \"enabled\": true}]}}, "+
				"\"port\": {\"id\": {\"type\": \"ifname\", \"value\": %s}}}}", comma(n), p-g.PortBase[r], quoted(name), kind, quoted(far))
			n++
		}
		fmt.Fprint(out, "]}}")
	}
	fmt.Fprint(out, "\n}\n")
	return out.Flush()
}
