package fabricast

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"fabricast/routing"
	"fabricast/routing/deadlock"
	"fabricast/topology"
)

// buildRouting makes the algorithm for a network and checks it for deadlock. If the number of
// virtual channels was left open, and the default is too few, it becomes what the algorithm needs. If
// the algorithm was left open, too, and no number is enough, it becomes up*/down*, which needs one.
func (e *Experiment) buildRouting(t topology.Topology) (any, *deadlock.Report, error) {
	for {
		algorithm, err := e.makeRouting(t, e.Network.Router.VCs)
		if err == nil {
			var report *deadlock.Report
			if report, err = e.checked(t, algorithm); err == nil {
				return algorithm, report, nil
			}
		}
		need := neededVCs(err)
		if e.routingOpen && need > routing.MaxVCs {
			e.Network.Routing, e.routingOpen = Routing{Algorithm: RoutingUpDown, Root: RootMiddle}, false
			continue
		}
		if !e.vcsOpen || need <= e.Network.Router.VCs || need > routing.MaxVCs {
			return nil, nil, e.refuseRouting(t, err)
		}
		e.Network.Router.VCs = need
		if err := e.bounded(t); err != nil {
			return nil, nil, err
		}
	}
}

// neededVCs is how many virtual channels would avoid an error, 0 if none would.
func neededVCs(err error) int {
	var few *routing.TooFewVCsError
	var cycle *deadlock.CycleError
	switch {
	case errors.As(err, &few):
		return few.Need
	case errors.As(err, &cycle):
		return cycle.Need
	}
	return 0
}

var errUnfit = errors.New("unfit")

func (e *Experiment) makeRouting(t topology.Topology, vcs int) (any, error) {
	r := &e.Network.Routing
	if r.Custom != nil {
		return r.Custom(t, vcs)
	}
	k := routingOf(r.Algorithm)
	if !k.fits(t) {
		return nil, errUnfit
	}
	return k.make(r, t, vcs)
}

// deadlockFree keeps what the check found for networks that passed it, because a
// sweep runs the same network many times.
var deadlockFree sync.Map // from string to *deadlock.Report

// checked is checkDeadlock, once for each network that the experiment alone describes.
func (e *Experiment) checked(t topology.Topology, algorithm any) (*deadlock.Report, error) {
	key, ok := e.networkKey()
	if known, found := deadlockFree.Load(key); ok && found {
		return known.(*deadlock.Report), nil
	}
	report, err := e.checkDeadlock(t, algorithm)
	if ok && err == nil {
		deadlockFree.Store(key, report)
	}
	return report, err
}

// networkKey tells all that routes depend on; not ok if they depend on a file or
// on a function in Go.
func (e *Experiment) networkKey() (key string, ok bool) {
	n := &e.Network
	for _, t := range n.Topology.all() {
		if t.File != "" {
			return "", false
		}
	}
	if n.Routing.Custom != nil || n.Routing.File != "" {
		return "", false
	}
	text, err := yaml.Marshal(struct {
		Topology  Topology
		Routing   Routing
		VCs, NICs int
	}{n.Topology, n.Routing, n.Router.VCs, e.Node.NICs})
	return string(text), err == nil
}

// smallEnough is how many routers a torus may have to be checked as it is; and
// the sizes of dimensions of the smaller one that is checked in place of a larger.
const (
	smallEnough = 256
	smallDim    = 4
)

// alikeOnRings are the algorithms whose circles on a torus do not depend on the length of its rings beyond
// whether it is even, and more than three (docs/routing.md has the reason). Up*/down* has none at all.
var alikeOnRings = []string{
	RoutingDOR, RoutingMinimal, RoutingShortest, RoutingUpDown, RoutingValiant, RoutingROMM, RoutingAdaptive, RoutingUGALL, RoutingUGALG, RoutingZone,
}

// checkedSmaller tells whether a smaller torus or mesh stands for one.
func (e *Experiment) checkedSmaller(t *topology.Torus) bool {
	r := &e.Network.Routing
	if t.Graph().Routers <= smallEnough || r.Custom != nil || r.File != "" || r.rootRouter() >= 0 {
		return false // routes of one's own, or of routers that a smaller one has not
	}
	return slices.Contains(alikeOnRings, r.Algorithm) || r.Algorithm == RoutingSource && r.Of != RoutingShortest
}

// checkDeadlock searches the routes of an algorithm for circles. A large torus or mesh is
// checked by a smaller one where that is as good.
func (e *Experiment) checkDeadlock(t topology.Topology, algorithm any) (*deadlock.Report, error) {
	small, err := e.standIn(t)
	if err != nil {
		return nil, err
	}
	if small != t {
		if algorithm, err = e.makeRouting(small, e.Network.Router.VCs); err != nil {
			return nil, err
		}
	}
	report, err := e.checkOn(small, algorithm)
	if report != nil && small != t {
		report.Instead = sizeOf(small)
	}
	return report, err
}

// standIn is the network on which routes are checked for deadlock: the experiment's own, or a smaller one.
func (e *Experiment) standIn(t topology.Topology) (topology.Topology, error) {
	if torus, ok := t.(*topology.Torus); ok && e.checkedSmaller(torus) {
		return smaller(torus)
	}
	return t, nil
}

// sizeOf names a torus or mesh: "a torus of 4x4".
func sizeOf(t topology.Topology) string {
	dims := fmt.Sprint(t.(*topology.Torus).Dims())
	return fmt.Sprintf("a %s of %s", t.Kind(), strings.Trim(strings.ReplaceAll(dims, " ", "x"), "[]"))
}

func (e *Experiment) checkOn(t topology.Topology, algorithm any) (*deadlock.Report, error) {
	return deadlock.Check(t.Graph(), algorithm, deadlock.Options{
		VCs: e.Network.Router.VCs, WithVCs: func(vcs int) (any, error) { return e.makeRouting(t, vcs) },
	})
}

// smaller is a torus with the same kinds of dimensions, and few routers.
func smaller(t *topology.Torus) (*topology.Torus, error) {
	s := topology.TorusSpec{Hosts: t.Hosts()}
	for d, k := range t.Dims() {
		s.Wrap = append(s.Wrap, t.Wraps(d))
		s.Dims = append(s.Dims, min(k, smallDim+k%2))
	}
	return topology.NewTorusOf(s, t.Graph().NICsPerHost)
}
