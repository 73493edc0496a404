package experiment

import (
	"fmt"
	"maps"
	"reflect"

	"fabricast/internal/units"
	"fabricast/topology"
)

// Words accepted by fields of an experiment.
const (
	KindTorus         = "torus"
	KindMesh          = "mesh"
	KindHyperX        = "hyperx" // flattened butterfly
	KindFull          = "fully-connected"
	KindFatTree       = "fat-tree"
	KindKaryTree      = "k-ary-n-tree"
	KindXGFT          = "xgft"
	KindDragonfly     = "dragonfly"
	KindDragonflyPlus = "dragonfly+"
	KindSlimFly       = "slim-fly"
	KindHierarchy     = "hierarchy"
	KindFile          = "file"

	RoutingDOR      = "dor"      // dimension order
	RoutingNCA      = "nca"      // for trees: up to a nearest common ancestor, and down again
	RoutingMinimal  = "minimal"  // minimal routes in any network, based on its structure
	RoutingShortest = "shortest" // shortest routes in any network, based on tables
	RoutingUpDown   = "up-down"
	RoutingValiant  = "valiant"
	RoutingROMM     = "romm"     // randomized, minimal, in two phases
	RoutingAdaptive = "adaptive" // minimal adaptive, with escape channels
	RoutingUGALL    = "ugal-l"
	RoutingUGALG    = "ugal-g"
	RoutingPAR      = "par"
	RoutingZone     = "zone"
	RoutingSource   = "source" // source routing: the packet's header contains its route
	RoutingTable    = "table"  // forwarding tables read from a file

	ArbiterFCFS       = "fcfs"
	ArbiterRoundRobin = "round-robin"
	ArbiterMatrix     = "matrix"
	ArbiterAge        = "age"
	ArbiterPriority   = "priority"
	ArbiterArrival    = "arrival"

	AllocationCombined = "combined"
	AllocationSeparate = "separate"

	AllocatorMaximal   = "maximal"
	AllocatorSeparable = "separable"

	InjectionRouted = "routed"
	InjectionAll    = "all"

	QueuesInput = "input"
	QueuesVOQ   = "voq"

	NICRoundRobin  = "round-robin"
	NICDestination = "destination"
	NICPort        = "port"

	NICFIFO         = "fifo" // first in, first out; NICRoundRobin is the other order
	NICControlFirst = "control-first"

	RendezvousWrite = "write"
	RendezvousRead  = "read"

	CompleteCopied  = "copied"
	CompleteFetched = "fetched"

	CopiesZero = "zero"
	CopiesOne  = "one"

	MappingLinear     = "linear"
	MappingRoundRobin = "round-robin"
	MappingRandom     = "random"
	MappingFolded     = "folded" // along rings, each in two dimensions of a torus

	PartitionLinear   = "linear"   // consecutive routers by ID
	PartitionTopology = "topology" // along the structure of a regular topology
	PartitionGraph    = "graph"    // few links between the parts of any network, by the best method available
	PartitionMetis    = "metis"    // with the METIS library
	PartitionScotch   = "scotch"   // with the Scotch library
	PartitionOwn      = "own"      // with Fabricast's own method
)

// The default network has the parameters of NSIM's published extreme-scale runs.
var (
	defaultLink   = Link{Bandwidth: 8 * units.GBPerSecond, Latency: 100 * units.Nanosecond}
	defaultRouter = Router{
		Routing:          2 * units.Nanosecond,
		VCAllocation:     2 * units.Nanosecond,
		SwitchAllocation: 2 * units.Nanosecond,
		Latency:          140 * units.Nanosecond,
		VCs:              2,
		Buffer:           8 * units.KiB,
		Queues:           QueuesInput,
		Allocation:       AllocationCombined,
		Allocator:        AllocatorMaximal,
		Arbiter:          ArbiterFCFS,
	}
	defaultPacket = Packet{MTU: 256, Flit: 16}
	defaultNode   = Node{
		NICs: 1, Ranks: 1, DMA: 10 * units.GBPerSecond, Memory: 10 * units.GBPerSecond,
		Overhead: 200 * units.Nanosecond, Copies: CopiesZero, NICChoice: NICRoundRobin,
		NICOrder: NICFIFO, Injection: InjectionRouted,
	}
)

// fillDefaults sets the fields that were not given to their defaults.
//
// A zero in a field counts as given if it was written in the experiment's file. In an experiment
// built in Go, a zero counts as given only for a delay, and only if another field of the same
// struct is set.
func (e *Experiment) fillDefaults() {
	f := filler{e}
	if e.positions != nil { // copies of the experiment need a map of their own
		if e.defaults = maps.Clone(e.defaults); e.defaults == nil {
			e.defaults = make(map[string]string)
		}
	}
	e.derived = map[string]string{}
	n := &e.Network
	if e.NoTopology() {
		f.parameters(n)
	} else {
		if n.Topology == nil {
			n.Topology = topology.TorusSpec{}
		}
		n.Topology = topologyFiller{f, "network.topology", false}.topology(n.Topology)
	}
	e.describe()
	f.routing(n)
	f.link("network.link", &n.Link, defaultLink, "")
	f.link("network.host_link", &n.HostLink, n.Link, "network.link")
	f.packet(&n.Packet)
	f.router(&n.Router)
	f.inNetwork(&n.InNetwork)
	f.node(&e.Node)
	f.congestion(n, &e.Node.Transport)
	if !e.Mapping.given() && !e.positions.Has("mapping") {
		e.Mapping.Order = MappingLinear
	}
	switch {
	case e.HasTraffic():
		f.traffic(&e.Traffic, n.Packet)
	case !e.HasJobs() && !e.positions.Has("jobs"):
		places := e.Places()
		if e.Mapping.Nodes != "" {
			places = len(e.HostsOfNodes()) * max(1, e.Node.Ranks)
		}
		give(f, "ranks", &e.Ranks, places)
	}
	f.pacing("workload.pacing", &e.Workload.Pacing)
	f.collectives(&e.Collectives)
	f.imbalance(&e.Imbalance)
	f.checkpoint(&e.Checkpoint)
	f.noise(&e.Noise)
	f.faults(e)
	f.engine(&e.Engine)
	give(f, "seed", &e.Seed, 1)
	f.jobs()
}

type filler struct{ e *Experiment }

// give sets a field to its default value if it is zero and was not written in the file.
func give[T comparable](f filler, path string, v *T, value T) { derive(f, path, v, value, "") }

// derive is like give for a default that is derived from other fields. source is the path of those
// fields, or their common path prefix.
func derive[T comparable](f filler, path string, v *T, value T, source string) {
	var zero T
	if *v != zero || f.e.positions.Has(path) {
		return
	}
	*v = value
	if f.e.defaults != nil {
		f.e.defaults[path] = fmt.Sprint(value)
	}
	if source != "" {
		f.e.derived[path] = source
	}
}

// delay is like give for a delay. In an experiment built in Go, a zero delay is kept if structSet,
// that is, if the struct that contains the delay is not empty.
func (f filler) delay(path string, v *units.Time, structSet bool, value units.Time) {
	if f.e.positions != nil || !structSet {
		give(f, path, v, value)
	}
}

// link fills in the bandwidth and latency of the link class at path from the defaults d. source is
// the path of the class that d was taken from, or "" if d is constant.
func (f filler) link(path string, l *Link, d Link, source string) {
	fromLatency, fromBandwidth := "", ""
	if source != "" {
		fromLatency, fromBandwidth = source+".latency", source+".bandwidth"
	}
	if f.e.positions != nil || *l == (Link{}) {
		derive(f, path+".latency", &l.Latency, d.Latency, fromLatency)
	}
	derive(f, path+".bandwidth", &l.Bandwidth, d.Bandwidth, fromBandwidth)
}

func (f filler) packet(p *Packet) {
	give(f, "network.packet.mtu", &p.MTU, defaultPacket.MTU)
	give(f, "network.packet.flit", &p.Flit, defaultPacket.Flit)
}

func (f filler) router(r *Router) {
	set := !reflect.ValueOf(*r).IsZero()
	d := defaultRouter
	f.delay("network.router.routing", &r.Routing, set, d.Routing)
	f.delay("network.router.vc_allocation", &r.VCAllocation, set, d.VCAllocation)
	f.delay("network.router.switch_allocation", &r.SwitchAllocation, set, d.SwitchAllocation)
	f.delay("network.router.latency", &r.Latency, set, d.Latency)
	// the fastest link, whatever its class
	derive(f, "network.router.bandwidth", &r.Bandwidth, f.e.fastest(), "network.")
	if r.VCs == 0 && !f.e.positions.Has("network.router.vcs") {
		r.VCs, f.e.vcsOpen = d.VCs, true
	}
	buffer := max(d.Buffer, 4*min(f.e.Network.Packet.MTU, maxMTU), f.e.roundTrip())
	derive(f, "network.router.buffer", &r.Buffer, buffer, "network.")
	give(f, "network.router.queues", &r.Queues, d.Queues)
	give(f, "network.router.allocation", &r.Allocation, d.Allocation)
	give(f, "network.router.allocator", &r.Allocator, d.Allocator)
	if r.OwnArbiter == nil {
		give(f, "network.router.arbiter", &r.Arbiter, d.Arbiter)
	}
}

func (f filler) node(n *Node) {
	plain := *n
	plain.Transport = Transport{} // whose options may have no ==
	set := plain != (Node{})
	d := defaultNode
	give(f, "node.nics", &n.NICs, d.NICs)
	give(f, "node.ranks", &n.Ranks, d.Ranks)
	give(f, "node.dma", &n.DMA, d.DMA)
	give(f, "node.memory", &n.Memory, d.Memory)
	f.delay("node.overhead", &n.Overhead, set, d.Overhead)
	if f.e.positions.Has("node.protocol.eager") || n.Protocol.Eager > 0 {
		give(f, "node.protocol.rendezvous", &n.Protocol.Rendezvous, RendezvousWrite)
	}
	give(f, "node.nic_choice", &n.NICChoice, d.NICChoice)
	give(f, "node.nic_order", &n.NICOrder, d.NICOrder)
	give(f, "node.injection", &n.Injection, d.Injection)
	give(f, "node.copies", &n.Copies, d.Copies)
	derive(f, "node.intra.bandwidth", &n.Intra.Bandwidth, n.Memory, "node.memory")
}
