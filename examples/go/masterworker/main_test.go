package main

import (
	"slices"
	"testing"

	"fabricast/examples/go/internal/golden"
)

func TestScheduleDependsOnCongestion(t *testing.T) {
	small, large := &schedule{result: 64}, &schedule{result: 64 << 10}
	golden.Check(t, "small", small.experiment())
	golden.Check(t, "large", large.experiment())
	if len(small.worker) != tasks || len(large.worker) != tasks {
		t.Fatalf("%d and %d tasks done, want %d", len(small.worker), len(large.worker), tasks)
	}
	if slices.Equal(small.worker, large.worker) {
		t.Error("the schedule is the same with small and with large results")
	}
}
