package plan

import (
	"slices"

	"fabricast/experiment"
	"fabricast/routing/deadlock"
	"fabricast/topology"
)

// standInSteps limits the deadlock check on a representative network. It suffices for all routes of
// a 4.5-D torus (HiNetSim) of 4 blocks a dimension.
const standInSteps = 2 * deadlock.DefaultSteps

// standIn returns the network on which routes are checked for deadlock. This is t itself, or a
// smaller representative network with the same dependency cycles; name then names that network.
func standIn(e *experiment.Resolved, t topology.Topology) (on topology.Topology, name string, err error) {
	large, ok := t.(topology.Represented)
	if !ok {
		return t, "", nil
	}
	small, ok := large.Representative()
	if !ok || !slices.Contains(e.Network.Alike(), small.Of) {
		return t, "", nil
	}
	on, err = small.Build()
	return on, small.Name, err
}
