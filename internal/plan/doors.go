package plan

import (
	"fmt"

	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/routing/deadlock"
	"fabricast/topology"
)

// makeDoors creates the experiment's doors (extension points of the network model); nil if it has
// none. It checks that the routing of each epoch is free of deadlock and delivers all packets.
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
