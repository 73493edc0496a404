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

// NetworkFile is a topology read from a network file, such as a list of links or GraphML.
type NetworkFile = netfile.Options

// Experiment describes one prediction: a network, its nodes, and the program whose communication is
// to be predicted, or synthetic traffic instead of a program. The YAML names are those in
// experiment files (docs/formats/experiment.md).
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
	// Program is the function that every rank runs, as an alternative to Workload.
	Program func(*mpi.Rank) `yaml:"-"`
	// Launch creates the program of each rank, as an alternative to Program (see cmpi.Job).
	Launch node.Launcher `yaml:"-"`
	// Apart promises that the ranks of Launch share no state except for what a replay.Job stores
	// for its report. The run can then be shared by several processes.
	Apart bool `yaml:"-"`
	// Common is the state shared by the ranks of Launch, as cmpi.Job provides it. With it, several
	// processes can share the run.
	Common node.Common `yaml:"-"`
	// Command is the command line that runs the program again from the result folder. It is written
	// to experiment.yaml there. It is empty for a program in Go.
	Command string `yaml:"-"`
	// TwoSided promises that the program uses neither one-sided communication nor synchronous
	// sends. The prediction is the same, but the simulation is faster.
	TwoSided bool `yaml:"-"`
	// Traffic is synthetic traffic from all hosts, instead of a program.
	Traffic Traffic `yaml:"traffic,omitempty"`
	// Jobs are several concurrent programs, each on its own hosts, instead of one program.
	Jobs    []Job   `yaml:"jobs,omitempty"`
	Ranks   int     `yaml:"ranks,omitempty"` // number of ranks; 0: Node.Ranks on every host
	Mapping Mapping `yaml:"mapping"`
	// Partition selects how the network is divided among processes and workers. It does not change
	// the result.
	Partition Partition `yaml:"partition,omitempty"`
	// Classes gives priorities to a program's messages by their sizes.
	Classes []SizeClass `yaml:"classes,omitempty"`
	// Imbalance delays the start of ranks. Noise interrupts their computation. Faults
	// change links.
	Imbalance   Imbalance   `yaml:"imbalance,omitempty"`
	Noise       Noise       `yaml:"noise,omitempty"`
	Faults      Faults      `yaml:"faults,omitempty"`
	Checkpoint  Checkpoint  `yaml:"checkpoint,omitempty"` // what becomes of a long job
	Collectives Collectives `yaml:"collectives,omitempty"`
	// Compute and Payload apply to C programs (docs/c-programs.md).
	Compute Compute `yaml:"compute,omitempty"`
	Payload string  `yaml:"payload,omitempty"` // what messages contain: carry (their contents, the default) or omit
	// Record selects what is recorded in addition to the result. It does not change the result.
	Record Recording `yaml:"record,omitempty"`
	// Engine selects how the experiment is simulated. It does not change the result.
	Engine Engine `yaml:"engine,omitempty"`
	Seed   uint64 `yaml:"seed"` // of all random numbers; 0 in Go means the default, 1

	// positions records where each field was written, for error messages. It is nil for an
	// experiment built in Go.
	positions config.Positions
	// defaults holds the values that Resolve filled in, by field, if positions is not nil.
	defaults map[string]string
	// derived maps the path of each field with a derived default to the path, or path prefix, of
	// the fields that the default was derived from.
	derived map[string]string
	// jobOf is the path of the job that this experiment consists of, if it was made from one job of
	// another experiment; otherwise it is "".
	jobOf string
	// network is derived from Network.Topology by Resolve.
	network *network
	// vcsOpen is true if the number of virtual channels is the default. It is then raised if the
	// routing needs more.
	vcsOpen bool
	// routingOpen is true if the algorithm is shortest paths by default. It is then replaced by
	// up*/down* if shortest paths would need too many virtual channels.
	routingOpen bool
	// proofs caches the results of deadlock checks for all experiments derived from the same
	// document. If it is nil, nothing is cached.
	proofs *deadlock.Reports
}

// Network describes everything between the nodes: shape, links, routers, routing and packets.
type Network struct {
	// Machine names a real machine (package machines), whose settings apply where the file does not
	// override them. Shape selects the part of the machine. Both are for files; in Go, use the
	// function Machine.
	Machine string `yaml:"machine,omitempty"`
	Shape   []int  `yaml:"shape,flow,omitempty"`
	// Model selects how the network is simulated: "" or packet for packet by packet, or one of the
	// models without packets (docs/abstract-networks.md).
	Model      string     `yaml:"model,omitempty"`
	Parameters Parameters `yaml:"parameters,omitempty"` // parameters of Model, if it has any
	// Topology is a specification of package topology, such as topology.TorusSpec, a NetworkFile,
	// or your own implementation. Nil means a torus.
	Topology topology.Spec `yaml:"topology"`
	// Routing is the routing algorithm with its options, such as routing.DOROptions, or
	// routing.Own. Nil means the default of the topology.
	Routing  routing.Spec `yaml:"routing"`
	Link     Link         `yaml:"link"`      // links between two routers
	HostLink Link         `yaml:"host_link"` // between a NIC and its router; default: same as Link
	// Links changes the parameters of link classes, by their names in the topology
	// (docs/topologies.md), or of single links by their two routers, as in "3-17". Values that an
	// entry does not set stay unchanged. In an entry built in Go, a bandwidth without a latency
	// sets the latency to 0. Resolve does not fill in the values that entries leave open.
	Links  map[string]Link `yaml:"links,omitempty"`
	Router Router          `yaml:"router"`
	Packet Packet          `yaml:"packet"`
	// InNetwork says which collectives routers carry out themselves. Its zero value: none.
	InNetwork InNetwork `yaml:"in_network,omitempty"`
	// Doors creates your own model's additions to routers, links and NICs (docs/extending.md), for
	// topology t with vcs virtual channels per port. Nil means no additions.
	Doors func(t topology.Topology, vcs int) (*fabric.Doors, error) `yaml:"-"`
}

// Link holds the parameters of a class of links. They apply to each direction.
type Link struct {
	Bandwidth units.Rate `yaml:"bandwidth"`
	Latency   units.Time `yaml:"latency"` // latency of the cable
}

// Router holds the parameters shared by all routers.
type Router struct {
	Routing          units.Time `yaml:"routing"` // time of the routing computation
	VCAllocation     units.Time `yaml:"vc_allocation"`
	SwitchAllocation units.Time `yaml:"switch_allocation"`
	SwitchTraversal  units.Time `yaml:"switch_traversal"`
	Latency          units.Time `yaml:"latency"` // a fixed latency in addition to the four above
	// Bandwidth of a crossbar port. Default: the bandwidth of the fastest link, host links
	// included.
	Bandwidth units.Rate `yaml:"bandwidth"`
	VCs       int        `yaml:"vcs"` // virtual channels per port
	// Buffer size of a virtual channel. The default holds the data that the longest link carries in
	// a credit round trip, and is at least 8 KiB and 4 MTU.
	Buffer units.Bytes `yaml:"buffer"`
	Queues string      `yaml:"queues"` // input, or voq (virtual output queues)
	// OutputBuffer is the size per virtual channel. 0 means none: a packet then passes crossbar and
	// link at once, at the lower bandwidth.
	OutputBuffer units.Bytes `yaml:"output_buffer"`
	// Allocation of virtual channels: combined with the allocation of the crossbar, or in a
	// separate step before it.
	Allocation string `yaml:"allocation"`
	// Allocator, with separate allocation: maximal grants a maximal set of requests; separable
	// arbitrates per input and then per output.
	Allocator string `yaml:"allocator"`
	// Buffers is credits, so that packets wait for space in the next buffer; lossy, so that they are
	// dropped or trimmed without; or pfc, so that routers pause those before them. "" means credits.
	Buffers string `yaml:"buffers,omitempty"`
	// Shared is a buffer that all ports of a lossy or pausing router share, Queue the size of a port's
	// queue of a lossy router (0: derived), and Trimming whether packets that do not fit are cut to
	// their header.
	Shared   SharedBuffer `yaml:"shared,omitempty"`
	Queue    units.Bytes  `yaml:"queue,omitempty"`
	Trimming bool         `yaml:"trimming,omitempty"`
	// ScaledQueues: the queues of slower links than those of hosts are smaller in proportion.
	ScaledQueues bool `yaml:"scaled_queues,omitempty"`
	ECN          ECN  `yaml:"ecn,omitempty"`
	// Classes of messages, from class 0 on. With credits each has VCs virtual channels of its own. Nil:
	// all messages are of one.
	Classes []RouterClass `yaml:"classes,omitempty"`
	// Turnaround is the time of an input queue between the tail of a packet and the request of the
	// next one.
	Turnaround units.Time `yaml:"turnaround"`
	// Arbiter is fcfs, round-robin, matrix, age, priority or arrival.
	Arbiter string `yaml:"arbiter,omitempty"`
	// OwnArbiter is an arbiter written in Go, as an alternative to Arbiter.
	OwnArbiter *fabric.ArbiterKind `yaml:"-"`
	// FlowControl, written in Go, decides when a packet may enter the next buffer. Nil means as
	// soon as there is space for the whole packet.
	FlowControl *fabric.FlowControl `yaml:"-"`
}

// Packet holds the sizes of packets, in bytes.
type Packet struct {
	MTU    units.Bytes `yaml:"mtu"` // the largest packet, header included
	Header units.Bytes `yaml:"header"`
	Flit   units.Bytes `yaml:"flit"` // packets are padded to whole flits
}

// Node holds the parameters shared by all hosts.
type Node struct {
	NICs int `yaml:"nics"`
	// NICChoice selects the NIC that a message is sent from: round-robin, destination or port.
	NICChoice string `yaml:"nic_choice"`
	// NICOrder is the order of the messages posted to a NIC: fifo, one message after another, or
	// round-robin, packet by packet.
	NICOrder string `yaml:"nic_order"`
	// Injection selects the virtual channels that NICs inject into: routed, or all of them in turn.
	Injection string     `yaml:"injection"`
	Ranks     int        `yaml:"ranks"`    // maximum number of ranks per node
	DMA       units.Rate `yaml:"dma"`      // between memory and a NIC, per direction
	Memory    units.Rate `yaml:"memory"`   // rate of a copy in memory
	Overhead  units.Time `yaml:"overhead"` // software overhead of each send and each receive
	// Copies is zero, or one: a copy through a buffer of the MPI library at each end.
	Copies string `yaml:"copies"`
	Intra  Intra  `yaml:"intra"`
	IOBus  IOBus  `yaml:"io_bus,omitempty"` // default: no bus
	// Work holds the processing rates for the data of collectives. By default, processing takes no
	// time.
	Work Work `yaml:"work,omitempty"`
	// Gap is the pause of a NIC after each packet, in packet times. The messages of paced
	// collectives may have larger gaps.
	Gap units.Fraction `yaml:"gap,omitempty"`
	// Protocol selects the message protocol by size. The zero value makes all messages eager.
	Protocol Protocol `yaml:"protocol,omitempty"`
	// Transport is that of NICs in a network whose routers drop or pause packets.
	Transport Transport `yaml:"transport,omitempty"`
}

// Protocol selects, by size, which messages are sent at once (eager) and which first need a
// rendezvous with the receiver.
type Protocol struct {
	Eager      units.Bytes `yaml:"eager,omitempty"`      // size of the largest eager message
	Rendezvous string      `yaml:"rendezvous,omitempty"` // protocol of larger messages: write or read
	// Setup is the additional software time per side for messages above SetupAbove, for example to
	// register memory.
	Setup      units.Time   `yaml:"setup,omitempty"`
	SetupAbove *units.Bytes `yaml:"setup_above,omitempty"` // nil: Eager
	// Complete says when the send of an eager message that is copied completes: copied or fetched.
	Complete string `yaml:"complete,omitempty"`
	// Notice is the time from the last fetch of a message by the NIC until software detects it.
	Notice units.Time `yaml:"notice,omitempty"`
	// Peers is the number of ranks for which each rank has buffers for messages up to Eager. To
	// other ranks, only messages up to Others are eager. 0 means buffers for all ranks.
	Peers  int         `yaml:"peers,omitempty"`
	Others units.Bytes `yaml:"others,omitempty"`
}

// IOBus is the bus between memory and all NICs of a host, such as PCIe.
type IOBus struct {
	Bandwidth units.Rate `yaml:"bandwidth"` // per direction
	Latency   units.Time `yaml:"latency"`   // per direction
}

// Work holds the rates at which ranks process data in collectives. At rate 0, processing takes no
// time.
type Work struct {
	Combine units.Rate `yaml:"combine,omitempty"` // rate at which a reduction combines operands, in bytes of one operand per second
	Copy    units.Rate `yaml:"copy,omitempty"`    // rate of copies between buffers
}

// Intra holds the parameters of messages between ranks of the same node.
type Intra struct {
	Latency   units.Time `yaml:"latency"`   // from the end of the sender's copy to the arrival
	Bandwidth units.Rate `yaml:"bandwidth"` // rate of the sender's copy; default: Node.Memory
}

// Partition selects the block of each router, that is, the part of the network that a process or
// worker simulates.
type Partition struct {
	By   string `yaml:"by,omitempty" scalar:"true"` // one of the values from PartitionLinear on; "" means linear
	File string `yaml:"file,omitempty"`             // file with the block of each router, one per line
}

// Mapping selects the host of each rank.
type Mapping struct {
	// Order is linear (first dimension fastest), round-robin, random or folded.
	Order string `yaml:"order,omitempty" scalar:"true"`
	// Axes are the dimensions used by the rings of the order "folded". There are two for each ring:
	// the dimension that it runs along, and the one that it is folded across. The ring that
	// connects consecutive ranks comes first.
	Axes []int `yaml:"axes,omitempty,flow"`
	// Rings are the numbers of axes of the rings, if they are not two for each. With more than two,
	// the folds of the first two are laid along the third, forth and back.
	Rings []int  `yaml:"rings,omitempty,flow"`
	File  string `yaml:"file,omitempty"` // file of "rank host" records, one per line
	// Nodes lists the nodes that ranks use, in this order, such as "node[001-016]": those of a network
	// file that names its hosts.
	Nodes string `yaml:"nodes,omitempty"`
}

// given reports whether any field is set.
func (m *Mapping) given() bool {
	return m.Order != "" || m.File != "" || len(m.Axes) > 0 || len(m.Rings) > 0 || m.Nodes != ""
}
