package plan

import (
	"errors"
	"fmt"

	"fabricast/experiment"
	"fabricast/internal/config"
	"fabricast/internal/failure"
	"fabricast/routing"
	"fabricast/topology"
)

// BuildTopology builds the experiment's network. It returns a configuration error if the topology
// is invalid, has routers with too many ports, or is not connected.
func BuildTopology(e *experiment.Resolved) (topology.Topology, error) {
	const path = "network.topology"
	t, err := e.Spec().Build(e.Node.NICs)
	if mistake := (*topology.Mistake)(nil); errors.As(err, &mistake) {
		return nil, e.Refuse(path+"."+mistake.Field, mistake.Found, mistake.Expected, mistake.Hint)
	}
	if err != nil {
		return nil, e.Refuse(path, e.Network.Kind(), "a network that can be simulated", err.Error())
	}
	if err := bounded(e, t); err != nil {
		return nil, err
	}
	return t, connected(e, t)
}

// maxRadix bounds the number of indices that a router needs: one for each virtual channel of each
// port and two more a port. They have 16 bits.
const maxRadix = 1<<16 - 1

// bounded returns an error if a router has more ports than the simulator can number.
func bounded(e *experiment.Resolved, t topology.Topology) error {
	radix := t.Graph().Radix()
	vcs := e.Network.Router.Channels()
	if vcs > routing.MaxVCs {
		return e.Refuse("network.router.classes", fmt.Sprintf("%d virtual channels, %d for each class", vcs, e.Network.Router.VCs),
			fmt.Sprintf("at most %d in all", routing.MaxVCs), "the routing algorithm needs as many for each class")
	}
	if most := maxRadix / (vcs + 2); radix > most {
		return e.Refuse("network.topology", fmt.Sprintf("a router of %d ports", radix),
			fmt.Sprintf("at most %d ports with %d virtual channels", most, vcs), "")
	}
	return nil
}

// connected returns an error if a router cannot be reached from the others.
func connected(e *experiment.Resolved, t topology.Topology) error {
	g := t.Graph()
	from := g.HostRouter(0)
	for r, d := range topology.NewDistances(g).From(from) {
		if d < 0 {
			const field, expected = "network.topology", "a network in which every router can be reached"
			found := fmt.Sprintf("no way from router %s to router %s", t.RouterName(from), t.RouterName(r))
			if at, known := e.PlaceOf(r); known {
				return failure.NewConfigError(config.Problems{
					{Position: at, Field: field, Found: found, Expected: expected},
				})
			}
			return e.Refuse(field, found, expected, "")
		}
	}
	return nil
}
