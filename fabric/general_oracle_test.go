package fabric_test

import (
	"testing"

	"fabricast/fabric"
	"fabricast/internal/oracle/experiments"
)

// TestGeneralAgainstOracle is TestAgainstOracle for general switches.
func TestGeneralAgainstOracle(t *testing.T) {
	compareMany(t, 4000, 200, experiments.DrawGeneral, fabric.New)
}

// TestGeneralAgainstOracleHeavy does the same with networks that are full for long.
func TestGeneralAgainstOracleHeavy(t *testing.T) {
	compareMany(t, 60, 1, experiments.DrawGeneralHeavy, fabric.New)
}

// TestPlainSwitchesOnTheGeneralPath: the general path simulates what the fast
// one does as well.
func TestPlainSwitchesOnTheGeneralPath(t *testing.T) {
	compareMany(t, 1000, 50, draw(experiments.Draw).from(3_000_000), fabric.NewGeneral)
}

// TestSlowGeneralAgainstOracle is TestSlowAgainstOracle for general switches.
func TestSlowGeneralAgainstOracle(t *testing.T) {
	compareMany(t, 300, 75, slowed(draw(experiments.DrawGeneral).from(4_000_000)), fabric.New)
}

// TestGeneralBlocksAgree is TestBlocksAgree for general switches.
func TestGeneralBlocksAgree(t *testing.T) { blocksAgree(t, experiments.DrawGeneral) }
