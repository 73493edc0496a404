package fabricast

import (
	"fmt"
	"slices"
	"strings"

	"fabricast/routing/deadlock"
	"fabricast/topology"
)

// smallEnough is how many routers a network of rings or lines may have to be checked for deadlock as it is; and
// the sizes of dimensions of the smaller one that is checked in place of a larger. smallSlimFly is the same for Slim Flies,
// of which many more can be walked.
const (
	smallEnough  = 256
	smallDim     = 4
	smallSlimFly = 2048
)

// standInSteps is for a smaller network in place of a larger: all routes of a 4.5-D torus of 4 blocks a dimension.
const standInSteps = 2 * deadlock.DefaultSteps

// alikeOnRings are the algorithms whose circles on a torus do not depend on the length of its rings beyond
// whether it is even, and more than three (docs/routing.md has the reason). Up*/down* has none at all.
var alikeOnRings = []string{
	RoutingDOR, RoutingMinimal, RoutingShortest, RoutingUpDown, RoutingValiant, RoutingROMM, RoutingAdaptive, RoutingUGALL, RoutingUGALG, RoutingZone,
}

// alikeJoined are those of a hierarchy whose blocks are joined by a torus or mesh; shortest paths may lead
// through blocks in any order.
var alikeJoined = []string{RoutingMinimal, RoutingUpDown, RoutingValiant, RoutingUGALL, RoutingUGALG, RoutingZone}

// alikeOnSlimFlies are those that have a class for each hop on Slim Flies of any order, and up*/down*.
var alikeOnSlimFlies = []string{RoutingMinimal, RoutingUpDown, RoutingValiant, RoutingUGALL, RoutingUGALG}

// standIn is the network on which routes are checked for deadlock: the experiment's own, or a smaller one with the same circles.
func (e *Experiment) standIn(t topology.Topology) (topology.Topology, error) {
	r := &e.Network.Routing
	if r.Custom != nil || r.File != "" || r.rootRouter() >= 0 {
		return t, nil // routes of one's own, or of routers that a smaller one has not
	}
	routers := t.Graph().Routers
	switch t := t.(type) {
	case *topology.Torus:
		if routers > smallEnough && r.among(alikeOnRings) {
			return smallerTorus(t).Build(t.Graph().NICsPerHost)
		}
	case *topology.Hierarchy:
		outer, ok := t.Outer().(*topology.Torus)
		if ok && routers > smallEnough && r.among(alikeJoined) && !slices.Equal(smallerTorus(outer).Dims, outer.Dims()) {
			return t.Rejoined(smallerTorus(outer))
		}
	case *topology.SlimFly:
		if routers > smallSlimFly && r.among(alikeOnSlimFlies) {
			return smallerSlimFly(t).Build(t.Graph().NICsPerHost)
		}
	}
	return t, nil
}

// among tells whether the algorithm is one of these, or puts the routes of one into headers.
func (r *Routing) among(algorithms []string) bool {
	name := r.Algorithm
	if name == RoutingSource && r.Of != RoutingShortest {
		name = r.Of
	}
	return slices.Contains(algorithms, name)
}

// smallerTorus is a torus with the same kinds of dimensions, and few routers.
func smallerTorus(t *topology.Torus) topology.TorusSpec {
	s := topology.TorusSpec{Hosts: t.Hosts()}
	for d, k := range t.Dims() {
		s.Wrap = append(s.Wrap, t.Wraps(d))
		s.Dims = append(s.Dims, min(k, smallDim+k%2))
	}
	return s
}

// smallerSlimFly is one of the same kind: its order has the same remainder to 4, which tells what its columns are like.
func smallerSlimFly(f *topology.SlimFly) topology.SlimFlySpec {
	return topology.SlimFlySpec{Q: [...]int{8, 5, 0, 7}[f.Q()%4], Hosts: f.Hosts()}
}

// sizeOf names a network that stands for another: "a torus of 4x4".
func sizeOf(t topology.Topology) string {
	switch t := t.(type) {
	case *topology.Torus:
		dims := fmt.Sprint(t.Dims())
		return fmt.Sprintf("a %s of %s", t.Kind(), strings.Trim(strings.ReplaceAll(dims, " ", "x"), "[]"))
	case *topology.Hierarchy:
		return sizeOf(t.Outer()) + " blocks"
	case *topology.SlimFly:
		return fmt.Sprintf("a Slim Fly of order %d", t.Q())
	}
	return "a smaller network"
}
