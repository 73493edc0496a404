package deadlock

import (
	"math"
	"slices"
)

// indirectCycle returns a cycle of direct and indirect dependencies of escape channels (Duato
// 1993); nil if there is none.
//
// It searches one graph of escape channels and places of packets. A channel leads to the places at
// its end. A place leads to the escape channels that it offers and, through its other channels, to
// the next places. Places of packets to different destinations are different, so a path between two
// escape channels that contains no third one is that of a single packet. So every cycle that
// contains an escape channel is a cycle of dependencies.
func indirectCycle(t *table, r routes, stride int) ([]Channel, error) {
	e := &escapes{table: t, places: t.channels(), marked: t.marked()}
	w := newWalk(t, r, 0)
	for destination := 0; destination < r.destinations() && len(e.edges) < maxEdges; destination += stride {
		if err := w.explore(destination); err != nil {
			return nil, err
		}
		e.take(w)
	}
	e.link()
	return e.cycle(), nil
}

// marked reports for every channel whether others depend on it as an escape channel.
func (t *table) marked() []bool {
	marked := make([]bool, t.channels())
	s := &searcher{t, t.escape}
	for channel := range t.channels() {
		for next, column := s.after(channel, 0); column != none; next, column = s.after(channel, column+1) {
			if next != none {
				marked[next] = true
			}
		}
	}
	return marked
}

// maxEdges limits the edges of the graph.
const maxEdges = 48 << 20

// escapes is the graph of indirectCycle. Its first nodes are the channels, by number. The other
// nodes are the states of packets (a router, and how the packet is routed on), destination by
// destination.
type escapes struct {
	table  *table
	marked []bool // by channel: whether it is an escape channel
	places int32  // number of nodes so far
	edges  []edge // in the order in which they were found
	first  []int32
	next   []int32
}

type edge struct{ from, to int32 }

// take adds the places of packets to one destination.
func (e *escapes) take(w *walk) {
	for i := range w.states {
		node, last := e.places+int32(i), edge{none, none}
		nexts := w.next(i)
		for n, c := range w.of(i) {
			next := nexts[n]
			if next == none {
				continue
			}
			step, channel := edge{node, e.places + next}, w.channel(w.states[i].router, c)
			if e.marked[channel] {
				step.to = channel
				e.edges = append(e.edges, edge{channel, e.places + next})
			}
			if step != last { // the channels of one port are next to one another
				e.edges = append(e.edges, step)
			}
			last = step
		}
	}
	e.places += int32(len(w.states))
}

// link sorts the edges by their start nodes.
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

// cycle returns the escape channels of a cycle; nil if there is none.
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

// components returns the number of the strongly connected component of each node.
func (e *escapes) components() []int32 {
	t := tarjan{
		escapes: e, order: make([]int32, e.places), low: make([]int32, e.places),
		component: make([]int32, e.places), at: slices.Clone(e.first[:e.places]),
	}
	for i := range t.component {
		t.component[i] = none
	}
	for start := range e.places {
		if t.order[start] == 0 {
			t.search(start)
		}
	}
	return t.component
}

// tarjan finds strongly connected components (Tarjan, SIAM J. Computing 1972), with an explicit
// stack instead of recursion.
type tarjan struct {
	*escapes
	order, low []int32 // 0: not visited
	component  []int32
	at         []int32 // next edge
	open       []int32
	seen, done int32
}

func (t *tarjan) search(start int32) {
	path := []int32{start}
	for len(path) > 0 {
		v := path[len(path)-1]
		if t.order[v] == 0 {
			t.seen++
			t.order[v], t.low[v] = t.seen, t.seen
			t.open = append(t.open, v)
		}
		if t.at[v] < t.first[v+1] {
			u := t.next[t.at[v]]
			t.at[v]++
			if t.order[u] == 0 {
				path = append(path, u)
			} else if t.component[u] == none {
				t.low[v] = min(t.low[v], t.order[u])
			}
			continue
		}
		path = path[:len(path)-1]
		if len(path) > 0 {
			parent := path[len(path)-1]
			t.low[parent] = min(t.low[parent], t.low[v])
		}
		t.close(v)
	}
}

// close completes a strongly connected component if v is its first node. It removes the component's
// nodes from the stack.
func (t *tarjan) close(v int32) {
	if t.low[v] != t.order[v] {
		return
	}
	for u := none; u != v; {
		u = t.open[len(t.open)-1]
		t.open = t.open[:len(t.open)-1]
		t.component[u] = t.done
	}
	t.done++
}

// shortest returns a shortest cycle through an escape channel within its component.
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

// trace returns the channels of a cycle, by following the predecessors in from.
func (e *escapes) trace(from []int32, start int32) []Channel {
	var cycle []Channel
	for at := from[start]; at != start; at = from[at] {
		if at < e.table.channels() {
			cycle = append(cycle, e.table.name(at))
		}
	}
	cycle = append(cycle, e.table.name(start))
	slices.Reverse(cycle)
	return fromLowest(cycle)
}
