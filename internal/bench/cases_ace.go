package bench

import (
	"fabricast"
	"fabricast/experiment"
	"fabricast/routing"
	"fabricast/topology"
)

// aceCases returns NSIM-ACE's own experiments with 512 processes, one per node. Both sizes are
// equal.
func aceCases() []*Case {
	barrier := func(algorithm string) fabricast.Experiment {
		return onCluster(
			experiment.Workload{Program: "barrier", Algorithm: algorithm, By: "put"},
			700*fabricast.Nanosecond,
		)
	}
	ring := onCluster(experiment.Workload{Program: "random-ring", Size: 2_000_000, By: "put"}, 0)
	return []*Case{
		ace("ace-random-ring", "random ring of 2 MB by put on 512 nodes", "NSIM-ACE: 40 s", ring, 2),
		ace("ace-barrier-ring", "ring barrier by put on 512 nodes", "NSIM-ACE: 148 s", barrier("ring"), 1),
		ace(
			"ace-barrier-doubling",
			"recursive-doubling barrier by put on 512 nodes",
			"NSIM-ACE: 0.33 s",
			barrier("recursive-doubling"), 0,
		),
	}
}

func ace(name, title, published string, e fabricast.Experiment, seconds float64) *Case {
	size := Size{Experiment: e, Repeat: 3, Bound: Bound{CPU: seconds}}
	return &Case{Name: name, Title: title, Workers: 1, Full: size, Short: size, Published: published}
}

// onCluster runs the workload with one rank per node on NSIM-ACE's cluster, enlarged to 512 nodes,
// with the parameters of its experiments.
func onCluster(w experiment.Workload, overhead fabricast.Time) fabricast.Experiment {
	e := onTorus(w, 8, 64)
	link := experiment.Link{Bandwidth: 4 * fabricast.GBPerSecond, Latency: 600}
	n := &e.Network
	n.Topology = topology.XGFTSpec{M: []int{8, 64}, W: []int{1, 8}}
	n.Routing = routing.NCAOptions{Up: routing.UpSource}
	n.Link, n.HostLink = link, link
	n.Router.Routing, n.Router.VCAllocation = 4*fabricast.Nanosecond, 4*fabricast.Nanosecond
	n.Router.SwitchAllocation = 4 * fabricast.Nanosecond
	n.Router.Latency, n.Router.Bandwidth = 128*fabricast.Nanosecond, 4*fabricast.GBPerSecond
	n.Packet.MTU = 2 * fabricast.KiB
	e.Node.DMA, e.Node.Overhead = 2800*fabricast.GBPerSecond/1000, overhead
	return e
}
