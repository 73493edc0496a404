package bench

import (
	"fabricast"
	"fabricast/experiment"
	"fabricast/routing"
	"fabricast/topology"
)

// bruck returns an all-to-all by Bruck's algorithm with size bytes for each pair of ranks.
func bruck(size fabricast.Bytes) experiment.Workload {
	return experiment.Workload{Program: "alltoall", Algorithm: "bruck", Size: size}
}

// onTorus runs the workload with one rank per node on a torus, with the parameters of NSIM's
// extreme-scale experiment. They are given explicitly, so that the table does not depend on
// defaults.
func onTorus(w experiment.Workload, dims ...int) fabricast.Experiment {
	link := experiment.Link{Bandwidth: 8 * fabricast.GBPerSecond, Latency: 100 * fabricast.Nanosecond}
	return fabricast.Experiment{
		Network: experiment.Network{
			Topology: topology.TorusSpec{Dims: dims, Hosts: 1},
			Routing:  routing.DOROptions{Tie: routing.TieSplit},
			Link:     link,
			HostLink: link,
			Router: experiment.Router{
				Routing:          2 * fabricast.Nanosecond,
				VCAllocation:     2 * fabricast.Nanosecond,
				SwitchAllocation: 2 * fabricast.Nanosecond,
				Latency:          140 * fabricast.Nanosecond,
				Bandwidth:        8 * fabricast.GBPerSecond,
				VCs:              2,
				Buffer:           8 * fabricast.KiB,
				Queues:           experiment.QueuesInput,
				Allocation:       experiment.AllocationCombined,
				Allocator:        experiment.AllocatorMaximal,
				Arbiter:          experiment.ArbiterFCFS,
			},
			Packet: experiment.Packet{MTU: 256, Flit: 16},
		},
		Node: experiment.Node{
			NICs: 1, DMA: 10 * fabricast.GBPerSecond, Memory: 10 * fabricast.GBPerSecond,
			Overhead: 200 * fabricast.Nanosecond, Copies: experiment.CopiesZero,
		},
		Workload: w,
		Ranks:    product(dims),
		Mapping:  experiment.Mapping{Order: experiment.MappingLinear},
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
