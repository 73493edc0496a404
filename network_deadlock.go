package fabricast

import (
	"errors"
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

// checkDeadlock searches the routes of an algorithm for circles. A large network is
// checked by a smaller one where that is as good.
func (e *Experiment) checkDeadlock(t topology.Topology, algorithm any) (*deadlock.Report, error) {
	small, err := e.standIn(t)
	if err != nil {
		return nil, err
	}
	steps := int64(deadlock.DefaultSteps)
	if small != t {
		steps = standInSteps
		if algorithm, err = e.makeRouting(small, e.Network.Router.VCs); err != nil {
			return nil, err
		}
	}
	report, err := e.checkOn(small, algorithm, steps)
	if report != nil && small != t {
		report.Instead = sizeOf(small)
	}
	return report, err
}

func (e *Experiment) checkOn(t topology.Topology, algorithm any, steps int64) (*deadlock.Report, error) {
	return deadlock.Check(t.Graph(), algorithm, deadlock.Options{
		VCs: e.Network.Router.VCs, Steps: steps, WithVCs: func(vcs int) (any, error) { return e.makeRouting(t, vcs) },
	})
}
