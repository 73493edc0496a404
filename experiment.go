package fabricast

import (
	"fabricast/internal/config"
	"fabricast/mpi"
)

// Experiment describes one prediction: a network, its nodes, and the program
// whose communication is to be predicted. The yaml names are those of
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
	Ranks   int             `yaml:"ranks"` // 0: one on every host
	Mapping Mapping         `yaml:"mapping"`
	Seed    uint64          `yaml:"seed"` // of everything random; 0 in Go means the default, 1

	// positions tell where fields were written, for messages; nil when the
	// experiment was made in Go.
	positions config.Positions
}

// Network is everything between the nodes.
type Network struct {
	Topology Topology `yaml:"topology"`
	Routing  Routing  `yaml:"routing"`
	Link     Link     `yaml:"link"`      // between two routers
	HostLink Link     `yaml:"host_link"` // between a NIC and its router; default: as Link
	Router   Router   `yaml:"router"`
	Packet   Packet   `yaml:"packet"`
}

// Topology is the shape of the network.
type Topology struct {
	Kind string `yaml:"kind"`                // torus or mesh
	Dims []int  `yaml:"dims,flow"`           // routers in each dimension, up to 6 dimensions
	Wrap []bool `yaml:"wrap,flow,omitempty"` // torus: which dimensions are rings; default all
}

// Routing is how packets find their way.
type Routing struct {
	Algorithm string `yaml:"algorithm" scalar:"true"` // dor: dimension order
	Tie       string `yaml:"tie"`                     // dor, half-way round a ring: split (by a hash of source and destination) or up
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
	Latency          Time   `yaml:"latency"`   // fixed, beyond the four above
	Bandwidth        Rate   `yaml:"bandwidth"` // of a crossbar port; default: as Link
	VCs              int    `yaml:"vcs"`       // virtual channels of a port
	Buffer           Bytes  `yaml:"buffer"`    // of a virtual channel; default: 8 KiB, or 4 MTU if that is more
	Arbiter          string `yaml:"arbiter"`   // fcfs or round-robin
}

// Packet holds the sizes of packets.
type Packet struct {
	MTU    Bytes `yaml:"mtu"` // the largest packet, header included
	Header Bytes `yaml:"header"`
	Flit   Bytes `yaml:"flit"` // packets occupy whole flits
}

// Node holds what all hosts have in common.
type Node struct {
	NICs     int    `yaml:"nics"`
	DMA      Rate   `yaml:"dma"`      // between memory and a NIC, each way
	Memory   Rate   `yaml:"memory"`   // of a copy in memory
	Overhead Time   `yaml:"overhead"` // of software, for each send and each receive
	Copies   string `yaml:"copies"`   // zero, or one: a copy through a buffer of the MPI library at each end
}

// Mapping tells on which host each rank runs.
type Mapping struct {
	Order string `yaml:"order,omitempty" scalar:"true"` // linear (first dimension fastest) or random
	File  string `yaml:"file,omitempty"`                // of "rank host" records, one a line
}
