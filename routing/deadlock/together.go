package deadlock

import (
	"fmt"
	"slices"
	"strings"

	"fabricast/routing"
	"fabricast/topology"
)

// Together searches the union of the channel dependencies of several algorithms for a cycle, for
// packets that each keep the algorithm they started with and share virtual channels. No algorithm
// may have escape channels. Its error is a *CycleError or a *RouteError, and an error without a
// type if not all routes can be checked within Options.Steps for each algorithm.
func Together(g *topology.Graph, algorithms []routing.Function, o Options) error {
	o = o.withDefaults()
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
func names(algorithms []routing.Function) string {
	var list []string
	for _, a := range algorithms {
		if name := a.Name(); !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return strings.Join(list, " and ")
}
