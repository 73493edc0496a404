package deadlock

import (
	"errors"
	"fmt"
	"runtime"

	"fabricast/routing"
	"fabricast/topology"
)

// Options configure the check.
type Options struct {
	// VCs is the number of virtual channels per port.
	VCs int
	// Steps limits the work: a step for each dependency found, and sixteen for each place (router
	// and route header) visited. 0 means DefaultSteps. If all routes take more steps, only those to
	// an evenly spread sample of the destinations are checked, to at least one.
	Steps int64
	// Workers is the number of goroutines; 0 means one per processor.
	Workers int
	// Indirect also counts indirect dependencies, of an escape channel on another with other
	// channels in between, as wormhole switching requires (Duato 1993).
	Indirect bool
	// WithVCs makes the same algorithm with another number of VCs, to find out how many avoid a
	// deadlock. If nil, that is not determined.
	WithVCs func(vcs int) (routing.Algorithm, error)
	// Fold, if not 0, replaces all virtual channels from Fold-1 on by channel Fold-1. It shows what
	// would happen to an algorithm with fewer VCs than it needs.
	Fold int
}

// withDefaults returns the options with the defaults of Steps and Workers.
func (o Options) withDefaults() Options {
	if o.Steps <= 0 {
		o.Steps = DefaultSteps
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	return o
}

// DefaultSteps takes one to a few seconds. It is enough for all routes on a tree of 4,096 hosts.
const DefaultSteps = 72 << 20

// coins is how many random headers are tried for each pair of NICs if a randomized algorithm cannot
// list its routes (see routing.Outliner).
const coins = 16

// maxTable limits the table of dependencies, in bytes.
const maxTable = 512 << 20

// Report says how much of the routes was checked.
type Report struct {
	Destinations int    // destinations to which routes were checked
	Of           int    // all destinations
	Steps        int64  // see Options.Steps
	Sampled      bool   // not all random headers were tried
	Escape       bool   // freedom from deadlock relies on escape channels
	Instead      string // the representative network that was checked; "": the network itself
	Skipped      string // why nothing was checked; "" if it was
}

// Whole reports whether the routes to all destinations were checked. For a randomized algorithm
// that cannot list its routes, these are the routes of the headers that were tried.
func (r *Report) Whole() bool { return r.Skipped == "" && r.Destinations == r.Of }

func (r *Report) String() string {
	if r.Instead != "" {
		return r.found() + " (checked on " + r.Instead + ", which has the same cycles)"
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

// Check searches the channel dependency graph of an algorithm (a routing.Function,
// routing.Randomized or routing.Adaptive) on a network for cycles. Its error is a *CycleError, an
// *EscapeError or a *RouteError.
func Check(g *topology.Graph, algorithm routing.Algorithm, o Options) (*Report, error) {
	o = o.withDefaults()
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

// called sets the algorithm's name in an error that is a *RouteError.
func called(err error, algorithm routing.Algorithm) error {
	var wrong *RouteError
	if errors.As(err, &wrong) {
		wrong.Algorithm = algorithm.Name()
	}
	return err
}

// check follows the routes. It also returns the sweep that did so, nil if there was none.
func check(g *topology.Graph, algorithm routing.Algorithm, o Options) (*Report, *sweep, error) {
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
	return report, s, s.judge(report, algorithm.Name(), o.Indirect)
}

// enough returns the least number of VCs, above o.VCs, for which there is no cycle; 0 if there is
// none up to routing.MaxVCs. Each number is first tried on a part of the routes, which shows most
// cycles.
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
