package deadlock

import (
	"fmt"
	"runtime"

	"fabricast/routing"
	"fabricast/topology"
)

// Together searches the union of the channel dependencies of several algorithms for a cycle, for
// packets that each keep the algorithm they started with and share virtual channels. No algorithm
// may have escape channels. Its error is a *CycleError or a *RouteError, and an error without a
// type if not all routes can be checked within Options.Steps for each algorithm.
func Together(g *topology.Graph, algorithms []routing.Function, o Options) error {
	if o.Steps <= 0 {
		o.Steps = DefaultSteps
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if size := tableSize(g, o.VCs, false); size > maxTable {
		return fmt.Errorf("the table of dependencies would take %d MiB", size>>20)
	}
	shared := newTable(g, o.VCs, false)
	var last *sweep
	for _, a := range algorithms {
		routes, err := routesOf(g, a)
		if err != nil {
			return err
		}
		last = &sweep{table: shared, routes: routes, budget: o.Steps, fold: o.Fold}
		if err := last.run(o.Workers); err != nil {
			return called(err, a)
		}
		if last.walked < routes.destinations() {
			return fmt.Errorf("the routes of %s to all destinations are too many to check", a.Name())
		}
	}
	if last == nil {
		return nil
	}
	return last.judge(new(Report), names(algorithms), false)
}

// names lists the names of algorithms in order, each once.
func names(algorithms []routing.Function) (list string) {
	seen := map[string]bool{}
	for _, a := range algorithms {
		if name := a.Name(); !seen[name] {
			if seen[name] = true; list != "" {
				list += " and "
			}
			list += name
		}
	}
	return list
}
