package experiment

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fabricast/fabric"
	"fabricast/internal/config"
	"fabricast/internal/failure"
	"fabricast/internal/input"
	"fabricast/internal/units"
	"fabricast/node"
	"fabricast/routing"
)

// Limits of experiments, far beyond any system built so far.
const (
	MaxHosts  = 1 << 26
	maxDelay  = units.Second
	maxRate   = 1000 * 1000 * units.GBPerSecond
	maxBuffer = units.GiB
	maxMTU    = 16 * units.MiB
	maxSize   = 1 << 40   // bytes of a message
	maxShare  = 1 << 16   // ranks of a node
	maxFlits  = 1<<15 - 1 // flits of a packet

	// minHop is the minimum time from the start of a packet at one router to its start at the next.
	minHop = 2 * units.Picosecond

	// maxPacketTime is the maximum time of the largest packet on a link. It fits in 32 bits of
	// picoseconds.
	maxPacketTime = 2 * units.Millisecond
)

// validator collects the problems of an experiment.
type validator struct {
	e        *Experiment
	problems config.Problems
}

// demand records a problem with the field at path if ok is false. It returns ok.
func (v *validator) demand(ok bool, path string, found any, expected string) bool {
	if !ok {
		v.problem(path, fmt.Sprint(found), expected, "")
	}
	return ok
}

// problem records a problem with the field at path. It ignores a problem whose field was derived
// from another field for which a problem has been recorded.
func (v *validator) problem(path, found, expected, hint string) {
	for source := v.e.derived[path]; source != ""; source = v.e.derived[source] {
		if v.told(source) {
			return
		}
	}
	if found == "" {
		found = "nothing"
	}
	// not if the program changed the field after the file was read
	if found != "nothing" && v.e.defaults[path] == found {
		found += " (the default)"
	}
	v.problems = append(v.problems, config.Problem{Field: path, Found: found, Expected: expected, Hint: hint})
}

// told reports whether a problem with a field, or a part of it, has been recorded.
func (v *validator) told(field string) bool {
	return slices.ContainsFunc(
		v.problems,
		func(p config.Problem) bool { return strings.HasPrefix(p.Field, field) },
	)
}

// choice records a problem if found is not one of the known words.
func (v *validator) choice(path, found string, known ...string) {
	for _, k := range known {
		if k == found {
			return
		}
	}
	v.problem(path, found, config.OneOf(known), config.DidYouMean(found, known))
}

func (v *validator) delay(path string, d units.Time) {
	v.demand(d >= 0 && d <= maxDelay, path, d, "a time from 0ps to "+maxDelay.String())
}

func (v *validator) rate(path string, r units.Rate) bool {
	return v.demand(r > 0 && r <= maxRate, path, r, "a rate above 0, up to "+maxRate.String())
}

func (v *validator) between(path string, n, low, high int) bool {
	return v.demand(n >= low && n <= high, path, n, fmt.Sprintf("a number from %d to %d", low, high))
}

// validate checks everything that can be checked without building the network, and returns the
// problems.
func (e *Experiment) validate() config.Problems { return e.validateBesides(nil) }

// validateBesides is like validate when some fields could not be read. Checks that depend on the
// whole topology are skipped if the topology could not be read.
func (e *Experiment) validateBesides(unread config.Problems) config.Problems {
	v := &validator{e: e, problems: slices.Clone(unread)}
	v.machine()
	v.model()
	topologyRight := v.topology() && !unread.Touch("network.topology")
	v.routing()
	v.link("network.link", e.Network.Link)
	v.link("network.host_link", e.Network.HostLink)
	v.links()
	packetRight := v.packet()
	v.hop("network.link.latency", e.Network.Link)
	v.router(packetRight)
	v.inNetwork(packetRight)
	v.node()
	v.congestion(packetRight)
	v.mapping()
	v.partition()
	v.imbalance()
	v.checkpoint()
	v.noise()
	v.faults()
	v.engine()
	v.classes()
	v.inC()
	if topologyRight {
		v.recording()
	}
	if e.HasJobs() || e.positions.Has("jobs") {
		v.jobs(topologyRight)
	} else if e.HasTraffic() {
		v.traffic()
		v.demand(
			!e.Collectives.PacesAny(), "collectives", "pacing of collectives",
			"none with synthetic traffic, which calls no collectives",
		)
	} else if topologyRight && v.ranks() {
		v.collectives()
		v.workload()
	}
	return v.problems[len(unread):]
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
	v.demand(
		p.Flit >= 1 && p.Flit <= maxMTU, "network.packet.flit", p.Flit,
		"a size from 1B to "+maxMTU.String(),
	)
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

// packetTime checks that the largest packet does not take too long at rate r (bytes/s). It reports
// the field that the user wrote rather than one with a default.
func (v *validator) packetTime(path string, r units.Rate) {
	const perSecond = units.Rate(units.Second / maxPacketTime)
	mtu := v.e.Network.Packet.MTU
	least := v.e.LeastRate()
	if r <= 0 || r >= least || v.e.derived[path] != "" {
		return
	}
	slow := fmt.Sprintf("a packet of %s would take longer than %s", mtu, maxPacketTime)
	if v.e.positions.Has("network.packet.mtu") && !v.e.positions.Has(path) {
		if !v.told("network.packet.mtu") {
			v.problem(
				"network.packet.mtu",
				mtu.String(), "at most "+units.Bytes((r-1)/perSecond).String(),
				slow+" at "+r.String(),
			)
		}
		return
	}
	v.problem(path, r.String(), "at least "+least.String(), slow)
}

// LeastRate returns the lowest bandwidth of a link, at which the largest packet does not take too long.
func (e *Experiment) LeastRate() units.Rate {
	return units.Rate(e.Network.Packet.MTU)*units.Rate(units.Second/maxPacketTime) + 1
}

// hop checks that a packet takes at least minHop from one router to the next over link l. Otherwise
// simulated time could not advance.
func (v *validator) hop(path string, l Link) {
	r := v.e.Network.Router
	hop := r.Routing + r.VCAllocation + l.Latency
	delay := "a delay of the routers"
	if r.Allocation == AllocationSeparate {
		// a packet affects the next router when it requests a virtual channel there
		delay += " other than switch allocation"
	} else {
		hop += r.SwitchAllocation
	}
	if r.OutputBuffer == 0 {
		hop += r.SwitchTraversal + r.Latency
	} else {
		delay += " before the switch" // with output buffers, later delays do not count
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
	v.word("network.router.queues", r.Queues)
	v.word("network.router.allocation", r.Allocation)
	v.word("network.router.allocator", r.Allocator)
	if r.Allocator == AllocatorSeparable {
		v.demand(
			r.Allocation == AllocationSeparate, "network.router.allocator", r.Allocator,
			AllocatorMaximal+", or allocation: "+AllocationSeparate,
		)
		const round = "more than 0, as it is the time of a round of a separable allocator"
		v.demand(r.VCAllocation > 0, "network.router.vc_allocation", r.VCAllocation, round)
		v.demand(r.SwitchAllocation > 0, "network.router.switch_allocation", r.SwitchAllocation, round)
	}
	v.delay("network.router.turnaround", r.Turnaround)
	if r.Queues == QueuesVOQ {
		v.demand(
			r.Allocation != AllocationSeparate, "network.router.allocation", r.Allocation,
			"combined, as virtual output queues have no allocation of virtual channels of its own",
		)
		v.demand(
			r.Turnaround == 0, "network.router.turnaround", r.Turnaround,
			"0, as it is that of an input queue, not of virtual output queues",
		)
	}
	v.doors()
	v.arbiter(r)
	if packetRight {
		mtu := v.e.Network.Packet.MTU
		v.demand(r.Buffer >= mtu && r.Buffer <= maxBuffer, "network.router.buffer", r.Buffer,
			fmt.Sprintf("a size from the MTU of %s to %s", mtu, maxBuffer))
		v.demand(
			r.OutputBuffer == 0 || r.OutputBuffer >= mtu && r.OutputBuffer <= maxBuffer,
			"network.router.output_buffer",
			r.OutputBuffer, fmt.Sprintf("0, or a size from the MTU of %s to %s", mtu, maxBuffer),
		)
	}
}

// doors checks that the network model has packets if Network.Doors is set.
func (v *validator) doors() {
	model := v.e.Network.Model
	v.demand(
		v.e.Network.Doors == nil || model == "" || model == ModelPacket, "network.model", model,
		"packet, as the network has doors",
	)
}

// arbiter checks the arbiter: its name, or that it is user-defined.
func (v *validator) arbiter(r Router) {
	const path = "network.router.arbiter"
	if r.OwnArbiter != nil {
		v.demand(r.Arbiter == "", path, r.Arbiter, "nothing beside an arbiter of your own")
		return
	}
	v.word(path, r.Arbiter)
}

// peers checks the limits on eager messages that depend on the number of peers.
func (v *validator) peers(p Protocol) {
	v.between("node.protocol.peers", p.Peers, 0, node.MostPeers)
	v.demand(
		p.Others >= 0 && (p.Others <= p.Eager || v.told("node.protocol.eager")), "node.protocol.others", p.Others,
		"a size of at most node.protocol.eager",
	)
	if p.Peers > 0 {
		v.demand(
			p.Rendezvous != "" || v.told("node.protocol.rendezvous"), "node.protocol.peers",
			p.Peers, "a rendezvous, as of node.protocol.eager",
		)
	}
	v.delay("node.protocol.notice", p.Notice)
	if p.Complete != "" {
		v.word("node.protocol.complete", p.Complete)
	}
}

func (v *validator) node() {
	n := v.e.Node
	v.between("node.nics", n.NICs, 1, routing.MaxNICs)
	v.between("node.ranks", n.Ranks, 1, maxShare)
	v.rate("node.dma", n.DMA)
	v.rate("node.memory", n.Memory)
	v.delay("node.overhead", n.Overhead)
	v.demand(
		n.Protocol.Eager >= 0 && n.Protocol.Eager <= maxSize, "node.protocol.eager",
		n.Protocol.Eager, "a size from 0B to "+units.Bytes(maxSize).String(),
	)
	v.delay("node.protocol.setup", n.Protocol.Setup)
	if above := n.Protocol.SetupAbove; above != nil {
		v.demand(
			*above >= 0 && *above <= maxSize,
			"node.protocol.setup_above",
			*above,
			"a size from 0B to "+units.Bytes(maxSize).String(),
		)
	}
	v.peers(n.Protocol)
	if n.Protocol.Rendezvous != "" {
		v.demand(
			!v.e.HasTraffic(), "node.protocol", "a rendezvous of synthetic traffic",
			"a program: synthetic traffic posts no receives",
		)
		v.word("node.protocol.rendezvous", n.Protocol.Rendezvous)
	}
	v.word("node.injection", n.Injection)
	v.word("node.nic_choice", n.NICChoice)
	v.demand(
		n.Gap >= 0 && n.Gap <= fabric.MaxGap*units.Whole && n.Gap%GapUnit == 0, "node.gap",
		packetTimes(n.Gap),
		fmt.Sprintf("a number of packet times from 0 to %d, to the thousandth, such as 1.5", fabric.MaxGap),
	)
	v.word("node.nic_order", n.NICOrder)
	v.word("node.copies", n.Copies)
	v.delay("node.intra.latency", n.Intra.Latency)
	v.rate("node.intra.bandwidth", n.Intra.Bandwidth)
	v.ioBus(n.IOBus)
	for _, rate := range []struct {
		path string
		rate units.Rate
	}{{"node.work.combine", n.Work.Combine}, {"node.work.copy", n.Work.Copy}} {
		if rate.rate != 0 || v.e.positions.Has(rate.path) {
			v.rate(rate.path, rate.rate)
		}
	}
}

func (v *validator) ioBus(b IOBus) {
	given := v.e.positions.Has("node.io_bus")
	if b == (IOBus{}) && !given {
		return
	}
	if v.demand(
		b.Bandwidth != 0 || !given || v.e.positions.Has("node.io_bus.bandwidth"),
		"node.io_bus.bandwidth",
		"",
		"a rate such as 16GB/s",
	) {
		v.rate("node.io_bus.bandwidth", b.Bandwidth)
	}
	v.delay("node.io_bus.latency", b.Latency)
}

func (v *validator) ranks() bool {
	if v.e.Ranks == 0 && v.e.Mapping.Nodes != "" && !v.e.positions.Has("ranks") {
		return false // the nodes are wrong, which is reported
	}
	most := min(v.e.Places(), MaxHosts)
	each := "one for each host of the network"
	if n := v.e.Node.Ranks; n > 1 {
		each = fmt.Sprintf("%d for each host of the network", n)
	}
	return v.demand(
		v.e.Ranks >= 1 && v.e.Ranks <= most, "ranks", v.e.Ranks,
		fmt.Sprintf("1 to %d, %s", most, each),
	)
}

func (v *validator) mapping() {
	m := v.e.Mapping
	if m.File != "" {
		v.demand(m.Order == "" && m.Nodes == "", "mapping", "both a file and an order or nodes", "one of them")
		return
	}
	if m.Nodes != "" {
		v.nodes()
		return
	}
	known := words["mapping.order"]
	if slices.Contains(known, m.Order) {
		v.demand(len(m.Axes) == 0 || m.Order == MappingFolded, "mapping.axes", fmt.Sprint(m.Axes),
			"none: they are of the order "+MappingFolded)
		v.demand(len(m.Rings) == 0 || m.Order == MappingFolded, "mapping.rings", fmt.Sprint(m.Rings),
			"none: they are of the order "+MappingFolded)
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

// nodes checks the nodes that a mapping lists.
func (v *validator) nodes() {
	const path = "mapping.nodes"
	m := v.e.Mapping
	v.demand(m.Order == "" && len(m.Axes) == 0 && len(m.Rings) == 0, "mapping", "both an order and nodes", "one of them")
	if v.e.network == nil || v.e.network.file == nil {
		v.demand(false, path, m.Nodes, "none: only a network whose topology is a file that names its hosts has nodes")
		return
	}
	hosts, wrong, hint := v.e.network.file.HostsOf(m.Nodes)
	if wrong != "" {
		v.problem(path, wrong, "names of nodes in "+v.e.Network.TopologyFile(), hint)
		return
	}
	if most := len(hosts) * max(1, v.e.Node.Ranks); v.e.Ranks > most {
		v.problem(path, fmt.Sprintf("hosts for %d ranks", most), fmt.Sprintf("hosts for all %d", v.e.Ranks),
			"node.ranks is how many there are on each")
	}
}

func (v *validator) partition() {
	switch p := v.e.Partition; {
	case p == Partition{}:
	case v.e.Network.Abstract():
		v.demand(false, "partition", "a partition", "none in a network without packets")
	case p.File != "":
		v.demand(p.By == "", "partition", "both a kind and a file", "one of them")
	default:
		v.word("partition.by", p.By)
	}
}

// Refuse returns a *failure.ConfigError for a field that proved invalid when the network was built.
func (e *Experiment) Refuse(path, found, expected, hint string) error {
	v := &validator{e: e}
	v.problem(path, found, expected, hint)
	e.positions.Locate(v.problems)
	if e.jobOf != "" && slices.Contains(jobFields, rootOf(path)) {
		v.problems[0].Field = e.jobOf + "." + path
	}
	return failure.NewConfigError(v.problems)
}

// Unread returns a *failure.ConfigError for a field whose file could not be read.
func (e *Experiment) Unread(field string, err error) error {
	var file *input.Error
	if errors.As(err, &file) {
		return e.Refuse(field, file.Where(), file.Expected, "")
	}
	return e.Refuse(field, err.Error(), "a readable file", "")
}
