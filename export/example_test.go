package export_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"fabricast"
	"fabricast/experiment"
	"fabricast/export"
	"fabricast/record"
	"fabricast/topology"
)

// The timeline of a run becomes a table.
func ExampleFormat_Write() {
	dir, err := os.MkdirTemp("", "results")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	e := fabricast.Experiment{
		Network:  experiment.Network{Topology: topology.TorusSpec{Dims: []int{2, 2}}},
		Workload: experiment.Workload{Program: "barrier"},
		Record:   experiment.Recording{Timeline: true},
	}
	folder := filepath.Join(dir, "barrier")
	if _, err := e.Run(context.Background(), fabricast.Record(folder)); err != nil {
		log.Fatal(err)
	}
	r, err := record.Open(folder)
	if err != nil {
		log.Fatal(err)
	}
	csv, _ := export.Find("csv")
	var table bytes.Buffer
	if err := csv.Write(r, &table); err != nil {
		log.Fatal(err)
	}
	header, _, _ := strings.Cut(table.String(), "\n")
	fmt.Println(header)
	// Output: rank,begin_ps,end_ps,state,collective,step,peer
}
