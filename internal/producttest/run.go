package producttest

import (
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/topology"
)

// Torus returns an experiment on a small torus, with defaults for all else.
func Torus(dims ...int) fabricast.Experiment {
	return fabricast.Experiment{Network: experiment.Network{Topology: topology.TorusSpec{Dims: dims}}}
}

// Run runs an experiment that must succeed.
func Run(t *testing.T, e *fabricast.Experiment, options ...fabricast.Option) *fabricast.Result {
	t.Helper()
	r, err := e.Run(t.Context(), options...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
