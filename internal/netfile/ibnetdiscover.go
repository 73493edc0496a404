package netfile

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/humanize"
	"fabricast/internal/pattern"
	"fabricast/internal/units"
	"fabricast/topology"
)

var _ = register(10, Format{
	Name:    "ibnetdiscover",
	Summary: "what ibnetdiscover prints of an InfiniBand network; also net files of ibsim",
	Endings: []string{".ibnetdiscover"}, read: readIBNetDiscover, write: writeIBNetDiscover,
	begins: func(text string) bool {
		return ibBegins().MatchString(text)
	},
	loses: "one-way links, latencies, names of classes, and bandwidths that are not those of InfiniBand",
})

// ibBegins matches what only the output of ibnetdiscover has: a line that starts the record of a
// device.
var ibBegins = pattern.Lazy(`(?m)^(vendid=0x|switchguid=|caguid=|(Switch|Ca|Hca|Rt)[ \t]+\d+[ \t]+")`)

// ibRates are the data rates of one lane in bit/s: the signalling rate less the line code (8b/10b
// up to QDR, 64b/66b up to EDR), and as sold from HDR on.
var ibRates = map[string]int64{
	"SDR": 2_000_000_000, "DDR": 4_000_000_000, "QDR": 8_000_000_000, "FDR10": 10_000_000_000,
	"FDR": 13_636_363_636, "EDR": 25_000_000_000, "HDR": 50_000_000_000, "NDR": 100_000_000_000,
	"XDR": 200_000_000_000,
}

// ibReader reads the output of ibnetdiscover: records of switches and adapters, each with a line
// for every cabled port. Every cable is in the records of both of its ends.
type ibReader struct {
	*inventory
	number   map[string]int // device by identifier
	isSwitch map[string]bool
	recorded []bool // by device: it has a record of its own
	plugs    map[plugKey]claim
	order    []plugKey
	current  int // device of the record; -1 before the first
	keys     tally
	skipped  tally
	rates    tally
	unnamed  int // adapters that do not name their node
	reducers int // aggregation nodes, which take part in reductions in switches
	relabel  int // switches whose names were shortened
}

// plugKey is a port of a device.
type plugKey struct{ device, port int }

// claim is what one end of a cable says of it.
type claim struct {
	far    plugKey
	speed  string // such as "4xNDR"; empty if not given
	lid    int    // of the far end
	ownLID int
	at     config.Position
}

func readIBNetDiscover(source *config.Source, _ int) (*Network, config.Problems) {
	r := &ibReader{
		inventory: newInventory(source, "ibnetdiscover"),
		number:    map[string]int{}, plugs: map[plugKey]claim{},
		current: -1, keys: tally{}, skipped: tally{}, rates: tally{}, isSwitch: map[string]bool{},
	}
	for _, m := range ibSwitch().FindAllStringSubmatch(source.Text, -1) {
		r.isSwitch[m[1]] = true
	}
	n := 0
	for line := range strings.Lines(source.Text) {
		if n++; r.problems.Enough() {
			break
		}
		r.line(strings.TrimRight(line, " \t\r\n"), n)
	}
	r.cables()
	r.report()
	return r.network()
}

// ibHeader matches the first line of a device: its type, number of ports, identifier and comment.
var ibHeader = pattern.Lazy(`^(Switch|Ca|Hca|Rt)[ \t]+(\d+)[ \t]+"([^"]+)"[ \t]*(?:#[ \t]*(.*))?$`)

// ibPort matches the line of a cabled port: number, identifier and number of the far end, comment.
// The GUID of a port may follow its number, or its number on the outside of a chassis.
var ibPort = pattern.Lazy(
	`^\[(\d+)\](?:\([0-9a-fA-F]+\)|\[ext \d+\])*[ \t]+"([^"]+)"\[(\d+)\](?:\([0-9a-fA-F]+\)|\[ext \d+\])*[ \t]*(?:#[ \t]*(.*))?$`,
)

// ibKey matches a line such as "vendid=0x2c9".
var ibKey = pattern.Lazy(`^([a-z]+)=\S*$`)

// line reads one line.
func (r *ibReader) line(line string, number int) {
	at := config.Position{Line: number, Column: 1, Width: len(line)}
	switch {
	case line == "" || line[0] == '#':
	case line[0] == '[':
		r.port(line, at)
	case ibKey().MatchString(line):
		r.keys[ibKey().FindStringSubmatch(line)[1]]++
	case strings.HasPrefix(line, "Chassis"), strings.HasPrefix(line, "ibwarn:"), strings.HasPrefix(line, "src/"),
		strings.HasPrefix(line, "include "), strings.HasPrefix(line, "do "):
		r.skipped[strings.Fields(line)[0]+" ..."]++
	default:
		m := ibHeader().FindStringSubmatch(line)
		if m == nil {
			r.fail(at, "record", line, `a device such as Switch 36 "S-0002c90200423e70" # "leaf1" lid 3, `+
				`or its port such as [1] "H-0002c903000e0b72"[1] # "node1 HCA-1" lid 4 4xNDR`, "")
			return
		}
		r.device(m, at)
	}
}

// device begins the record of a device.
func (r *ibReader) device(m []string, at config.Position) {
	name, lids, _ := ibComment(m[4])
	i := r.known(m[3], m[1] == "Switch", name, at)
	if r.recorded[i] {
		r.fail(at, "device", fmt.Sprintf("%q a second time", m[3]), "one record for each device",
			fmt.Sprintf("the first is line %d", r.devices[i].at.Line))
		return
	}
	r.recorded[i] = true
	r.devices[i].at = at
	if len(lids) > 0 && m[1] == "Switch" {
		r.devices[i].lid = lids[0]
	}
	r.current = i
}

// known returns the index of a device, which it adds if its identifier is new.
func (r *ibReader) known(id string, isSwitch bool, name string, at config.Position) int {
	i, found := r.number[id]
	if found {
		return i
	}
	d := device{
		id: strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(id, "S-"), "H-"), "0"),
		at: at,
	}
	if d.id == "" {
		d.id = id
	}
	if isSwitch {
		d.name = r.switchName(name)
	} else {
		d.adapter = true
		d.name, d.unused = r.adapterName(name), isReducer(name)
	}
	if name == "" { // net files of ibsim have no other
		d.name = id
	}
	i = r.inventory.device(d)
	r.number[id] = i
	r.recorded = append(r.recorded, false)
	return i
}

// ibManaged matches the name that a managed switch gives itself, such as
// "MF0;leaf04:MQM9701/U1": its place in the chassis, name, model and chip.
var ibManaged = pattern.Lazy(`^MF\d+;([^:;]+):[^/:;]+/U1$`)

func (r *ibReader) switchName(name string) string {
	if m := ibManaged().FindStringSubmatch(name); m != nil {
		r.relabel++
		return m[1]
	}
	return name
}

// ibAdapter matches the last word of an adapter's name if this names the adapter in its node.
var ibAdapter = pattern.Lazy(`^(HCA-\d+|hca\d+|mlx\d+_\w+|mthca\d+|hfi\d+_\d+|qib\d+|ib[a-z]*\d+|roce\w+|rdma\w*\d+)$`)

// isReducer reports whether a name is that of an aggregation node: the part of a switch that
// computes reductions (SHARP). It looks like an adapter, but no program runs there.
func isReducer(name string) bool { return strings.Contains(name, "Aggregation Node") }

// adapterName returns the name "node/adapter" of an adapter; "" if the name does not say where it
// is.
func (r *ibReader) adapterName(name string) string {
	words := strings.Fields(strings.Trim(name, "'"))
	switch {
	case isReducer(name):
		return name
	case len(words) == 1:
		return words[0]
	case len(words) > 1 && ibAdapter().MatchString(words[len(words)-1]):
		return strings.Join(words[:len(words)-1], "_") + "/" + words[len(words)-1]
	}
	r.unnamed++
	return ""
}

// port reads the line of a cabled port.
func (r *ibReader) port(line string, at config.Position) {
	m := ibPort().FindStringSubmatch(line)
	switch {
	case m == nil:
		r.fail(at, "port", line, `a port and the far end of its cable, such as [1] "S-0002c90200423e70"[21] # "leaf1" lid 3 4xNDR`, "")
		return
	case r.current < 0:
		r.fail(at, "port", line, "the record of a device before its ports", "")
		return
	}
	near, errNear := strconv.Atoi(m[1])
	far, errFar := strconv.Atoi(m[3])
	const most = 1 << 16
	if errNear != nil || errFar != nil || near > most || far > most {
		r.fail(at, "port", m[0], fmt.Sprintf("numbers of ports up to %d", most), "")
		return
	}
	name, lids, speed := ibComment(m[4])
	c := claim{speed: speed, at: at}
	if r.devices[r.current].adapter { // "lid 193 lmc 0" of this port stands before the name
		if before, _, _ := strings.Cut(m[4], `"`); strings.Contains(before, "lid") && len(lids) > 0 {
			c.ownLID, lids = lids[0], lids[1:]
		}
	}
	if len(lids) > 0 {
		c.lid = lids[0]
	}
	c.far = plugKey{r.known(m[2], r.isSwitch[m[2]] || strings.HasPrefix(m[2], "S-"), name, at), far}
	key := plugKey{r.current, near}
	if before, twice := r.plugs[key]; twice {
		r.fail(at, "port", fmt.Sprintf("port %d a second time", near), "one line for each port",
			fmt.Sprintf("the first is line %d", before.at.Line))
		return
	}
	r.plugs[key] = c
	r.order = append(r.order, key)
}

// ibSwitch matches the identifier of a switch in the first line of its record.
var ibSwitch = pattern.Lazy(`(?m)^Switch[ \t]+\d+[ \t]+"([^"]+)"`)

// ibSpeed matches width and rate of a cable.
var ibSpeed = pattern.Lazy(`^\d+x[A-Z]+\d*$`)

// ibComment returns the name, addresses and speed in the comment of a line.
func ibComment(text string) (name string, lids []int, speed string) {
	before, rest, quoted := strings.Cut(text, `"`)
	after := ""
	if quoted {
		end := strings.LastIndexByte(rest, '"')
		if end < 0 {
			end = len(rest)
		} else {
			after = rest[end+1:]
		}
		name = rest[:end]
	}
	words := strings.Fields(before + " " + after)
	for i, w := range words {
		if w == "lid" && i+1 < len(words) {
			if lid, err := strconv.Atoi(words[i+1]); err == nil && lid >= 0 && lid < 1<<20 {
				lids = append(lids, lid)
			}
		}
		if ibSpeed().MatchString(w) {
			speed = w
		}
	}
	return name, lids, speed
}

// cables joins what the two ends of each cable say of it.
func (r *ibReader) cables() {
	for _, near := range r.order {
		c := r.plugs[near]
		other, both := r.plugs[c.far]
		agreed := both && other.far == near
		if agreed && (near.device > c.far.device ||
			near.device == c.far.device && near.port > c.far.port) {
			continue // it is taken at its other end
		}
		switch {
		case both && !agreed:
			r.reading.find(WrongCable, c.at.Line,
				"%s says that its cable leads to %s; %s says (line %d) that its own leads to %s",
				r.plugName(near), r.plugName(c.far), r.plugName(c.far), other.at.Line, r.plugName(other.far))
			if near.device > c.far.device { // one cable for the port, that of the first device
				r.reading.ignore("line %d, which contradicts line %d", c.at.Line, other.at.Line)
				continue
			}
		case !both && r.recorded[c.far.device]:
			r.reading.find(OneSided, c.at.Line,
				"%s says that its cable leads to %s, whose record does not have this port",
				r.plugName(near), r.plugName(c.far))
		}
		if agreed && c.speed != other.speed && c.speed != "" && other.speed != "" {
			r.reading.find(SlowLink, c.at.Line, "%s has %s, its other end (line %d) %s; the former is taken",
				r.plugName(near), c.speed, other.at.Line, other.speed)
		}
		r.wire(near, c, other)
	}
}

// wire adds the cable between two ends. Aggregation nodes are counted instead.
func (r *ibReader) wire(near plugKey, c, other claim) {
	a, b := &r.devices[near.device], &r.devices[c.far.device]
	if a.unused || b.unused {
		r.reducers++
		return
	}
	speed := cmp.Or(c.speed, other.speed)
	w := wire{
		ends: [2]plug{
			{device: near.device, number: near.port, lid: cmp.Or(c.ownLID, other.lid)},
			{device: c.far.device, number: c.far.port, lid: cmp.Or(c.lid, other.ownLID)},
		},
		cable: r.speed(speed, c.at), at: c.at,
	}
	if a.adapter && !b.adapter {
		w.ends[0], w.ends[1] = w.ends[1], w.ends[0]
	}
	if b.lid == 0 && !b.adapter {
		b.lid = c.lid
	}
	r.wires = append(r.wires, w)
}

// speed returns the cable of a width and rate such as "4xNDR".
func (r *ibReader) speed(text string, at config.Position) (c Cable) {
	if text == "" {
		r.rates["none"]++
		return c
	}
	lanes, rate, _ := strings.Cut(text, "x")
	n, err := strconv.Atoi(lanes)
	lane, known := ibRates[rate]
	if err != nil || !known || n < 1 || n > 64 {
		r.fail(at, "speed", text, "a width and a rate such as 4xNDR; the rates are "+ibRateNames, "")
		return c
	}
	r.rates[text]++
	bytes := units.Rate(int64(n) * lane / 8)
	c.Bandwidth = &bytes
	return c
}

// ibRateNames lists the rates, from the slowest.
var ibRateNames = func() string {
	names := make([]string, 0, len(ibRates))
	for name := range ibRates {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(ibRates[a], ibRates[b]) })
	return strings.Join(names, ", ")
}()

func (r *ibReader) plugName(p plugKey) string {
	d := r.devices[p.device]
	return fmt.Sprintf("port %d of %s", p.port, cmp.Or(d.name, d.id))
}

// report writes what was understood, guessed and ignored.
func (r *ibReader) report() {
	for _, speed := range slices.Sorted(maps.Keys(r.rates)) {
		if speed == "none" {
			r.reading.guess("%s without a rate: they have the bandwidth of network.link or network.host_link",
				humanize.Plural(r.rates[speed], "cable"))
			continue
		}
		count := r.rates[speed]
		c := r.speed(speed, config.Position{})
		if c.Bandwidth != nil {
			r.reading.understand("%s of %s: %s each way", humanize.Plural(count, "cable"), speed,
				c.Bandwidth)
		}
	}
	if r.reducers > 0 {
		r.reading.understand(
			"%s (SHARP): reductions in switches are not simulated, and no rank can be there",
			humanize.Plural(r.reducers, "aggregation node"),
		)
	}
	if r.relabel > 0 {
		r.reading.guess("names of %s: NAME of MF0;NAME:MODEL/U1", humanize.Plural(r.relabel, "switch"))
	}
	if r.unnamed > 0 {
		r.reading.guess("%s without the name of a node: each is a node, named by its GUID",
			humanize.Plural(r.unnamed, "adapter"))
	}
	r.incomplete()
	r.reading.guess("latencies: those of network.link and network.host_link")
	if len(r.keys) > 0 {
		r.reading.ignore("identifiers of makers and chassis: %s", r.keys.list())
	}
	if len(r.skipped) > 0 {
		r.reading.ignore("lines that describe no port: %s", r.skipped.list())
	}
}

// incomplete says which devices have no record of their own. A file that has records of some adapters,
// or lacks that of a switch, was probably cut short: it lacks what only these records say.
func (r *ibReader) incomplete() {
	var only []string
	others := false // adapters with a record, or switches without
	for i, d := range r.devices {
		switch {
		case !r.recorded[i]:
			only = append(only, cmp.Or(d.name, d.id))
			others = others || !d.adapter
		case d.adapter && !d.unused:
			others = true
		}
	}
	if len(only) == 0 {
		return
	}
	r.reading.guess("%s known only from the other end of a cable", humanize.Plural(len(only), "device"))
	if others {
		r.reading.find(Incomplete, 0, "no record of %s, which others have a cable to: %s; ibnetdiscover prints one of each "+
			"device, so the file is perhaps cut short", humanize.Plural(len(only), "device"), some(only))
	}
}

// writeIBNetDiscover writes a network as ibnetdiscover prints it. Routers get the identifiers of
// the network if it has any, and numbers in their place.
func writeIBNetDiscover(w io.Writer, t topology.Topology, cables []Cable) error {
	out := bufio.NewWriter(w)
	ib := newIBNames(t)
	for r := range ib.graph.Routers {
		ports := int(ib.graph.PortBase[r+1] - ib.graph.PortBase[r])
		fmt.Fprintf(out, "switchguid=0x%s(%[1]s)\nSwitch\t%d \"S-%[1]s\"\t\t# \"%[3]s\" enhanced port 0 lid %[4]d lmc 0\n",
			ib.guid(r), max(ports, ib.highest(r)), quotable(t.RouterName(r)), ib.lid(r))
		for p := range ports {
			port := ib.graph.Ports[int(ib.graph.PortBase[r])+p]
			switch {
			case port.NIC != topology.Unconnected:
				fmt.Fprintf(out, "[%d]\t\"H-%s\"[1](%[2]s) \t\t# \"%s\" lid %d%s\n", ib.number(r, p),
					ib.adapter(int(port.NIC)),
					ib.hostName(int(port.NIC)), ib.hostLID(int(port.NIC)), speedWord(cables[port.Link]))
			case port.Peer != topology.Unconnected:
				peer, local := ib.graph.Local(int(port.Peer))
				fmt.Fprintf(out, "[%d]\t\"S-%s\"[%d]\t\t# \"%s\" lid %d%s\n", ib.number(r, p), ib.guid(peer),
					ib.number(peer, local), quotable(t.RouterName(peer)), ib.lid(peer), speedWord(cables[port.Link]))
			}
		}
		fmt.Fprintln(out)
	}
	for nic, p := range ib.graph.NICPort {
		r, local := ib.graph.Local(int(p))
		fmt.Fprintf(out, "caguid=0x%s\nCa\t1 \"H-%[1]s\"\t\t# \"%s\"\n", ib.adapter(nic),
			ib.hostName(nic))
		fmt.Fprintf(out, "[1](%s) \t\"S-%s\"[%d]\t\t# lid %d lmc 0 \"%s\" lid %d%s\n\n",
			ib.adapter(nic), ib.guid(r),
			ib.number(r, local), ib.hostLID(nic), quotable(t.RouterName(r)), ib.lid(r), speedWord(cables[ib.graph.Ports[p].Link]))
	}
	return out.Flush()
}

// ibNames are the identifiers, addresses and numbers of a network as ibnetdiscover prints them:
// those of the network's labels, or numbers of our own.
type ibNames struct {
	t      topology.Topology
	graph  *topology.Graph
	labels topology.Labels
	number func(router, local int) int
}

func newIBNames(t topology.Topology) *ibNames {
	ib := &ibNames{t: t, graph: t.Graph(), number: func(_, local int) int { return local + 1 }}
	l, labeled := t.(topology.Labeled)
	if !labeled || l.Labels() == nil || !hexadecimal(l.Labels().Routers) {
		return ib
	}
	ib.labels = *l.Labels()
	// the numbers of ports to other switches are known; hosts get those that are left, in their order
	ib.number = func(router, local int) int {
		if n := l.PortNumber(router, local); n > 0 {
			return n
		}
		used := map[int]bool{}
		ports := int(ib.graph.PortBase[router+1] - ib.graph.PortBase[router])
		for p := range ports {
			used[l.PortNumber(router, p)] = true
		}
		n := 0
		for p := 0; p <= local; p++ {
			if l.PortNumber(router, p) > 0 {
				continue
			}
			for n++; used[n]; n++ { // the next that is free
			}
		}
		return n
	}
	return ib
}

// hexadecimal reports whether all identifiers are hexadecimal numbers of at most 64 bits.
func hexadecimal(ids []string) bool {
	return !slices.ContainsFunc(ids, func(id string) bool {
		_, err := strconv.ParseUint(id, 16, 64)
		return err != nil
	})
}

func (ib *ibNames) highest(router int) int {
	most := 0
	for p := range int(ib.graph.PortBase[router+1] - ib.graph.PortBase[router]) {
		most = max(most, ib.number(router, p))
	}
	return most
}

func (ib *ibNames) guid(router int) string {
	if router < len(ib.labels.Routers) {
		n, _ := strconv.ParseUint(ib.labels.Routers[router], 16, 64) // it was parsed before
		return fmt.Sprintf("%016x", n)
	}
	return fmt.Sprintf("fab%013x", router)
}

func (ib *ibNames) adapter(nic int) string { return fmt.Sprintf("fac%013x", nic) }

func (ib *ibNames) lid(router int) int {
	if router < len(ib.labels.RouterLIDs) {
		return int(ib.labels.RouterLIDs[router])
	}
	return router + 1
}

func (ib *ibNames) hostLID(nic int) int {
	if host := nic / ib.graph.NICsPerHost; host < len(ib.labels.HostLIDs) {
		return int(ib.labels.HostLIDs[host])
	}
	return ib.graph.Routers + nic + 1
}

// hostName returns the name "node adapter" of a NIC.
func (ib *ibNames) hostName(nic int) string {
	name := hostName(ib.t, nic/ib.graph.NICsPerHost)
	node, adapter, found := strings.Cut(name, "/")
	if !found {
		adapter = "HCA-1"
	}
	if ib.graph.NICsPerHost > 1 {
		adapter = fmt.Sprintf("HCA-%d", nic%ib.graph.NICsPerHost+1)
	}
	return quotable(node + " " + adapter)
}

// quotable returns a name without quotation marks and line ends.
func quotable(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '"' || r < ' ' {
			return '_'
		}
		return r
	}, name)
}

// speedWord returns the width and rate of a cable after a space, or "" if there is none with its
// bandwidth.
func speedWord(c Cable) string {
	if c.Bandwidth == nil {
		return ""
	}
	for _, lanes := range []int64{4, 1, 2, 8, 12} {
		for _, rate := range strings.Split(ibRateNames, ", ") {
			if units.Rate(lanes*ibRates[rate]/8) == *c.Bandwidth {
				return fmt.Sprintf(" %dx%s", lanes, rate)
			}
		}
	}
	return ""
}
