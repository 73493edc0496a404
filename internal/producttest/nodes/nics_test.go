package nodes

import (
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/producttest"
	"fabricast/mpi"
	"fabricast/topology"
)

// On a ring a host with two NICs that divide the ports sends both ways at once. Both neighbours of
// host 0 have odd numbers, so chosen by destination one NIC has to do all.
func TestNICsDivideThePorts(t *testing.T) {
	const size = 1 << 20
	time := func(choice string, workers int) fabricast.Time {
		e := producttest.Torus(8)
		e.Node = experiment.Node{NICs: 2, NICChoice: choice}
		e.Program = func(r *mpi.Rank) {
			switch r.Rank() {
			case 0:
				r.WaitAll([]mpi.Request{r.Isend(mpi.Size(size), 1, 0), r.Isend(mpi.Size(size), 7, 0)})
			case 1, 7:
				r.Recv(mpi.Size(size), 0, 0)
			}
		}
		return producttest.Run(t, &e, fabricast.Workers(workers)).SimulatedTime
	}
	const alone = size * 1000 / 8 // ps at 8 GB/s
	for workers := 1; workers <= 2; workers++ {
		if got := time(experiment.NICPort, workers); got < alone || got > alone*11/10 {
			t.Errorf("by port: %v, want about %v", got, fabricast.Time(alone))
		}
		if got := time(experiment.NICDestination, workers); got < 2*alone {
			t.Errorf("by destination: %v, want %v", got, 2*fabricast.Time(alone))
		}
		if got := time(experiment.NICRoundRobin, workers); got > alone*11/10 {
			t.Errorf("in turn: %v, want about %v", got, fabricast.Time(alone))
		}
	}
}

// Where a NIC is chosen for each pair, every program runs as it does otherwise, and with any
// workers.
func TestNICChoicesWithPrograms(t *testing.T) {
	for _, choice := range []string{experiment.NICDestination, experiment.NICPort} {
		e := producttest.Torus(4, 3)
		e.Network.Topology = topology.TorusSpec{Dims: []int{4, 3}, Hosts: 2}
		e.Node = experiment.Node{NICs: 3, NICChoice: choice}
		e.Workload = experiment.Workload{Program: "alltoall", Algorithm: "simple-spread", Size: 3000}
		one, two := producttest.Run(t, &e, fabricast.Workers(1)), producttest.Run(t, &e, fabricast.Workers(2))
		if one.Hash != two.Hash || one.Messages != 24*23 || one.Unreceived != 0 {
			t.Errorf("%s: %d messages, %s and %s", choice, one.Messages, one.Hash, two.Hash)
		}
	}
}
