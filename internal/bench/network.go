package bench

import (
	"fabricast"
	"fabricast/routing"
	"fabricast/topology"
)

// bruck returns an all-to-all by Bruck's algorithm with size bytes for each pair of ranks.
func bruck(size fabricast.Bytes) fabricast.Workload {
	return fabricast.Workload{Program: "alltoall", Algorithm: "bruck", Size: size}
}

// onTorus runs the workload with one rank per node on a torus with the parameters of NSIM's
// extreme-scale experiment. They are written out, so that the table does not change when a default
// does.
func onTorus(w fabricast.Workload, dims ...int) fabricast.Experiment {
	link := fabricast.Link{Bandwidth: 8 * fabricast.GBPerSecond, Latency: 100 * fabricast.Nanosecond}
	return fabricast.Experiment{
		Network: fabricast.Network{
			Topology: topology.TorusSpec{Dims: dims, Hosts: 1},
			Routing:  routing.DOROptions{Tie: routing.TieSplit},
			Link:     link,
			HostLink: link,
			Router: fabricast.Router{
				Routing:          2 * fabricast.Nanosecond,
				VCAllocation:     2 * fabricast.Nanosecond,
				SwitchAllocation: 2 * fabricast.Nanosecond,
				Latency:          140 * fabricast.Nanosecond,
				Bandwidth:        8 * fabricast.GBPerSecond,
				VCs:              2,
				Buffer:           8 * fabricast.KiB,
				Queues:           fabricast.QueuesInput,
				Allocation:       fabricast.AllocationCombined,
				Allocator:        fabricast.AllocatorMaximal,
				Arbiter:          fabricast.ArbiterFCFS,
			},
			Packet: fabricast.Packet{MTU: 256, Flit: 16},
		},
		Node: fabricast.Node{
			NICs: 1, DMA: 10 * fabricast.GBPerSecond, Memory: 10 * fabricast.GBPerSecond,
			Overhead: 200 * fabricast.Nanosecond, Copies: fabricast.CopiesZero,
		},
		Workload: w,
		Ranks:    product(dims),
		Mapping:  fabricast.Mapping{Order: fabricast.MappingLinear},
		Seed:     1,
	}
}

func product(dims []int) int {
	n := 1
	for _, k := range dims {
		n *= k
	}
	return n
}
