package fabric

import (
	"math/bits"

	"fabricast/routing"
)

// answer is one candidate output that the adaptive routing algorithm has returned.
type answer = routing.Candidate

// adaptiveChoice selects the output of a packet at the visited router with adaptive routing.
type adaptiveChoice struct {
	shape
	layout    *layout
	pool      *parcelPool
	waits     *waitLists
	crossbar  *crossbar
	out       *outputVCs
	algorithm routing.Adaptive
	steady    routing.Steady // the algorithm, if it is one and packets choose at the crossbar
	// the outputs a packet waits for, with a steady algorithm; one element a slot, or one a packet
	// with virtual output queues
	choices array[choice]
	offer   routing.Options // of a steady algorithm for the packet that asks
	answers []answer        // of the packet that asks; room for a steady algorithm
	fresh   bitmap          // outputs that it may take
	view    view

	r     *routerState // being visited
	words uint32       // of a bitmap of its slots
}

func newAdaptiveChoice(g *stages, words int) adaptiveChoice {
	a := adaptiveChoice{
		shape: g.shape, layout: g.b.layout, pool: &g.pool, waits: &g.waits, crossbar: &g.crossbar,
		out: &g.out, algorithm: g.b.spec.Adaptive, fresh: newBitmap(words),
		answers: make([]answer, 0, 64), // a steady algorithm needs no more, see routing.Options
		view:    view{choice: &g.adapt, publish: &g.publish},
	}
	if a.adaptive {
		a.steady, _ = a.algorithm.(routing.Steady)
	}
	return a
}

// ask calls the routing algorithm for a packet with the given header, and stores its candidates.
func (a *adaptiveChoice) ask(header uint64) {
	a.answers = a.algorithm.Candidates(a.layout.name(a.r.number), header, &a.view, a.answers[:0])
}

// pick returns the candidate output slot with the lowest cost at which the packet can start, or
// anyOutput if it has to wait. Its precondition: the packet has not asked the algorithm yet, or one
// of the candidates it got last may now have space.
func (a *adaptiveChoice) pick(slot, id uint32, p *parcel) uint32 {
	if a.steady != nil {
		if out, ok := a.pickSteadily(slot, id, p); ok {
			return out
		}
	}
	return a.pickAnew(slot, id, p)
}

// pickAnew implements pick by calling the routing algorithm again.
func (a *adaptiveChoice) pickAnew(slot, id uint32, p *parcel) uint32 {
	flits := a.out.flow.asks(slot, p)
	a.ask(p.route)
	if c := a.best(flits); c != nil {
		p.route = c.Header
		return uint32(c.Port)*a.vcs + uint32(c.VC)
	}
	a.fresh.empty(a.words)
	for i := range a.answers {
		a.fresh.set(uint32(a.answers[i].Port)*a.vcs + uint32(a.answers[i].VC))
	}
	if !a.voq {
		a.waits.forget(slot)
	}
	a.remember(slot, id)
	a.wantAll(a.waits.wishesOf(slot, id))
	return anyOutput
}

// wantAll requests a notification of returned space at every free output in the bitmap.
func (a *adaptiveChoice) wantAll(wishes bitmap) {
	for w := range a.words {
		a.out.wantAmong(w<<6, *wishes.word(w)&*a.crossbar.outputs.word(w)&^*a.out.dried.word(w))
	}
}

// best returns the candidate of lowest cost that has space for a packet of so many flits. Of equals
// it returns the first; nil if none has space.
func (a *adaptiveChoice) best(flits int32) (best *answer) {
	for i := range a.answers {
		c := &a.answers[i]
		out := uint32(c.Port)*a.vcs + uint32(c.VC)
		if a.crossbar.idle(out) && (best == nil || c.Cost < best.Cost) &&
			a.out.spaceOf(out) >= a.out.flow.needs(out, flits) {
			best = c
		}
	}
	return best
}

// remember stores the candidates in fresh as the outputs that the packet waits for.
func (a *adaptiveChoice) remember(slot, id uint32) {
	for w := range a.words {
		for m := *a.fresh.word(w); m != 0; {
			port := uint32(*a.portOf.at(w<<6 + uint32(bits.TrailingZeros64(m))))
			a.awaitPort(slot, port)
			m = dropPort(m, w<<6, port*a.vcs, a.vcs)
		}
	}
	a.record(slot, id)
}

// awaitPort lets a slot wait for a port. If the port is busy it arms its timer, which is set already
// if another slot waits.
func (a *adaptiveChoice) awaitPort(slot, port uint32) {
	waiters := a.waits.waitersFor(port).word(slot >> 6)
	before := *waiters
	*waiters = before | 1<<(slot&63)
	if before == 0 && !a.crossbar.outputs.has(port*a.vcs) {
		a.crossbar.watch(port)
	}
}

// record stores the candidates in fresh as the outputs that the packet waits for, and whose ports its
// slot waits for.
func (a *adaptiveChoice) record(slot, id uint32) {
	wishes := a.waits.wishesOf(slot, id)
	for w := range a.words {
		*wishes.word(w) = *a.fresh.word(w)
	}
	if a.voq {
		a.waits.join(slot, wishes)
	} else {
		a.waits.recorded.set(slot)
	}
}

// view is the state that a routing algorithm may read: the visited router's queues, and the
// published queues of other routers.
type view struct {
	choice  *adaptiveChoice
	publish *publisher
}

// Queue implements routing.View.
func (v *view) Queue(port, vc uint16) int64 {
	return v.choice.out.queueLength(uint32(port)*v.choice.vcs + uint32(vc))
}

// Queues implements routing.View.
func (v *view) Queues(list []answer) {
	a := v.choice
	for i := range list {
		c := &list[i]
		if out := uint32(c.Port)*a.vcs + uint32(c.VC); a.separate || a.crossbar.idle(out) {
			c.Cost = a.out.queueLength(out)
		}
	}
}

// PortQueue implements routing.View.
func (v *view) PortQueue(port uint16) (sum int64) {
	vcs := v.choice.vcs
	for out := uint32(port) * vcs; out < (uint32(port)+1)*vcs; out++ {
		sum += v.choice.out.queueLength(out)
	}
	return sum
}

// Published implements routing.GlobalView.
func (v *view) Published(router int32, port uint16) int64 {
	return v.publish.published(v.publish.events.routers.at(v.choice.layout.router(router)), port)
}
