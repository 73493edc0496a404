package training

import (
	"fabricast/collective"
	"fabricast/internal/units"
	"fabricast/mpi"
)

// amounts are the values of ops that depend on the rank's place in its expert group.
type amounts struct {
	routes []*route
	places [][]int64
}

// of returns the value of an op for a rank of the given place.
func (a *amounts) of(o *op, place int) int64 {
	if o.placed {
		return a.places[o.n][place]
	}
	return o.n
}

// mean returns the mean value of an op over the places.
func (a *amounts) mean(o *op) int64 {
	if !o.placed {
		return o.n
	}
	list, sum := a.places[o.n], int64(0)
	for _, n := range list {
		sum += n
	}
	return sum / int64(len(list))
}

// byPlace adds an op whose value depends on the place.
func (w *builder) byPlace(b *body, o op, values []int64) {
	o.placed, o.n = true, int64(len(w.places))
	w.places = append(w.places, values)
	*b = append(*b, o)
}

// routed adds the experts of a layer whose tokens are not the same everywhere. whole is the time of
// balanced experts, to which computed times are scaled.
func (w *builder) routed(b *body, layer int, whole int64, d direction) {
	if w.known[layer] == nil {
		w.known[layer] = w.route(layer)
	}
	of := w.known[layer]
	number := int64(len(w.routes))
	w.routes = append(w.routes, of)
	step := func(c call) {
		if w.sizes[expertGroup] > 1 {
			*b = append(*b, op{action: communicate, dimension: Expert, call: c, family: expertGroup, n: number})
		}
	}
	times, tokens := w.expertTimes(of, layer, whole, d)
	gathered := func(c call) {
		if w.sizes[tensorGroup] > 1 {
			w.byPlace(b, op{action: communicate, dimension: Tensor, call: c, family: tensorGroup}, tokens)
		}
	}
	if d != weights {
		step(dispatch)
		if of.copies != nil {
			step(dispatchWithin)
		}
		gathered(allgather)
	}
	w.byPlace(b, op{action: compute}, times)
	if d != weights {
		gathered(reduceScatter)
		if of.copies != nil {
			step(combineWithin)
		}
		step(combine)
	}
}

// expertTimes returns, by place, the time of the experts there, and the bytes of all tokens that a
// tensor group has there.
func (w *builder) expertTimes(of *route, layer int, whole int64, d direction) (times, bytes []int64) {
	m, group := &w.job.Model, int64(w.job.Parallel.Expert)
	local := m.Experts / w.job.Parallel.Expert
	times, bytes = make([]int64, group), make([]int64, group)
	for e, n := range of.experts {
		n *= group * (w.tokens / w.outer)
		times[e/local] += w.cost(w.ffn(n, int64(m.ExpertFFN), d)...)
		bytes[e/local] += n * int64(m.Hidden) * element
	}
	balanced := w.layer(layer, d).ffn
	for place := range times {
		if balanced > 0 && whole != balanced {
			times[place] = units.MulDiv(times[place], whole, balanced)
		}
	}
	return times, bytes
}

// exchangeTokens carries out a step of a route: all ranks of a group send and receive at once, as in
// NCCL's grouped sends. A step back sends what the step there has received.
func exchangeTokens(c collective.Comm, of *route, step call) {
	me, ranks := c.Rank(), c.Size()
	sent := of.there(step == dispatchWithin || step == combineWithin, ranks)
	var open []mpi.Request
	back := step == combine || step == combineWithin
	for i := 1; i < ranks; i++ {
		from, to := (me+ranks-i)%ranks, (me+i)%ranks
		in, out := sent(from, me), sent(me, to)
		if back {
			in, out = sent(me, from), sent(to, me)
		}
		if in > 0 {
			open = append(open, c.Irecv(mpi.Size(int(in)), from, collective.TagAlltoall))
		}
		if out > 0 {
			open = append(open, c.Isend(mpi.Size(int(out)), to, collective.TagAlltoall))
		}
	}
	c.WaitAll(open)
}

// there returns the bytes that a rank sends to another one in a step that brings tokens to experts:
// to all ranks, or to the rank of the same number of another node, and then within the node.
func (r *route) there(within bool, ranks int) func(from, to int) int64 {
	if r.copies == nil {
		return func(_, to int) int64 { return r.out[to] }
	}
	nodes, of := int64(ranks/r.perNode), func(rank int) (node, number int) { return rank / r.perNode, rank % r.perNode }
	return func(from, to int) int64 {
		fromNode, fromNumber := of(from)
		toNode, toNumber := of(to)
		switch {
		case within && fromNode == toNode:
			return nodes * r.out[to]
		case !within && fromNumber == toNumber:
			return r.copies[toNode]
		}
		return 0
	}
}
