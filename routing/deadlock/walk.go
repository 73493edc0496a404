package deadlock

import (
	"fabricast/routing"
	"fabricast/topology"
)

// maxStates limits the places of packets to one destination. Packets that visit more are not on
// their way to anywhere.
func maxStates(g *topology.Graph) int { return 1<<18 + 256*g.Routers }

// stepsPerPlace is the work of visiting a place, relative to that of finding a dependency.
const stepsPerPlace = 16

// state is a state of packets: a router, and the header they have there.
type state struct {
	router int32
	first  int32 // index of its first candidate
	header uint64
}

// walk follows packets to a destination, from place to place.
type walk struct {
	table  *table
	routes routes
	fold   int   // see Options.Fold
	nic    int32 // NIC at which packets leave
	router int32 // router at which they leave

	states     []state
	candidates []routing.Candidate
	nexts      []int32 // by candidate: the place it leads to; none if it leads out of the network
	index      index

	total  int64 // steps
	walked int
	escape bool // some candidate is an escape channel
	// router with a place that offers neither an escape channel nor an exit; none if there is none
	stuck int32
}

func newWalk(t *table, r routes, fold int) *walk {
	return &walk{table: t, routes: r, fold: fold, index: newIndex(t.graph.Routers), stuck: none}
}

// to follows all routes to a destination and records their dependencies.
func (w *walk) to(destination int) error {
	if err := w.explore(destination); err != nil {
		return err
	}
	for i := range w.states {
		router := w.states[i].router
		links := w.table.linksOf(router)
		first, end := w.bounds(i)
		offers := first == end // an escape channel or an exit
		for n := first; n < end; n++ {
			c := &w.candidates[n]
			link := &links[c.Port]
			offers = offers || c.Escape || link.router == none
			if next := w.nexts[n]; next != none {
				w.depend(link.row+int(c.VC)*int(link.width), int(next))
			}
		}
		if !offers && (w.stuck == none || router < w.stuck) {
			w.stuck = router
		}
	}
	w.total += stepsPerPlace * int64(len(w.states))
	w.walked++
	return nil
}

// explore finds all places of packets to a destination.
func (w *walk) explore(destination int) error {
	w.states, w.candidates, w.nexts = w.states[:0], w.candidates[:0], w.nexts[:0]
	w.index.clear()
	w.nic, w.router = w.routes.nic(destination), w.routes.router(destination)
	var failed error
	w.routes.starts(destination, func(router int32, header uint64) {
		if _, err := w.place(router, header); err != nil && failed == nil {
			failed = err
		}
	})
	for i := 0; i < len(w.states) && failed == nil; i++ {
		failed = w.expand(i)
	}
	return failed
}

// expand finds the states (a router and a header there) that packets can reach by one hop from
// state i.
func (w *walk) expand(i int) error {
	links := w.table.linksOf(w.states[i].router)
	for n, end := w.bounds(i); n < end; n++ {
		c := &w.candidates[n]
		w.escape = w.escape || c.Escape && w.table.escape != nil
		link := &links[c.Port]
		if link.router == none || c.Header == routing.OutlineEnd {
			continue
		}
		next, err := w.place(link.router, c.Header)
		if err != nil {
			return err
		}
		w.nexts[n] = next
	}
	return nil
}

// place returns the number of a place. A new place gets its candidates.
func (w *walk) place(router int32, header uint64) (int32, error) {
	number, known := w.index.find(router, header, int32(len(w.states)))
	if known {
		return number, nil
	}
	if len(w.states) == maxStates(w.table.graph) {
		return 0, &RouteError{Router: router, NIC: w.nic, Problem: "packets go on for ever"}
	}
	w.states = append(w.states, state{router: router, first: int32(len(w.candidates)), header: header})
	first := len(w.candidates)
	w.candidates = w.routes.steps(router, header, w.candidates)
	for range w.candidates[first:] {
		w.nexts = append(w.nexts, none)
	}
	if w.fold > 0 {
		for i := first; i < len(w.candidates); i++ {
			w.candidates[i].VC = min(w.candidates[i].VC, uint16(w.fold-1))
		}
	}
	if problem := w.wrong(router, w.candidates[first:]); problem != "" {
		return 0, &RouteError{Router: router, NIC: w.nic, Problem: problem}
	}
	return number, nil
}

// wrong describes what is wrong with the candidates of a place, "" if nothing is.
func (w *walk) wrong(router int32, candidates []routing.Candidate) string {
	g := w.table.graph
	if len(candidates) == 0 && (w.nic != topology.Unconnected || router != w.router) {
		return noOutput
	}
	links := w.table.linksOf(router)
	for i := range candidates {
		c := &candidates[i]
		if int32(c.VC) >= w.table.vcs {
			return "packets are sent to a virtual channel that the port does not have"
		}
		if int(c.Port) < len(links) && links[c.Port].router != none {
			continue
		}
		if problem := misled(g, router, w.nic, *c); problem != "" {
			return problem
		}
	}
	return ""
}

const noOutput = "packets are given no output"

// misled describes what is wrong with an output for packets to a NIC (Unconnected if unknown); ""
// if nothing is.
func misled(g *topology.Graph, router, nic int32, c routing.Candidate) string {
	port := g.PortBase[router] + int32(c.Port)
	switch {
	case port >= g.PortBase[router+1]:
		return "packets are sent to a port that the router does not have"
	case g.Ports[port].Peer == topology.Unconnected && g.Ports[port].NIC == topology.Unconnected:
		return "packets are sent to a port that leads nowhere"
	case g.Ports[port].NIC != topology.Unconnected && g.Ports[port].NIC != nic && nic != topology.Unconnected:
		return "packets leave the network by the port of another NIC"
	}
	return ""
}

// bounds returns the index of the first candidate of a place and the one after its last.
func (w *walk) bounds(i int) (first, end int) {
	end = len(w.candidates)
	if i+1 < len(w.states) {
		end = int(w.states[i+1].first)
	}
	return int(w.states[i].first), end
}

// of returns the candidates of a place.
func (w *walk) of(i int) []routing.Candidate {
	first, end := w.bounds(i)
	return w.candidates[first:end]
}

// next returns the places that the candidates of a place lead to; none for those that lead out of
// the network.
func (w *walk) next(i int) []int32 {
	first, end := w.bounds(i)
	return w.nexts[first:end]
}

// channel returns the number of a candidate's channel; none if it leads to a NIC.
func (w *walk) channel(router int32, c routing.Candidate) int32 {
	peer := w.table.graph.Ports[w.table.graph.PortBase[router]+int32(c.Port)].Peer
	if peer == topology.Unconnected {
		return none
	}
	return peer*w.table.vcs + int32(c.VC)
}

// depend records that packets which arrived at a place through a channel, whose row begins at a word,
// request its outputs. Escape channels are also recorded in the table of these, whatever channel the
// packets arrived through, because any channel may have been taken as an escape channel.
func (w *walk) depend(row, place int) {
	outputs := w.of(place)
	w.total += int64(len(outputs))
	for i := range outputs {
		c := &outputs[i]
		column := int(c.Port)*int(w.table.vcs) + int(c.VC)
		add(w.table.bits, row, column)
		if c.Escape && w.table.escape != nil {
			add(w.table.escape, row, column)
		}
	}
}
