package experiment

import (
	"fabricast/fabric"
	"fabricast/internal/config"
	"fabricast/internal/netfile"
	"fabricast/internal/units"
	"fabricast/mpi"
	"fabricast/node"
	"fabricast/routing"
	"fabricast/routing/deadlock"
	"fabricast/topology"
)

// NetworkFile is a topology that is read from a file: a list of links, or GraphML.
type NetworkFile = netfile.Options

// Experiment describes one prediction: a network, its nodes, and the program whose communication is
// to be predicted, or synthetic traffic in its place. The yaml names are those of experiment files
// (docs/formats/experiment.md).
//
// Fields left at zero take their defaults (see Resolve), so
//
//	fabricast.Experiment{
//		Network:  experiment.Network{Topology: topology.TorusSpec{Dims: []int{8, 8, 8}}},
//		Workload: experiment.Workload{Program: "alltoall", Algorithm: "bruck", Size: 4},
//	}
//
// is complete.
type Experiment struct {
	Network  Network  `yaml:"network"`
	Node     Node     `yaml:"node"`
	Workload Workload `yaml:"workload,omitempty"`
	// Program is the function that every rank runs, instead of a Workload.
	Program func(*mpi.Rank) `yaml:"-"`
	// Launch creates the program of every rank, instead of Program: see cmpi.Job.
	Launch node.Launcher `yaml:"-"`
	// Apart promises that the ranks of Launch share no state but what a replay.Job keeps for its
	// report, so that several processes may share a run.
	Apart bool `yaml:"-"`
	// Common is what the ranks of Launch share: cmpi.Job has it. With it several processes may
	// share the run.
	Common node.Common `yaml:"-"`
	// Command is the command line by which the program is run again from the result folder. It is
	// written into experiment.yaml there. Empty means a program in Go.
	Command string `yaml:"-"`
	// TwoSided promises that the program uses neither one-sided communication nor synchronous
	// sends. The prediction is the same, but the simulation is faster.
	TwoSided bool `yaml:"-"`
	// Traffic is synthetic traffic from all hosts, instead of a program.
	Traffic Traffic `yaml:"traffic,omitempty"`
	// Jobs are several programs at once, each on hosts of its own, instead of one program.
	Jobs    []Job   `yaml:"jobs,omitempty"`
	Ranks   int     `yaml:"ranks,omitempty"` // 0: Node.Ranks on every host
	Mapping Mapping `yaml:"mapping"`
	// Partition says how the network is divided among processes and workers. It changes no result.
	Partition Partition `yaml:"partition,omitempty"`
	// Classes gives priorities to a program's messages, by their size.
	Classes []SizeClass `yaml:"classes,omitempty"`
	// Imbalance delays the beginning of ranks. Noise interrupts their computation.
	Imbalance   Imbalance   `yaml:"imbalance,omitempty"`
	Noise       Noise       `yaml:"noise,omitempty"`
	Collectives Collectives `yaml:"collectives,omitempty"`
	// Compute and Payload are about programs in C (docs/c-programs.md).
	Compute Compute `yaml:"compute,omitempty"`
	Payload string  `yaml:"payload,omitempty"` // of messages: carry (the default) or omit
	// Record is what the run records beside its result; it has no influence on that.
	Record Recording `yaml:"record,omitempty"`
	// Engine is how the experiment is simulated; it has no influence on the result.
	Engine Engine `yaml:"engine,omitempty"`
	Seed   uint64 `yaml:"seed"` // of everything random; 0 in Go means the default, 1

	// positions are where fields were written, for messages; nil when the
	// experiment was made in Go.
	positions config.Positions
	// defaults are what Resolve has filled in, by field, if there are positions.
	defaults map[string]string
	// derived names, for fields that were not given, the fields that their values were taken from;
	// the latter as beginnings of paths.
	derived map[string]string
	// jobOf is the path of the job that the experiment is, without the others; "" if it is none.
	jobOf string
	// network follows from Network.Topology; Resolve makes it.
	network *network
	// vcsOpen: the number of virtual channels is the default, and becomes more if the routing needs
	// it.
	vcsOpen bool
	// routingOpen: the algorithm is shortest paths by default, and becomes up*/down* if they need
	// too many virtual channels.
	routingOpen bool
	// proofs keeps what the check for deadlock has found, for experiments that come from the same
	// document; nil keeps nothing.
	proofs *deadlock.Reports
}

// Network describes everything between the nodes: shape, links, routers, routing and packets.
type Network struct {
	// Machine is a real machine (package machines), whose settings hold where the file has none of
	// its own, and Shape is what of it. Both are for files; in Go, see Machine.
	Machine string `yaml:"machine,omitempty"`
	Shape   []int  `yaml:"shape,flow,omitempty"`
	// Model is how the network is simulated (docs/abstract-networks.md): "" or packet, or without
	// packets.
	Model      string     `yaml:"model,omitempty"`
	Parameters Parameters `yaml:"parameters,omitempty"` // of the model
	// Topology is the shape of the network: a specification of package topology, such as
	// topology.TorusSpec, a NetworkFile, or one of your own. Nil is a torus.
	Topology topology.Spec `yaml:"topology"`
	// Routing is the routing algorithm with its options, such as routing.DOROptions, or routing.Own.
	// Nil is the usual one of the topology.
	Routing  routing.Spec `yaml:"routing"`
	Link     Link         `yaml:"link"`      // between two routers
	HostLink Link         `yaml:"host_link"` // between a NIC and its router; default: as Link
	// Links changes the parameters of classes of links, by the topology's names for them
	// (docs/topologies.md), or of single links by their two routers, as in "3-17". What an entry
	// does not set stays as it would be without the entry. In an entry made in Go, a bandwidth
	// without a latency sets the latency to 0. Resolve does not fill in what entries leave open.
	Links  map[string]Link `yaml:"links,omitempty"`
	Router Router          `yaml:"router"`
	Packet Packet          `yaml:"packet"`
	// Doors makes what a model of your own adds to routers, links and NICs (docs/extending.md), for a
	// topology and a number of virtual channels; nil: nothing.
	Doors func(t topology.Topology, vcs int) (*fabric.Doors, error) `yaml:"-"`
}

// Link holds the parameters of a class of links, for each direction.
type Link struct {
	Bandwidth units.Rate `yaml:"bandwidth"`
	Latency   units.Time `yaml:"latency"` // of the cable
}

// Router holds the parameters that all routers have in common.
type Router struct {
	Routing          units.Time `yaml:"routing"` // routing computation
	VCAllocation     units.Time `yaml:"vc_allocation"`
	SwitchAllocation units.Time `yaml:"switch_allocation"`
	SwitchTraversal  units.Time `yaml:"switch_traversal"`
	Latency          units.Time `yaml:"latency"` // fixed, beyond the four above
	// of a crossbar port; default: that of the fastest link, host links included
	Bandwidth units.Rate `yaml:"bandwidth"`
	VCs       int        `yaml:"vcs"` // virtual channels of a port
	// of a virtual channel; default: what the longest link carries in a credit round trip, at least
	// 8 KiB and 4 MTU
	Buffer units.Bytes `yaml:"buffer"`
	Queues string      `yaml:"queues"` // input, or voq: virtual output queues
	// of a virtual channel; 0: none, crossbar and link work as one
	OutputBuffer units.Bytes `yaml:"output_buffer"`
	// of virtual channels: combined with the crossbar, or separate, before it
	Allocation string `yaml:"allocation"`
	// with separate allocation: maximal, all that can start does, or separable
	Allocator string `yaml:"allocator"`
	// of an input queue, between the tail of a packet and the next packet's asking
	Turnaround units.Time `yaml:"turnaround"`
	// fcfs, round-robin, matrix, age, priority or arrival
	Arbiter string `yaml:"arbiter,omitempty"`
	// OwnArbiter is an arbiter described in Go, in place of Arbiter.
	OwnArbiter *fabric.ArbiterKind `yaml:"-"`
	// FlowControl, described in Go, says when a packet may enter the next buffer; nil: as soon as
	// all of it has space.
	FlowControl *fabric.FlowControl `yaml:"-"`
}

// Packet holds the sizes of packets, in bytes.
type Packet struct {
	MTU    units.Bytes `yaml:"mtu"` // the largest packet, header included
	Header units.Bytes `yaml:"header"`
	Flit   units.Bytes `yaml:"flit"` // packets occupy whole flits
}

// Node holds the parameters that all hosts have in common.
type Node struct {
	NICs int `yaml:"nics"`
	// by which NIC a message leaves: round-robin, destination or port
	NICChoice string `yaml:"nic_choice"`
	// of the messages posted to a NIC: fifo, one after the other, or round-robin, packet by packet
	NICOrder string `yaml:"nic_order"`
	// virtual channels by which NICs inject: routed, or all of them in turn
	Injection string     `yaml:"injection"`
	Ranks     int        `yaml:"ranks"`    // most ranks of a node
	DMA       units.Rate `yaml:"dma"`      // between memory and a NIC, each way
	Memory    units.Rate `yaml:"memory"`   // of a copy in memory
	Overhead  units.Time `yaml:"overhead"` // of software, for each send and each receive
	// zero, or one: a copy through a buffer of the MPI library at each end
	Copies string `yaml:"copies"`
	Intra  Intra  `yaml:"intra"`
	IOBus  IOBus  `yaml:"io_bus,omitempty"` // default: none
	// Work is what processors take for the data of collectives; default: nothing.
	Work Work `yaml:"work,omitempty"`
	// Gap is the pause of a NIC after each packet, in packet times; the messages of paced
	// collectives may have more.
	Gap units.Fraction `yaml:"gap,omitempty"`
	// Protocol is how messages travel; the zero value makes all of them eager.
	Protocol Protocol `yaml:"protocol,omitempty"`
}

// Protocol selects, by size, which messages are sent at once (eager) and which need a rendezvous
// with the receiver first.
type Protocol struct {
	Eager      units.Bytes `yaml:"eager"`                // the largest message that travels at once
	Rendezvous string      `yaml:"rendezvous,omitempty"` // of larger ones: write or read
	// Setup is what each side's software takes more for messages above a size, such as for
	// registering memory.
	Setup      units.Time   `yaml:"setup,omitempty"`
	SetupAbove *units.Bytes `yaml:"setup_above,omitempty"` // nil: Eager
	// Complete is when an eager send that was copied is complete: copied or fetched.
	Complete string `yaml:"complete,omitempty"`
	// Notice is the time from the last fetch of a message until software sees it.
	Notice units.Time `yaml:"notice,omitempty"`
	// Peers is how many ranks each rank has buffers for, for messages up to Eager; to others only
	// those up to Others are eager. 0: for all.
	Peers  int         `yaml:"peers,omitempty"`
	Others units.Bytes `yaml:"others,omitempty"`
}

// IOBus is the bus between memory and all NICs of a host, such as PCIe.
type IOBus struct {
	Bandwidth units.Rate `yaml:"bandwidth"` // each way
	Latency   units.Time `yaml:"latency"`   // each way
}

// Work holds the rates of what ranks do with data in collectives, beside their messages; 0: it
// takes no time.
type Work struct {
	Combine units.Rate `yaml:"combine,omitempty"` // bytes of an operand of a reduction
	Copy    units.Rate `yaml:"copy,omitempty"`    // bytes copied from buffer to buffer
}

// Intra holds the parameters of messages between ranks of the same node.
type Intra struct {
	Latency   units.Time `yaml:"latency"`   // from the end of the sender's copy to the arrival
	Bandwidth units.Rate `yaml:"bandwidth"` // of that copy; default: Node.Memory
}

// Partition selects the block of each router in a run of several processes or workers.
type Partition struct {
	By   string `yaml:"by,omitempty" scalar:"true"` // PartitionLinear and on; "" is linear
	File string `yaml:"file,omitempty"`             // with the part of each router, one a line
}

// Mapping selects the host of each rank.
type Mapping struct {
	// linear (first dimension fastest), round-robin or random
	Order string `yaml:"order,omitempty" scalar:"true"`
	// Axes are the dimensions of the rings of "folded": two for each ring, the one along which it
	// runs and the one across which it is folded; the ring whose ranks are neighbours comes first.
	Axes []int  `yaml:"axes,omitempty,flow"`
	File string `yaml:"file,omitempty"` // of "rank host" records, one a line
}

// given reports whether anything of the mapping is.
func (m *Mapping) given() bool { return m.Order != "" || m.File != "" || len(m.Axes) > 0 }
