package fabric_test

import (
	"testing"

	"fabricast/fabric"
	"fabricast/internal/oracle/experiments"
)

// TestTopologiesAgainstOracle is TestAgainstOracle on every topology with every
// routing algorithm that fits it.
func TestTopologiesAgainstOracle(t *testing.T) {
	compareMany(t, 800, 100, experiments.DrawShaped, fabric.New)
}

// TestTopologiesBlocksAgree is TestBlocksAgree on every topology.
func TestTopologiesBlocksAgree(t *testing.T) { blocksAgree(t, experiments.DrawShaped) }
