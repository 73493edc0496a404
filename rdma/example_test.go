package rdma_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"log"

	"fabricast"
	"fabricast/collective"
	"fabricast/experiment"
	"fabricast/mpi"
	"fabricast/rdma"
	"fabricast/topology"
)

// All ranks draw a ticket from a counter in the memory of rank 0, which takes no part in it.
func ExampleNIC_FetchAdd() {
	counter := make([]byte, 8)
	e := fabricast.Experiment{
		Network: experiment.Network{Topology: topology.TorusSpec{Dims: []int{2, 2}}},
		Program: func(r *mpi.Rank) {
			nic := rdma.Open(r)
			region := nic.Register(mpi.Data(counter))
			r.Barrier(collective.Default)
			nic.Complete(nic.FetchAdd(region.At(0, 0), 1))
			r.Barrier(collective.Default)
		},
	}
	if _, err := e.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(binary.NativeEndian.Uint64(counter), "tickets were drawn")
	// Output: 4 tickets were drawn
}
