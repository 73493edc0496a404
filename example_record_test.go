package fabricast_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"fabricast"
	"fabricast/experiment"
	"fabricast/record"
	"fabricast/topology"
)

// A run leaves a folder, whose tables are read row by row.
func ExampleRecord() {
	dir, err := os.MkdirTemp("", "results")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	e := fabricast.Experiment{
		Network:  experiment.Network{Topology: topology.TorusSpec{Dims: []int{2, 2}}},
		Workload: experiment.Workload{Program: "ring", Size: 1024},
	}
	folder := filepath.Join(dir, "ring")
	if _, err := e.Run(context.Background(), fabricast.Record(folder)); err != nil {
		log.Fatal(err)
	}
	r, err := record.Open(folder)
	if err != nil {
		log.Fatal(err)
	}
	for rank, err := range record.Rows[record.Rank](r, record.RanksTable) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("rank", rank.Rank, "sent", rank.BytesSent, "bytes")
	}
	// Output:
	// rank 0 sent 1024 bytes
	// rank 1 sent 1024 bytes
	// rank 2 sent 1024 bytes
	// rank 3 sent 1024 bytes
}
