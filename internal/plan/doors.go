package plan

import (
	"fmt"

	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/routing/deadlock"
	"fabricast/topology"
)

// makeDoors makes the doors of an experiment; nil if it has none. The routing of each epoch must be free
// of deadlock by itself, and lead all packets to their destinations.
func makeDoors(e *experiment.Resolved, t topology.Topology) (*fabric.Doors, error) {
	if e.Network.Doors == nil {
		return nil, nil
	}
	refuse := func(what string, err error) error {
		return e.Refuse("network.doors", what, "doors that fit the network", err.Error())
	}
	vcs := e.Network.Router.VCs
	doors, err := e.Network.Doors(t, vcs)
	if err != nil {
		return nil, refuse("an error", err)
	}
	if doors == nil {
		return nil, nil
	}
	for i := range doors.Epochs {
		epoch := &doors.Epochs[i]
		what := fmt.Sprintf("%s routing from %s on", epoch.Routing.Name(), epoch.At)
		if _, err := deadlock.Check(t.Graph(), epoch.Routing, deadlock.Options{VCs: vcs}); err != nil {
			return nil, refuse(what, err)
		}
		if err := deadlock.Follow(t.Graph(), epoch.Routing); err != nil {
			return nil, refuse(what, err)
		}
	}
	return doors, nil
}
