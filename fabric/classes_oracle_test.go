package fabric_test

import (
	"testing"

	"fabricast/fabric"
	"fabricast/internal/oracle/experiments"
)

// TestClassesAgainstOracle is TestAgainstOracle for routers in which classes have virtual channels of
// their own.
func TestClassesAgainstOracle(t *testing.T) {
	compareMany(t, 4000, 200, experiments.DrawClassed, fabric.New)
}

// TestSlowClassesAgainstOracle is TestSlowAgainstOracle for them.
func TestSlowClassesAgainstOracle(t *testing.T) {
	compareMany(t, 300, 40, slowed(draw(experiments.DrawClassed).from(4_000_000)), fabric.New)
}

// TestClassedBlocksAgree is TestBlocksAgree for them.
func TestClassedBlocksAgree(t *testing.T) { blocksAgree(t, experiments.DrawClassed) }
