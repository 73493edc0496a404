package fabric_test

import (
	"testing"

	"fabricast/fabric"
	"fabricast/internal/oracle/experiments"
)

// TestDoorsAgainstOracle is TestAgainstOracle with hooks, injectors, agents, events and epochs.
func TestDoorsAgainstOracle(t *testing.T) {
	compareMany(t, 4000, 400, experiments.DrawDoors, fabric.New)
}

// TestDoorsBlocksAgree is TestBlocksAgree with doors.
func TestDoorsBlocksAgree(t *testing.T) { blocksAgree(t, experiments.DrawDoors) }
