package fabric_test

import (
	"testing"

	"fabricast/fabric"
	"fabricast/internal/draws"
	"fabricast/internal/oracle/experiments"
)

// TestDoorsAgainstOracle is TestAgainstOracle with hooks, injectors, agents, events and epochs.
func TestDoorsAgainstOracle(t *testing.T) {
	compareMany(t, 4000, 200, experiments.DrawDoors, fabric.New)
}

// TestDoorsBlocksAgree is TestBlocksAgree with doors.
func TestDoorsBlocksAgree(t *testing.T) { blocksAgree(t, experiments.DrawDoors) }

// TestSnapshotsWithDoors is TestSnapshots with doors.
func TestSnapshotsWithDoors(t *testing.T) {
	for seed := range draws.Seeds(20, 1600) {
		resumes(t, 70_000_000+seed, experiments.DrawDoors, fabric.New)
	}
}
