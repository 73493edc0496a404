package plan

import (
	"errors"
	"fmt"

	"fabricast/experiment"
	"fabricast/internal/usercache"
	"fabricast/routing"
	"fabricast/routing/deadlock"
	"fabricast/topology"
)

// buildRouting makes the routing algorithm and checks it for deadlock. If the experiment leaves the
// number of virtual channels open and the default is too few, it uses as many as the algorithm
// needs. If the experiment also leaves the algorithm open and no number is enough, it uses
// up*/down*, which needs one. It returns the experiment with these choices, the algorithm, and the
// report of the check.
func buildRouting(
	e *experiment.Resolved,
	t topology.Topology,
) (*experiment.Resolved, routing.Algorithm, *deadlock.Report, error) {
	vcsOpen, routingOpen := e.Open()
	for {
		algorithm, err := makeRouting(e, t, e.Network.Router.VCs)
		if err == nil {
			var report *deadlock.Report
			if report, err = checked(e, t, algorithm); err == nil {
				return e, algorithm, report, nil
			}
		}
		need := neededVCs(err)
		if routingOpen && need > routing.MaxVCs {
			e, routingOpen = e.WithRouting(
				routing.UpDownOptions{},
			), false
			continue
		}
		if !vcsOpen || need <= e.Network.Router.VCs || need > routing.MaxVCs {
			return nil, nil, nil, refuseRouting(e, t, err)
		}
		e = e.WithVCs(need)
		if err := bounded(e, t); err != nil {
			return nil, nil, nil, err
		}
	}
}

// neededVCs returns how many virtual channels would avoid the error; 0 if no number would.
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

// makeRouting makes the algorithm of the experiment for a network with vcs virtual channels per port, of which
// packets that are routed round faults may have some of their own.
func makeRouting(e *experiment.Resolved, t topology.Topology, vcs int) (routing.Algorithm, error) {
	if k := routing.KindOf(e.Network.Routing); k != nil && !k.Fits(t) {
		return nil, errUnfit
	}
	a, err := e.Network.AlgorithmFor(t, vcs-e.Faults.VCs)
	var few *routing.TooFewVCsError
	if errors.As(err, &few) {
		few.Need += e.Faults.VCs
		few.Have += e.Faults.VCs
	}
	return a, err
}

// checked returns the result of checkDeadlock. Results are cached for networks that are described
// by the experiment alone, also from run to run if the program does so (package usercache).
func checked(
	e *experiment.Resolved, t topology.Topology, algorithm routing.Algorithm,
) (*deadlock.Report, error) {
	check := func() (*deadlock.Report, error) { return checkDeadlock(e, t, algorithm) }
	key, ok := networkKey(e)
	if !ok {
		return check()
	}
	return e.Reports().Of(key, func() (*deadlock.Report, error) {
		return provedBefore(usercache.Current(), e, t.Graph(), key, check)
	})
}

// networkKey returns a text that determines all routes of the experiment's network; it serves as a
// cache key. ok is false if routes also depend on a file or on a Go function.
func networkKey(e *experiment.Resolved) (key string, ok bool) {
	key, ok = e.Network.Key()
	return fmt.Sprintf("%s %d %d", key, e.Network.Router.VCs-e.Faults.VCs, e.Node.NICs), ok
}

// checkDeadlock searches the channel dependency graph of an algorithm for cycles, and checks that
// packets arrive at their destinations. For a large network it may search a smaller representative
// network with the same cycles instead.
func checkDeadlock(
	e *experiment.Resolved, t topology.Topology, algorithm routing.Algorithm,
) (*deadlock.Report, error) {
	small, name, err := standIn(e, t)
	if err != nil {
		return nil, err
	}
	steps, checked := int64(deadlock.DefaultSteps), algorithm
	if small != t {
		steps = standInSteps
		if checked, err = makeRouting(e, small, e.Network.Router.VCs); err != nil {
			return nil, err
		}
	}
	report, err := checkOn(e, small, checked, steps)
	if err != nil {
		return nil, err
	}
	if small != t {
		report.Instead = name
	}
	if err := deadlock.Follow(t.Graph(), algorithm); err != nil {
		return nil, &strayError{err, t}
	}
	return report, nil
}

// strayError reports that packets do not arrive at their destinations on the experiment's own
// network, rather than on its representative network.
type strayError struct {
	error
	on topology.Topology
}

func (e *strayError) Unwrap() error { return e.error }

func checkOn(
	e *experiment.Resolved,
	t topology.Topology,
	algorithm routing.Algorithm,
	steps int64,
) (*deadlock.Report, error) {
	return deadlock.Check(t.Graph(), algorithm, deadlock.Options{
		VCs: e.Network.Router.VCs, Steps: steps,
		WithVCs: func(vcs int) (routing.Algorithm, error) { return makeRouting(e, t, vcs) },
	})
}
