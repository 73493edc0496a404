package plan

import (
	"slices"

	"fabricast/experiment"
	"fabricast/routing/deadlock"
	"fabricast/topology"
)

// standInSteps is for a smaller network in place of a larger: all routes of a 4.5-D torus of 4
// blocks a dimension.
const standInSteps = 2 * deadlock.DefaultSteps

// standIn is the network on which routes are checked for deadlock: the experiment's own, or a
// smaller one with the same circles, and what the latter is called.
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
