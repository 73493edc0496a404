package deadlock

import (
	"math"
	"slices"

)

// checkEscape is Duato's condition: every place of packets offers an escape
// channel (or the way out), and no escape channel depends on itself, counting
// dependencies with other channels in between.
//
// The search is on one graph of escape channels and places: a channel leads to
// the places at its end; a place leads to the escape channels that it
// offers, and by its other channels to the next places. Places of packets to different
// destinations are different, so a way between two escape channels that passes
// by no third is one packet's. A circle that has an escape channel on it is a
// circle of dependencies.
func checkEscape(t *table, r routes, stride int, algorithm string) error {
	e := &escapes{table: t, places: t.channels()}
	w := newWalk(t, r)
	for destination := 0; destination < r.destinations(); destination += stride {
		if err := w.explore(destination); err != nil {
			return err
		}
		if router := e.take(w); router != none {
			return &EscapeError{Algorithm: algorithm, Router: router}
		}
		if len(e.edges) > maxEdges {
			break
		}
	}
	e.link()
	if cycle := e.cycle(); cycle != nil {
		return &CycleError{Graph: t.graph, Algorithm: algorithm, VCs: int(t.vcs), Cycle: cycle, Escape: true}
	}
	return nil
}

// maxEdges bounds the graph of the search.
const maxEdges = 48 << 20

// escapes is the graph: nodes below the number of channels are channels, the
// others places.
type escapes struct {
	table  *table
	places int32  // nodes so far
	edges  []edge // as found
	first  []int32
	next   []int32
}

type edge struct{ from, to int32 }

// take enters the places of packets to one destination. It returns a router at
// which no escape is offered, or none.
func (e *escapes) take(w *walk) int32 {
	for i := range w.states {
		s := &w.states[i]
		node := e.places + int32(i)
		offered := len(w.of(i)) == 0
		last := edge{none, none}
		for _, c := range w.of(i) {
			channel, next := w.channel(s.router, c), w.follow(s.router, c)
			step := edge{node, e.places + next}
			switch {
			case channel == none:
				offered = true
				continue
			case c.Escape:
				offered = true
				step.to = channel
				e.edges = append(e.edges, edge{channel, e.places + next})
			}
			if step != last {
				e.edges = append(e.edges, step)
			}
			last = step
		}
		if !offered {
			return s.router
		}
	}
	e.places += int32(len(w.states))
	return none
}

// link sorts the edges by where they begin.
func (e *escapes) link() {
	e.first = make([]int32, e.places+1)
	for _, x := range e.edges {
		e.first[x.from+1]++
	}
	for i := range e.places {
		e.first[i+1] += e.first[i]
	}
	e.next = make([]int32, len(e.edges))
	fill := slices.Clone(e.first)
	for _, x := range e.edges {
		e.next[fill[x.from]] = x.to
		fill[x.from]++
	}
	e.edges = nil
}

// cycle is a circle with an escape channel on it, as its escape channels.
func (e *escapes) cycle() []Channel {
	component := e.components()
	size := make([]int32, e.places)
	for _, c := range component {
		size[c]++
	}
	for channel := range e.table.channels() {
		if size[component[channel]] > 1 {
			return e.shortest(channel, component)
		}
	}
	return nil
}

// components numbers the strongly connected components (Tarjan, SIAM J. Computing
// 1972), with a stack of its own in place of recursion.
func (e *escapes) components() []int32 {
	n := e.places
	order, low := make([]int32, n), make([]int32, n) // 0: unseen
	component := make([]int32, n)
	for i := range component {
		component[i] = none
	}
	at := slices.Clone(e.first[:n])
	var path, open []int32
	counter, components := int32(0), int32(0)
	for start := range n {
		if order[start] != 0 {
			continue
		}
		path = append(path[:0], start)
		for len(path) > 0 {
			v := path[len(path)-1]
			if order[v] == 0 {
				counter++
				order[v], low[v] = counter, counter
				open = append(open, v)
			}
			if at[v] < e.first[v+1] {
				u := e.next[at[v]]
				at[v]++
				if order[u] == 0 {
					path = append(path, u)
				} else if component[u] == none {
					low[v] = min(low[v], order[u])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				parent := path[len(path)-1]
				low[parent] = min(low[parent], low[v])
			}
			if low[v] == order[v] {
				for u := none; u != v; {
					u = open[len(open)-1]
					open = open[:len(open)-1]
					component[u] = components
				}
				components++
			}
		}
	}
	return component
}

// shortest is a shortest circle through an escape channel within its component.
func (e *escapes) shortest(start int32, component []int32) []Channel {
	from := make([]int32, e.places)
	for i := range from {
		from[i] = math.MinInt32
	}
	queue := []int32{start}
	for i := 0; i < len(queue); i++ {
		at := queue[i]
		for _, next := range e.next[e.first[at]:e.first[at+1]] {
			if component[next] != component[start] || from[next] != math.MinInt32 {
				continue
			}
			from[next] = at
			if next == start {
				return e.trace(from, start)
			}
			queue = append(queue, next)
		}
	}
	return nil
}

// trace names the channels on a circle.
func (e *escapes) trace(from []int32, start int32) []Channel {
	var cycle []Channel
	for at := from[start]; at != start; at = from[at] {
		if at < e.table.channels() {
			cycle = append(cycle, e.table.name(at))
		}
	}
	cycle = append(cycle, e.table.name(start))
	slices.Reverse(cycle)
	return cycle
}

