package fabric_test

import (
	"testing"

	"fabricast/internal/oracle/experiments"
)

// TestTopologiesAgainstOracle is TestAgainstOracle on every topology with every
// routing algorithm that fits it.
func TestTopologiesAgainstOracle(t *testing.T) {
	seeds := uint64(800)
	if testing.Short() {
		seeds = 150
	}
	for seed := range seeds {
		compare(t, seed, experiments.DrawShaped(seed))
	}
}

// TestTopologiesBlocksAgree is TestBlocksAgree on every topology.
func TestTopologiesBlocksAgree(t *testing.T) { blocksAgree(t, experiments.DrawShaped) }
