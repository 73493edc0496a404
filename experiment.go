package fabricast

import (
	"fabricast/internal/config"
	"fabricast/mpi"
	"fabricast/node"
	"fabricast/topology"
)

// Experiment describes one prediction: a network, its nodes, and the program
// whose communication is to be predicted, or synthetic traffic in its place. The yaml names are those of
// experiment files (docs/formats/experiment.md).
//
// Fields left at zero take their defaults (see Resolve), so
//
//	fabricast.Experiment{
//		Network:  fabricast.Network{Topology: fabricast.Topology{Dims: []int{8, 8, 8}}},
//		Workload: fabricast.Workload{Program: "alltoall", Algorithm: "bruck", Size: 4},
//	}
//
// is complete.
type Experiment struct {
	Network  Network  `yaml:"network"`
	Node     Node     `yaml:"node"`
	Workload Workload `yaml:"workload,omitempty"`
	// Program is what every rank runs, instead of a Workload.
	Program func(*mpi.Rank) `yaml:"-"`
	// Launch makes what every rank runs, in place of Program: see cmpi.Job.
	Launch node.Launcher `yaml:"-"`
	// Command is how Program, or what Launch makes, is run again from the folder of a result, for people who read
	// experiment.yaml there. Empty means a program in Go.
	Command string `yaml:"-"`
	// TwoSided promises that Program, or what Launch makes, uses neither one-sided communication nor synchronous
	// sends. It predicts the same, sooner.
	TwoSided bool `yaml:"-"`
	// Traffic is synthetic traffic from all hosts, instead of a program.
	Traffic Traffic `yaml:"traffic,omitempty"`
	Ranks   int     `yaml:"ranks,omitempty"` // 0: Node.Ranks on every host
	Mapping Mapping `yaml:"mapping"`
	// Classes are those of a program's messages, by size.
	Classes []SizeClass `yaml:"classes,omitempty"`
	// Imbalance and Noise disturb the ranks of a program.
	Imbalance   Imbalance   `yaml:"imbalance,omitempty"`
	Noise       Noise       `yaml:"noise,omitempty"`
	Collectives Collectives `yaml:"collectives,omitempty"`
	// Compute and Payload are about programs in C (docs/c-programs.md).
	Compute Compute `yaml:"compute,omitempty"`
	Payload string  `yaml:"payload,omitempty"` // of messages: carry (the default) or omit
	// Record is what the run records beside its result; it has no influence on that.
	Record Recording `yaml:"record,omitempty"`
	Seed   uint64    `yaml:"seed"` // of everything random; 0 in Go means the default, 1

	// positions tell where fields were written, for messages; nil when the
	// experiment was made in Go.
	positions config.Positions
	// defaults are what Resolve has filled in, by field, if there are positions.
	defaults map[string]string
	// derived tells of fields that were not given which others their values have been taken from; the latter as beginnings of paths.
	derived map[string]string
	// network follows from Network.Topology; Resolve makes it.
	network *network
	// vcsOpen: the number of virtual channels is the default, and becomes more if the routing needs it.
	vcsOpen bool
	// routingOpen: the algorithm is shortest paths by default, and becomes up*/down* if they need too many virtual channels.
	routingOpen bool
}

// Network is everything between the nodes.
type Network struct {
	Topology Topology `yaml:"topology"`
	Routing  Routing  `yaml:"routing"`
	Link     Link     `yaml:"link"`      // between two routers
	HostLink Link     `yaml:"host_link"` // between a NIC and its router; default: as Link
	// Links sets classes of links apart from Link, by the topology's names for them
	// (docs/topologies.md), or single links by their two routers, as in "3-17". What an
	// entry leaves open is as without it; made in Go, a bandwidth without a latency has
	// none. Resolve leaves open what was so.
	Links  map[string]Link `yaml:"links,omitempty"`
	Router Router          `yaml:"router"`
	Packet Packet          `yaml:"packet"`
}

// Topology is the shape of the network. Each kind takes some of the fields
// (docs/topologies.md); the others must be left alone.
type Topology struct {
	Kind        string    `yaml:"kind,omitempty"`
	Dims        []int     `yaml:"dims,flow,omitempty"`     // torus, mesh, hyperx: routers in each dimension
	Wrap        []bool    `yaml:"wrap,flow,omitempty"`     // torus: which dimensions are rings; default all
	Width       []int     `yaml:"width,flow,omitempty"`    // hyperx, fully-connected, xgft: parallel links, for each dimension or level
	Routers     int       `yaml:"routers,omitempty"`       // fully-connected
	Radix       int       `yaml:"radix,omitempty"`         // fat-tree: ports of a switch
	Levels      int       `yaml:"levels,omitempty"`        // fat-tree: of switches
	K           int       `yaml:"k,omitempty"`             // k-ary-n-tree
	N           int       `yaml:"n,omitempty"`             // k-ary-n-tree
	M           []int     `yaml:"m,flow,omitempty"`        // xgft: children at each level
	W           []int     `yaml:"w,flow,omitempty"`        // xgft: parents at each level
	P           int       `yaml:"p,omitempty"`             // dragonfly: hosts of a router; dragonfly+: of a leaf
	A           int       `yaml:"a,omitempty"`             // dragonfly: routers of a group
	Leaves      int       `yaml:"leaves,omitempty"`        // dragonfly+: of a group
	Spines      int       `yaml:"spines,omitempty"`        // dragonfly+: of a group
	H           int       `yaml:"h,omitempty"`             // dragonfly: global links of a router; dragonfly+: of a spine
	G           int       `yaml:"g,omitempty"`             // dragonflies: groups; default: as many as can be
	Arrangement string    `yaml:"arrangement,omitempty"`   // dragonflies: absolute, relative or circulant
	Q           int       `yaml:"q,omitempty"`             // slim-fly: a prime power
	Hosts       int       `yaml:"hosts,omitempty"`         // of a router (fat-tree: of a leaf switch)
	File        string    `yaml:"file,omitempty"`          // file: a list of links or GraphML
	Block       *Topology `yaml:"block,omitempty"`         // hierarchy: what is repeated
	Outer       *Topology `yaml:"outer,omitempty"`         // hierarchy: what joins the blocks
	External    []int     `yaml:"external,flow,omitempty"` // hierarchy: the block's router with each external port
	// Custom is a topology described in Go, instead of a kind and its fields: one of
	// package topology, such as an IrregularSpec, or one of your own.
	Custom topology.Spec `yaml:"-"`
}

// Routing is how packets find their way: an algorithm and its options
// (docs/routing.md), of which only its own may be set; or an algorithm in Go.
type Routing struct {
	Algorithm   string   `yaml:"algorithm,omitempty" scalar:"true"`
	Tie         string   `yaml:"tie,omitempty"`          // dor, half-way round a ring: split (by a hash of source and destination) or up
	Choice      string   `yaml:"choice,omitempty"`       // of equal ways and channels: flow (the default), packet or queue
	DatelineVCs int      `yaml:"dateline_vcs,omitempty"` // dor on a torus: channels of ways across a dateline; 0: half
	Up          string   `yaml:"up,omitempty"`           // nca: destination, source, hash, random or adaptive
	Classes     string   `yaml:"classes,omitempty"`      // shortest: auto, hop or none
	Root        string   `yaml:"root,omitempty"`         // up-down: middle or a router's number
	Threshold   int      `yaml:"threshold,omitempty"`    // ugal, par: in favour of the minimal route
	Weights     []int    `yaml:"weights,flow,omitempty"` // ugal-l, par: in place of the hops of minimal route and detour
	Interval    Time     `yaml:"interval,omitempty"`     // ugal-g: between publications of queues
	Zones       []string `yaml:"zones,flow,omitempty"`   // zone: masks of each zone id, such as "x|yz"
	File        string   `yaml:"file,omitempty"`         // table: forwarding tables; source: routes, for some pairs of hosts
	Of          string   `yaml:"of,omitempty"`           // source: the algorithm whose routes are taken
	// Custom makes an algorithm of your own, a routing.Function, routing.Randomized
	// or routing.Adaptive, for the network and a number of virtual channels.
	Custom func(t topology.Topology, vcs int) (any, error) `yaml:"-"`
}

// Link is a class of links, one way.
type Link struct {
	Bandwidth Rate `yaml:"bandwidth"`
	Latency   Time `yaml:"latency"` // of the cable
}

// Router holds what all routers have in common.
type Router struct {
	Routing          Time   `yaml:"routing"` // routing computation
	VCAllocation     Time   `yaml:"vc_allocation"`
	SwitchAllocation Time   `yaml:"switch_allocation"`
	SwitchTraversal  Time   `yaml:"switch_traversal"`
	Latency          Time   `yaml:"latency"`       // fixed, beyond the four above
	Bandwidth        Rate   `yaml:"bandwidth"`     // of a crossbar port; default: that of the fastest link between routers
	VCs              int    `yaml:"vcs"`           // virtual channels of a port
	Buffer           Bytes  `yaml:"buffer"`        // of a virtual channel; default: 8 KiB, or 4 MTU if that is more
	Queues           string `yaml:"queues"`        // input, or voq: virtual output queues
	OutputBuffer     Bytes  `yaml:"output_buffer"` // of a virtual channel; 0: none, crossbar and link work as one
	Arbiter          string `yaml:"arbiter"`       // fcfs, round-robin, matrix, age or priority
}

// Packet holds the sizes of packets.
type Packet struct {
	MTU    Bytes `yaml:"mtu"` // the largest packet, header included
	Header Bytes `yaml:"header"`
	Flit   Bytes `yaml:"flit"` // packets occupy whole flits
}

// Node holds what all hosts have in common.
type Node struct {
	NICs      int    `yaml:"nics"`
	NICChoice string `yaml:"nic_choice"` // by which NIC a message leaves: round-robin, destination or port
	Ranks     int    `yaml:"ranks"`      // most ranks of a node
	DMA       Rate   `yaml:"dma"`        // between memory and a NIC, each way
	Memory    Rate   `yaml:"memory"`     // of a copy in memory
	Overhead  Time   `yaml:"overhead"`   // of software, for each send and each receive
	Copies    string `yaml:"copies"`     // zero, or one: a copy through a buffer of the MPI library at each end
	Intra     Intra  `yaml:"intra"`
	IOBus     IOBus  `yaml:"io_bus,omitempty"` // default: none
	// Protocol is how messages travel; the zero value makes all of them eager.
	Protocol Protocol `yaml:"protocol,omitempty"`
}

// Protocol tells which messages ask for a rendezvous before their data travels.
type Protocol struct {
	Eager      Bytes  `yaml:"eager"`                // the largest message that travels at once
	Rendezvous string `yaml:"rendezvous,omitempty"` // of larger ones: write or read
}

// IOBus is what all NICs of a host share on their way to memory: PCIe, a north bridge.
type IOBus struct {
	Bandwidth Rate `yaml:"bandwidth"` // each way
	Latency   Time `yaml:"latency"`   // each way
}

// Intra is how messages between ranks of one node travel.
type Intra struct {
	Latency   Time `yaml:"latency"`   // from the end of the sender's copy to the arrival
	Bandwidth Rate `yaml:"bandwidth"` // of that copy; default: Node.Memory
}

// Mapping tells on which host each rank runs.
type Mapping struct {
	Order string `yaml:"order,omitempty" scalar:"true"` // linear (first dimension fastest), round-robin or random
	File  string `yaml:"file,omitempty"`                // of "rank host" records, one a line
}
