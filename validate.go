package fabricast

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fabricast/internal/config"
	"fabricast/routing"
)

// Bounds of what can be simulated, far beyond anything built.
const (
	maxHosts  = 1 << 26
	maxDelay  = Second
	maxRate   = 1000 * 1000 * GBPerSecond
	maxBuffer = GiB
	maxMTU    = 16 * MiB
	maxSize   = 1 << 40   // bytes of a message
	maxShare  = 1 << 16   // ranks of a node
	maxFlits  = 1<<15 - 1 // of a packet

	// minHop is the least time from a packet's start at one router to the next.
	minHop = 2 * Picosecond

	// maxPacketTime bounds how long the largest packet is under way on a link,
	// so that the time fits in 32 bits of picoseconds with room to spare.
	maxPacketTime = 2 * Millisecond
)

// validator collects the problems of an experiment.
type validator struct {
	e        *Experiment
	problems config.Problems
}

// demand records a problem unless ok, and tells whether it was.
func (v *validator) demand(ok bool, path string, found any, expected string) bool {
	if !ok {
		v.problem(path, fmt.Sprint(found), expected, "")
	}
	return ok
}

// problem records a problem. What is wrong only because it follows from another field, of which it has been told, is left out.
func (v *validator) problem(path, found, expected, hint string) {
	for source := v.e.derived[path]; source != ""; source = v.e.derived[source] {
		if v.told(source) {
			return
		}
	}
	if found == "" {
		found = "nothing"
	}
	if found != "nothing" && v.e.defaults[path] == found { // not what a program has set after the file was read
		found += " (the default)"
	}
	v.problems = append(v.problems, config.Problem{Field: path, Found: found, Expected: expected, Hint: hint})
}

// told tells whether there is a problem with a field, or a part of it, already.
func (v *validator) told(field string) bool {
	return slices.ContainsFunc(v.problems, func(p config.Problem) bool { return strings.HasPrefix(p.Field, field) })
}

// choice demands one of the known words.
func (v *validator) choice(path, found string, known ...string) {
	for _, k := range known {
		if k == found {
			return
		}
	}
	v.problem(path, found, config.OneOf(known), config.DidYouMean(found, known))
}

func (v *validator) delay(path string, d Time) {
	v.demand(d >= 0 && d <= maxDelay, path, d, "a time from 0ps to "+maxDelay.String())
}

func (v *validator) rate(path string, r Rate) bool {
	return v.demand(r > 0 && r <= maxRate, path, r, "a rate above 0, up to "+maxRate.String())
}

func (v *validator) between(path string, n, low, high int) bool {
	return v.demand(n >= low && n <= high, path, n, fmt.Sprintf("a number from %d to %d", low, high))
}

// validate checks everything that can be checked without building the network.
func (e *Experiment) validate() config.Problems {
	v := &validator{e: e}
	topologyRight := v.topology()
	v.routing()
	v.link("network.link", e.Network.Link)
	v.link("network.host_link", e.Network.HostLink)
	v.links()
	packetRight := v.packet()
	v.hop("network.link.latency", e.Network.Link)
	v.router(packetRight)
	v.node()
	v.mapping()
	v.imbalance()
	v.noise()
	v.classes()
	v.inC()
	if topologyRight {
		v.recording()
	}
	if e.HasTraffic() {
		v.traffic()
		v.demand(!e.Collectives.pacesAny(), "collectives", "pacing of collectives", "none with synthetic traffic, which calls no collectives")
	} else if topologyRight && v.ranks() {
		v.collectives()
		v.workload()
	}
	return v.problems
}

func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

func (v *validator) link(path string, l Link) {
	v.rate(path+".bandwidth", l.Bandwidth)
	v.delay(path+".latency", l.Latency)
}

// packet checks the sizes of packets, and that they take a reasonable time on every link.
func (v *validator) packet() bool {
	p := v.e.Network.Packet
	before := len(v.problems)
	v.demand(p.MTU >= 1 && p.MTU <= maxMTU, "network.packet.mtu", p.MTU, "a size from 1B to "+maxMTU.String())
	v.demand(p.Flit >= 1 && p.Flit <= maxMTU, "network.packet.flit", p.Flit, "a size from 1B to "+maxMTU.String())
	v.demand(p.Header >= 0, "network.packet.header", p.Header, "a size of at least 0B")
	if len(v.problems) > before {
		return false
	}
	v.demand(p.Header < p.MTU, "network.packet.header", p.Header, "less than the MTU of "+p.MTU.String())
	v.demand(p.MTU%p.Flit == 0, "network.packet.mtu", p.MTU, "a multiple of the flit of "+p.Flit.String())
	v.demand(p.MTU/p.Flit <= maxFlits, "network.packet.flit", p.Flit,
		fmt.Sprintf("at least %v, for at most %d flits in the MTU", (p.MTU+maxFlits-1)/maxFlits, maxFlits))
	if len(v.problems) > before {
		return false
	}
	n := v.e.Network
	v.packetTime("network.link.bandwidth", n.Link.Bandwidth)
	v.packetTime("network.host_link.bandwidth", n.HostLink.Bandwidth)
	v.packetTime("network.router.bandwidth", n.Router.Bandwidth)
	return true
}

// packetTime checks that the largest packet is not too long under way at a rate. What an experiment says is told before what it leaves to the default.
func (v *validator) packetTime(path string, r Rate) {
	const perSecond = Rate(Second / maxPacketTime)
	mtu := v.e.Network.Packet.MTU
	least := Rate(mtu)*perSecond + 1
	if r <= 0 || r >= least || v.e.derived[path] != "" {
		return
	}
	slow := fmt.Sprintf("a packet of %s would take longer than %s", mtu, maxPacketTime)
	if v.e.positions.Has("network.packet.mtu") && !v.e.positions.Has(path) {
		if !v.told("network.packet.mtu") {
			v.problem("network.packet.mtu", mtu.String(), "at most "+Bytes((r-1)/perSecond).String(), slow+" at "+r.String())
		}
		return
	}
	v.problem(path, r.String(), "at least "+least.String(), slow)
}

// hop refuses links by which one router acts on the next at once: simulated
// time could not advance router by router.
func (v *validator) hop(path string, l Link) {
	r := v.e.Network.Router
	hop := r.Routing + r.VCAllocation + r.SwitchAllocation + l.Latency
	delay := "a delay of the routers"
	if r.OutputBuffer == 0 {
		hop += r.SwitchTraversal + r.Latency
	} else {
		delay += " before the switch" // what lies before the output buffer does not count
	}
	v.demand(hop >= minHop, path, l.Latency, "a latency, or "+delay+", of at least "+minHop.String())
}

func (v *validator) router(packetRight bool) {
	r := v.e.Network.Router
	v.delay("network.router.routing", r.Routing)
	v.delay("network.router.vc_allocation", r.VCAllocation)
	v.delay("network.router.switch_allocation", r.SwitchAllocation)
	v.delay("network.router.switch_traversal", r.SwitchTraversal)
	v.delay("network.router.latency", r.Latency)
	v.rate("network.router.bandwidth", r.Bandwidth)
	v.between("network.router.vcs", r.VCs, 1, routing.MaxVCs)
	v.choice("network.router.queues", r.Queues, QueuesInput, QueuesVOQ)
	v.choice("network.router.arbiter", r.Arbiter, ArbiterFCFS, ArbiterRoundRobin, ArbiterMatrix, ArbiterAge, ArbiterPriority)
	if packetRight {
		mtu := v.e.Network.Packet.MTU
		v.demand(r.Buffer >= mtu && r.Buffer <= maxBuffer, "network.router.buffer", r.Buffer,
			fmt.Sprintf("a size from the MTU of %s to %s", mtu, maxBuffer))
		v.demand(r.OutputBuffer == 0 || r.OutputBuffer >= mtu && r.OutputBuffer <= maxBuffer, "network.router.output_buffer", r.OutputBuffer,
			fmt.Sprintf("0, or a size from the MTU of %s to %s", mtu, maxBuffer))
	}
}

func (v *validator) node() {
	n := v.e.Node
	v.between("node.nics", n.NICs, 1, routing.MaxNICs)
	v.between("node.ranks", n.Ranks, 1, maxShare)
	v.rate("node.dma", n.DMA)
	v.rate("node.memory", n.Memory)
	v.delay("node.overhead", n.Overhead)
	v.demand(n.Protocol.Eager >= 0 && n.Protocol.Eager <= maxSize, "node.protocol.eager", n.Protocol.Eager, "a size from 0B to "+Bytes(maxSize).String())
	if n.Protocol.Rendezvous != "" {
		v.demand(!v.e.HasTraffic(), "node.protocol", "a rendezvous of synthetic traffic", "a program: synthetic traffic posts no receives")
		v.choice("node.protocol.rendezvous", n.Protocol.Rendezvous, RendezvousWrite, RendezvousRead)
	}
	v.choice("node.nic_choice", n.NICChoice, NICRoundRobin, NICDestination, NICPort)
	v.choice("node.copies", n.Copies, CopiesZero, CopiesOne)
	v.delay("node.intra.latency", n.Intra.Latency)
	v.rate("node.intra.bandwidth", n.Intra.Bandwidth)
	v.ioBus(n.IOBus)
}

func (v *validator) ioBus(b IOBus) {
	given := v.e.positions.Has("node.io_bus")
	if b == (IOBus{}) && !given {
		return
	}
	if v.demand(b.Bandwidth != 0 || !given || v.e.positions.Has("node.io_bus.bandwidth"), "node.io_bus.bandwidth", "", "a rate such as 16GB/s") {
		v.rate("node.io_bus.bandwidth", b.Bandwidth)
	}
	v.delay("node.io_bus.latency", b.Latency)
}

func (v *validator) ranks() bool {
	most := min(v.e.places(), maxHosts)
	each := "one for each host of the network"
	if n := v.e.Node.Ranks; n > 1 {
		each = fmt.Sprintf("%d for each host of the network", n)
	}
	return v.demand(v.e.Ranks >= 1 && v.e.Ranks <= most, "ranks", v.e.Ranks, fmt.Sprintf("1 to %d, %s", most, each))
}

func (v *validator) mapping() {
	m := v.e.Mapping
	if m.File != "" {
		v.demand(m.Order == "", "mapping", "both an order and a file", "one of them")
		return
	}
	known := []string{MappingLinear, MappingRoundRobin, MappingRandom}
	if slices.Contains(known, m.Order) {
		return
	}
	hint := config.DidYouMean(m.Order, known)
	if hint == "" {
		hint = "a file of records is given as mapping: {file: PATH}"
	}
	path := "mapping.order"
	if v.e.positions.Has("mapping.file") {
		path = "mapping.file"
	}
	v.problem(path, m.Order, config.OneOf(known)+", or {file: PATH}", hint)
}
