package fabric_test

import (
	"testing"

	"fabricast/fabric"
	"fabricast/internal/oracle/experiments"
)

// TestGeneralAgainstOracle is TestAgainstOracle for general switches.
func TestGeneralAgainstOracle(t *testing.T) {
	seeds := uint64(4000)
	if testing.Short() {
		seeds = 400
	}
	for seed := range seeds {
		compare(t, seed, experiments.DrawGeneral(seed))
	}
}

// TestGeneralAgainstOracleHeavy does the same with networks that are full for long.
func TestGeneralAgainstOracleHeavy(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		compare(t, seed, experiments.DrawGeneralHeavy(seed))
	}
}

// TestPlainSwitchesOnTheGeneralPath: the general path simulates what the fast
// one does as well.
func TestPlainSwitchesOnTheGeneralPath(t *testing.T) {
	seeds := uint64(1000)
	if testing.Short() {
		seeds = 100
	}
	for seed := range seeds {
		compareOn(t, seed, experiments.Draw(3_000_000+seed), fabric.NewGeneral)
	}
}

// TestSlowGeneralAgainstOracle is TestSlowAgainstOracle for general switches.
func TestSlowGeneralAgainstOracle(t *testing.T) {
	for seed := range uint64(300) {
		compare(t, seed, slowed(seed, experiments.DrawGeneral(4_000_000+seed)))
	}
}

// TestGeneralBlocksAgree is TestBlocksAgree for general switches.
func TestGeneralBlocksAgree(t *testing.T) { blocksAgree(t, experiments.DrawGeneral) }
