package ways

import (
	"context"
	"path/filepath"
	"testing"

	"fabricast"
	"fabricast/internal/producttest"
)

// TestFailedWindows runs networks by Time Warp with a part for each router, far ahead of what the others
// have done. Some windows then fail in the middle of a visit, as their part has not got what its
// neighbours have sent. When they are undone, nothing of the visit may be left. Networks take turns, so that each
// commit has one of the first two, which fail without the care that is taken; long tests run all.
func TestFailedWindows(t *testing.T) {
	const optimistic = "engine: {mode: optimistic, batch: 36, gvt_interval: 25, kp: 12, throttle: static}\n"
	networks := []string{
		"routing: {algorithm: adaptive}, router: {queues: input, arbiter: matrix, buffer: 8KiB}",
		"routing: {algorithm: adaptive}, router: {queues: input, arbiter: fcfs}",
		"routing: {algorithm: adaptive}, router: {queues: voq, arbiter: age}",
		"router: {queues: voq, arbiter: round-robin, output_buffer: 4KiB}",
		"router: {queues: input, arbiter: round-robin, allocation: separate}",
		"router: {queues: input}",
	}
	for i, network := range networks {
		if i < 2 && !producttest.Turn(t, i, 2) || i >= 2 && (testing.Short() || !producttest.Turn(t, i, 4)) {
			continue
		}
		t.Run(network, func(t *testing.T) {
			x := refer(t, `
network: {topology: {kind: hyperx, dims: [3, 4], hosts: 2}, `+network+`}
seed: 40
node: {overhead: 0ns}
traffic: {load: 53%, size: 64B, arrivals: bernoulli, measure: {longest: 2us, bin: 100ns}}
`+recordAll+"}\n", false)
			if x == nil {
				return
			}
			e, err := x.parse(optimistic)
			if err != nil {
				t.Fatal(err)
			}
			folder := filepath.Join(t.TempDir(), "result")
			r, err := e.Run(context.Background(), fabricast.Workers(2), fabricast.Record(folder))
			if err != nil {
				t.Fatal(err)
			}
			if different, err := x.difference(r, folder, optimistic); err != nil || different != "" {
				t.Error(different, err)
			}
			if r.Optimistic.Rollbacks == 0 {
				t.Error("nothing was undone")
			}
		})
	}
}

// TestSharedStateUndone undoes each window once, also the first one, in which programs begin that share
// state with the others of their part: nothing of it may be left.
func TestSharedStateUndone(t *testing.T) {
	e, err := fabricast.Parse("x.yaml", `
network: {topology: {dims: [4]}}
workload: {program: training, model: {preset: tiny, layers: 2}, parallel: {pipeline: 2}}
ranks: 4
engine: {mode: optimistic-check, kp: 2}
`)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := e.Run(context.Background()); err != nil || r.Optimistic.Rollbacks == 0 {
		t.Errorf("%v, want a run in which windows are undone", err)
	}
}
