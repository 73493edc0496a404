package nodes

import (
	"fmt"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/topology"
	"fabricast/workload"
)

// Every program gives the same result on a network, however many workers
// simulate it, by send, by put and paced.
func TestProgramsOnANetwork(t *testing.T) {
	for _, p := range workload.Programs() {
		variants := []experiment.Workload{{}}
		if p.Takes("by") {
			variants = append(variants, experiment.Workload{By: workload.ByPut})
		}
		if p.Collective(workload.Params{}) != nil {
			variants = append(
				variants,
				experiment.Workload{
					By:     workload.ByPut,
					Pacing: experiment.Pacing{Gap: experiment.PacingMOD, Barrier: experiment.PacingStart},
				},
			)
		}
		for _, w := range variants {
			w.Program = p.Name
			if p.Takes("size") {
				w.Size = 700
			}
			if p.NeedsFile() {
				w.File = "../../../workload/testdata/exchange.txt"
			}
			t.Run(p.Name+w.By+w.Pacing.Gap, func(t *testing.T) {
				e := &fabricast.Experiment{
					Network:  experiment.Network{Topology: topology.TorusSpec{Dims: []int{4, 3, 4}}},
					Workload: w,
				}
				one, two := hash(t, e, 1), hash(t, e, 2)
				if one != two {
					t.Errorf("one worker: %s, two workers: %s", one, two)
				}
			})
		}
	}
}

func hash(t *testing.T, e *fabricast.Experiment, workers int) string {
	t.Helper()
	r, err := e.Run(t.Context(), fabricast.Workers(workers))
	if err != nil {
		t.Fatal(err)
	}
	if r.Messages == 0 || r.Unreceived != 0 {
		t.Errorf("%d messages, %d of them not received", r.Messages, r.Unreceived)
	}
	return fmt.Sprint(r.SimulatedTime, " ", r.Hash)
}
