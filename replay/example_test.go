package replay_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"fabricast"
	"fabricast/experiment"
	"fabricast/replay"
	"fabricast/topology"
	"fabricast/trace"
	"fabricast/trace/formats"
)

// A trace can be replayed as the program of an experiment.
func ExampleNew() {
	dir, err := os.MkdirTemp("", "trace")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "hello.goal")
	const text = "num_ranks 2\nrank 0 {\nl1: send 100b to 1 tag 0\n}\nrank 1 {\nl1: recv 100b from 0 tag 0\n}\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		log.Fatal(err)
	}
	recorded, err := formats.Open(path, trace.Options{})
	if err != nil {
		log.Fatal(err)
	}
	job, err := replay.New(recorded, replay.Options{})
	if err != nil {
		log.Fatal(err)
	}
	e := fabricast.Experiment{
		Network:  experiment.Network{Topology: topology.TorusSpec{Dims: []int{2, 2}}},
		Launch:   job.Launcher(),
		TwoSided: true,
		Ranks:    recorded.Ranks(),
	}
	result, err := e.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(recorded.Format(), "with", result.Messages, "message")
	// Output: GOAL with 1 message
}
