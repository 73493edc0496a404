package networks

import (
	"slices"
	"testing"

	"fabricast/internal/oracle/experiments"
	"fabricast/routing"
	"fabricast/topology"
)

// TestOracleDrawsEveryKind: the experiments by which the engine is held against the oracle take in
// every network and routing that can be named.
func TestOracleDrawsEveryKind(t *testing.T) {
	for _, kind := range topology.KindNames() {
		if !slices.Contains(experiments.Kinds(), kind) {
			t.Errorf("no network of kind %s is drawn", kind)
		}
	}
	for _, name := range routing.KindNames() {
		if !slices.Contains(experiments.Routings(), name) {
			t.Errorf("routing %s is not drawn", name)
		}
	}
}
