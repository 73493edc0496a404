package deadlock

import (
	"sync"
	"sync/atomic"

	"fabricast/internal/panics"
)

// sweep follows the routes to every destination, or to as many as the budget allows, and records
// the dependencies.
type sweep struct {
	table  *table
	routes routes
	budget int64
	fold   int // see Options.Fold

	walked int
	steps  int64
	escape bool // some candidate is an escape channel
	// a router where packets may have to wait without an escape channel; none if there is none
	stuck int32
	step  int // distance between the destinations checked
}

// run follows the routes to the first destination to see how many destinations the budget allows,
// then to the others.
func (s *sweep) run(workers int) error {
	first := newWalk(s.table, s.routes, s.fold)
	s.step, s.stuck = 1, none
	if s.routes.destinations() == 0 {
		return nil
	}
	if err := first.to(0); err != nil {
		return err
	}
	s.collect(first)
	affordable := max(s.budget/max(s.steps, 1), 1)
	s.step = stride(s.routes.destinations(), affordable)
	return s.others(workers, s.collect, (*walk).to)
}

// arrive follows the same routes again and returns an error if packets cannot leave the network on
// some of them.
func (s *sweep) arrive(workers int) error {
	if err := newWalk(s.table, s.routes, s.fold).arrive(0); err != nil {
		return err
	}
	return s.others(workers, func(*walk) {}, (*walk).arrive)
}

// stride returns a distance between destinations such that there are at most affordable of them. It
// has no common factor with the number of destinations. Otherwise all chosen destinations might
// have the same position in their blocks.
func stride(destinations int, affordable int64) int {
	step := int((int64(destinations) + affordable - 1) / affordable)
	for step > 1 && common(step, destinations) > 1 {
		step++
	}
	return max(step, 1)
}

// common returns the greatest common divisor.
func common(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (s *sweep) collect(w *walk) {
	s.steps += w.total
	s.walked += w.walked
	s.escape = s.escape || w.escape
	if w.stuck != none && (s.stuck == none || w.stuck < s.stuck) {
		s.stuck = w.stuck
	}
}

// others calls the function `to` for each remaining destination, in parallel on as many walks as
// workers, and then collect for each walk. The result does not depend on which worker takes which
// destination: if several fail, the error is that of the first destination.
func (s *sweep) others(workers int, collect func(*walk), to func(w *walk, destination int) error) error {
	var next atomic.Int64
	walks, errs, last := make([]*walk, workers), make([]error, workers), make([]int, workers)
	var group sync.WaitGroup
	for i := range workers {
		walks[i] = newWalk(s.table, s.routes, s.fold)
		group.Go(panics.Guarded("check for deadlock", func() {
			for errs[i] == nil {
				last[i] = int(next.Add(1)) * s.step
				if last[i] >= s.routes.destinations() {
					return
				}
				errs[i] = to(walks[i], last[i])
			}
		}))
	}
	group.Wait()
	var first error
	at := s.routes.destinations()
	for i, w := range walks {
		if errs[i] != nil && last[i] < at {
			first, at = errs[i], last[i]
		}
		collect(w)
	}
	return first
}
