package deadlock

import (
	"errors"
	"fmt"
	"runtime"

	"fabricast/routing"
	"fabricast/topology"
)

// Options bound the check.
type Options struct {
	// VCs is the number of virtual channels of a port.
	VCs int
	// Steps bounds the work: the dependencies met, and sixteen for each place of packets (router
	// and route header) visited; 0 means DefaultSteps. Where there are more, the routes to a sample of the destinations are walked, spread evenly; at least one.
	Steps int64
	// Workers is the number of goroutines; 0 means one a processor.
	Workers int
	// Indirect also counts dependencies of escape channels with other channels in
	// between, as wormhole switching needs (Duato 1993).
	Indirect bool
	// WithVCs makes the same algorithm for another number of VCs, to find out how many would do.
	// Nil: not to be found out.
	WithVCs func(vcs int) (any, error)
	// Fold, if not 0, has packets take the virtual channel Fold-1 in place of all above, to show what would
	// happen with so few to an algorithm that needs more.
	Fold int
}

// DefaultSteps takes one to a few seconds; it is enough for all routes on a tree of
// 4,096 hosts.
const DefaultSteps = 72 << 20

// coins is how many random headers each pair of NICs is tried with if the
// algorithm draws its routes by chance and does not outline them.
const coins = 16

// maxTable bounds the table of dependencies, in bytes.
const maxTable = 512 << 20

// Report says what was checked.
type Report struct {
	Destinations int    // to which routes were walked
	Of           int    // destinations there are
	Steps        int64  // see Options.Steps
	Sampled      bool   // not all routes were walked: destinations, or random headers, or both
	Escape       bool   // freedom from deadlock rests on escape channels
	Instead      string // the smaller network with the same circles that was checked, if so
	Skipped      string // why nothing was checked, if so
}

// Whole tells whether all routes were checked, or all that an algorithm with random routes was tried with.
func (r *Report) Whole() bool { return r.Skipped == "" && r.Destinations == r.Of }

func (r *Report) String() string {
	if r.Instead != "" {
		return r.found() + " (checked on " + r.Instead + ", which has the same circles)"
	}
	return r.found()
}

func (r *Report) found() string {
	switch {
	case r.Skipped != "":
		return "not checked for deadlock: " + r.Skipped
	case r.Destinations < r.Of:
		return fmt.Sprintf("no deadlock found on the routes to %d of %d destinations", r.Destinations, r.Of)
	case r.Sampled:
		return fmt.Sprintf("no deadlock found with %d random routes for each pair", coins)
	case r.Escape:
		return "free of deadlock, by escape channels"
	default:
		return "free of deadlock"
	}
}

// Check searches the dependencies of an algorithm, a routing.Function,
// routing.Randomized or routing.Adaptive, on a network for a circle. Its error is a
// *CycleError, an *EscapeError or a *RouteError.
func Check(g *topology.Graph, algorithm any, o Options) (*Report, error) {
	if o.Steps <= 0 {
		o.Steps = DefaultSteps
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	report, s, err := check(g, algorithm, o)
	if wrong := (*CycleError)(nil); errors.As(err, &wrong) {
		// Packets that never arrive make circles, too, and their error says more.
		if err := s.arrive(o.Workers); err != nil {
			return nil, called(err, algorithm)
		}
		if o.WithVCs != nil {
			wrong.Need, wrong.Tried = enough(g, o), routing.MaxVCs
		}
	}
	return report, called(err, algorithm)
}

// called enters the algorithm's name into a RouteError.
func called(err error, algorithm any) error {
	var wrong *RouteError
	if errors.As(err, &wrong) {
		wrong.Algorithm = nameOf(algorithm)
	}
	return err
}

// check walks the routes; with the report it returns the sweep that did, nil if none was made.
func check(g *topology.Graph, algorithm any, o Options) (*Report, *sweep, error) {
	routes, err := routesOf(g, algorithm)
	if err != nil {
		return nil, nil, err
	}
	report := &Report{Of: routes.destinations(), Sampled: routes.sampled()}
	_, escape := algorithm.(routing.Adaptive)
	if size := tableSize(g, o.VCs, escape); size > maxTable {
		report.Skipped = fmt.Sprintf("the table of dependencies would take %d MiB", size>>20)
		return report, nil, nil
	}
	s := &sweep{table: newTable(g, o.VCs, escape), routes: routes, budget: o.Steps, fold: o.Fold}
	if err := s.run(o.Workers); err != nil {
		return nil, nil, err
	}
	report.Destinations, report.Steps = s.walked, s.steps
	report.Sampled = report.Sampled || s.walked < report.Of
	return report, s, s.judge(report, nameOf(algorithm), o.Indirect)
}

// enough is the least number of VCs, above that of the options, with which there
// is no circle; 0 if there is none up to routing.MaxVCs. Most circles show on a
// part of the routes, so a number is first tried on that.
func enough(g *topology.Graph, o Options) int {
	for vcs := o.VCs + 1; vcs <= routing.MaxVCs; vcs++ {
		algorithm, err := o.WithVCs(vcs)
		if err != nil {
			continue
		}
		part := o
		part.VCs, part.Steps = vcs, o.Steps/16
		report, _, err := check(g, algorithm, part)
		if err == nil && report.Destinations < report.Of {
			part.Steps = o.Steps
			_, _, err = check(g, algorithm, part)
		}
		if err == nil {
			return vcs
		}
	}
	return 0
}

func nameOf(algorithm any) string {
	if named, ok := algorithm.(interface{ Name() string }); ok {
		return named.Name()
	}
	return "routing"
}
