package deadlock

import (
	"sync"
	"sync/atomic"
)

// sweep walks the routes to every destination, or to as many as the budget
// allows, and notes the dependencies.
type sweep struct {
	table  *table
	routes routes
	budget int64
	fold   int // see Options.Fold

	walked int
	steps  int64
	escape bool // some candidate is marked as escape channel
	stuck  int32
	step   int // distance between the destinations that are walked
}

// run walks the first destination to see how many the budget allows, then the others.
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

// arrive walks the same routes again and fails if packets cannot leave the network by some of them.
func (s *sweep) arrive(workers int) error {
	if err := newWalk(s.table, s.routes, s.fold).arrive(0); err != nil {
		return err
	}
	return s.others(workers, func(*walk) {}, (*walk).arrive)
}

// stride is a distance between destinations of which there are then no more
// than affordable. It has no factor in common with their number, or the sample
// would be of destinations that are alike, such as the first of every block.
func stride(destinations int, affordable int64) int {
	step := int((int64(destinations) + affordable - 1) / affordable)
	for step > 1 && common(step, destinations) > 1 {
		step++
	}
	return max(step, 1)
}

// common is the greatest common divisor.
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

// others walks what remains, each destination by the next worker that is free, and hands what each worker
// found to collect. What is found does not depend on which; the error is that of the first destination with one.
func (s *sweep) others(workers int, collect func(*walk), to func(w *walk, destination int) error) error {
	var next atomic.Int64
	walks, errs, last := make([]*walk, workers), make([]error, workers), make([]int, workers)
	var group sync.WaitGroup
	for i := range workers {
		walks[i] = newWalk(s.table, s.routes, s.fold)
		group.Go(func() {
			for errs[i] == nil {
				last[i] = int(next.Add(1)) * s.step
				if last[i] >= s.routes.destinations() {
					return
				}
				errs[i] = to(walks[i], last[i])
			}
		})
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
