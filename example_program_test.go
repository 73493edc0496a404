package fabricast_test

import (
	"context"
	"fmt"
	"log"

	"fabricast"
	"fabricast/experiment"
	"fabricast/mpi"
	"fabricast/topology"
)

// A program for all ranks is a function; messages carry data, or only sizes.
func ExampleExperiment_Run() {
	e := fabricast.Experiment{
		Network: experiment.Network{Topology: topology.TorusSpec{Dims: []int{2, 2}}},
		Program: func(r *mpi.Rank) {
			switch r.Rank() {
			case 0:
				r.Send(mpi.Data([]byte("hello")), 3, 7)
			case 3:
				text := make([]byte, 5)
				status := r.Recv(mpi.Data(text), mpi.AnySource, 7)
				fmt.Printf("%s from rank %d, %d bytes\n", text, status.Source, status.Size)
			}
			r.Compute(2 * mpi.Microsecond)
		},
	}
	if _, err := e.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	// Output: hello from rank 0, 5 bytes
}
