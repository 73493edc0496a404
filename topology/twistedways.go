package topology

import "slices"

// TwistedWay says how the shortest ways of a twisted torus lead from one router to another. Of all
// of them, those are taken that go farthest along the first dimension, of these those that go
// farthest along the second, and so on. So a way that has left a dimension never needs it again:
// after a step, those of its kind are what remains of those before.
type TwistedWay struct {
	Hops     int32 // in all; 0 at the destination
	Steps    int32 // to go along Dim
	Dim      uint8 // the first dimension in which there is something to go
	Up, Down bool  // whether such ways lead up and down along Dim
}

// newTwistedWays returns the ways from router 0 to every router, by breadth-first search.
func newTwistedWays(t *TwistedTorus, routers int) []TwistedWay {
	n := len(t.dims)
	ways, steps := make([]TwistedWay, routers), make([]int32, routers*n)
	reached := make([]bool, routers)
	reached[0] = true
	order := []int32{0}
	for i := 0; i < len(order); i++ {
		at := int(order[i])
		for p := range 2 * n {
			to := t.Neighbour(at, p)
			if !reached[to] {
				reached[to] = true
				ways[to].Hops = ways[at].Hops + 1
				order = append(order, int32(to))
			}
			if ways[to].Hops == ways[at].Hops+1 {
				ways[to].extend(steps[to*n:to*n+n], steps[at*n:at*n+n], p)
			}
		}
	}
	return ways
}

// extend takes the ways into account that reach the router by a port of a neighbour nearer to the
// start. best holds the steps of the router's ways along each dimension, before those of the
// neighbour's.
func (w *TwistedWay) extend(best, before []int32, port int) {
	candidate := slices.Clone(before)
	candidate[port/2]++
	order := slices.Compare(candidate, best)
	if order < 0 {
		return
	}
	if order > 0 {
		copy(best, candidate)
		w.Up, w.Down = false, false
		w.Dim = uint8(slices.IndexFunc(candidate, func(steps int32) bool { return steps > 0 }))
		w.Steps = candidate[w.Dim]
	}
	if port/2 == int(w.Dim) {
		w.Up, w.Down = w.Up || port%2 == 0, w.Down || port%2 == 1
	}
}
