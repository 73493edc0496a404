package networks

import (
	"math"
	"strings"
	"testing"

	"fabricast"
	"fabricast/internal/producttest"
)

// withCheckpoint returns an experiment of a program on 4 ranks, in YAML, as a job with
// checkpoints.
func withCheckpoint(t *testing.T, checkpoint string) *fabricast.Experiment {
	t.Helper()
	e, err := fabricast.Parse("checkpoint.yaml", "network: {topology: {dims: [4]}}\n"+
		"workload: {program: alltoall, algorithm: ring, size: 1MiB}\ncheckpoint: {"+checkpoint+"}\n")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestGoodput: a job that fails at stated times takes what adds up by hand; one that fails by a rate has the
// goodput of Daly's formula, and its period; neither changes the prediction.
func TestGoodput(t *testing.T) {
	whole := withCheckpoint(t, "save: 1s, period: 10s, failures: [1000s]")
	r := producttest.Run(t, whole)
	program := float64(r.SimulatedTime) / 1e12
	r = producttest.Run(t, withCheckpoint(t, "repeats: 100000, save: 1s, restart: 2s, period: 5s, failures: [4s, 9s]"))
	// The first segment of 5 s and 1 s fails at 4 s, then at 9 s, 3 s after the restart.
	work := 100_000 * program
	segments := math.Ceil(work / 5)
	want := 9 + 2 + work + segments
	if g := r.Checkpoint; g == nil || math.Abs(g.Time-want) > 1e-6 || g.Failures != 2 || math.Abs(g.Lost-7) > 1e-6 || g.Trials != 1 {
		t.Errorf("%+v, want %v s", g, want)
	}
	r = producttest.Run(t, withCheckpoint(t, "repeats: 1000000000, size: 2TB, bandwidth: 2TB/s, restart: 300s, rate: 0.65%, nodes: 2048"))
	// 16,384 GPUs in 2,048 nodes with 6.50 failures in 1,000 node-days: 1.803 h (Meta, HPCA 2025)
	g := r.Checkpoint
	if g == nil || !g.Ends || math.Abs(g.MTTF/3600-1.803) > 0.001 {
		t.Fatalf("%+v", g)
	}
	if math.Abs(g.Goodput-g.Expected) > 0.002 || g.Goodput < 0.9 || math.Abs(g.Period-math.Sqrt(2*g.MTTF)) > 1.5 {
		t.Errorf("%+v", g)
	}
	bare, err := fabricast.Parse("bare.yaml", "network: {topology: {dims: [4]}}\nworkload: {program: alltoall, algorithm: ring, size: 1MiB}\n")
	if err != nil {
		t.Fatal(err)
	}
	if other := producttest.Run(t, bare); other.Hash != r.Hash || other.Checkpoint != nil {
		t.Errorf("%+v", other)
	}
}

// TestWrongCheckpoints: each is refused with its place, what was found and what was expected.
func TestWrongCheckpoints(t *testing.T) {
	for _, c := range []struct{ checkpoint, field, says string }{
		{"rate: 1%", "checkpoint.save", "size and bandwidth"},
		{"rate: 1%, save: 1s, size: 1TB, bandwidth: 1TB/s", "checkpoint.save", "size and bandwidth"},
		{"rate: 1%, size: 1TB", "checkpoint.bandwidth", "above 0"},
		{"save: 1s, period: 1s", "checkpoint.rate", "either a rate or the times"},
		{"save: 1s, period: 1s, rate: 1%, failures: [1s]", "checkpoint.rate", "either a rate or the times"},
		{"save: 1s, failures: [1s]", "checkpoint.period", "young, daly or a time"},
		{"save: 1s, failures: [1s], period: young", "checkpoint.period", "failures have no rate"},
		{"save: 1s, period: 1s, failures: [2s, 1s]", "checkpoint.failures[1]", "after the one before"},
		{"save: 1s, rate: 1%, repeats: -1", "checkpoint.repeats", "a number from 1"},
		{"save: 1s, period: often, rate: 1%", "checkpoint.period", "young, daly or a time"},
		{"save: 1s, period: 1s, failures: [1s], nodes: 4", "checkpoint.nodes", "none with times"},
	} {
		e, err := fabricast.Parse("checkpoint.yaml", "network: {topology: {dims: [4]}}\nworkload: {program: barrier}\ncheckpoint: {"+c.checkpoint+"}\n")
		if err == nil {
			_, err = e.Run(t.Context())
		}
		if err == nil || !strings.Contains(err.Error(), c.field+": ") || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v does not say %q of %s", c.checkpoint, err, c.says, c.field)
		}
	}
}
