package stage

import (
	"math/bits"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"

	"fabricast/routing"
)

// answer is one candidate output returned by the adaptive routing algorithm.
type answer = routing.Candidate

// adaptiveChoice selects the output of a packet at the active router with adaptive routing.
type adaptiveChoice struct {
	Shape
	layout    *core.Layout
	pool      *PacketPool
	waits     *WaitLists
	crossbar  *Crossbar
	out       *OutputVCs
	algorithm routing.Adaptive
	Steady    routing.Steady // the algorithm, if it is steady and packets choose an output when they request the crossbar
	// the outputs a packet waits for, with a steady algorithm; one element per VC, or one per
	// packet with virtual output queues
	Choices core.Array[Choice]
	Offer   routing.Options // offer of a steady algorithm for the requesting packet
	answers []answer        // candidates of the requesting packet, or scratch memory for a steady algorithm
	fresh   core.Bitmap     // outputs that the packet may take
	loses   bool            // links that are down lose packets, see model.Doors.Timeout
	View    View

	r     *core.Router // active router
	base  uint32       // first VC of the class of the requesting packet
	words uint32       // number of words in a bitmap of its VCs
}

func newAdaptiveChoice(g *Stages, words int) adaptiveChoice {
	a := adaptiveChoice{
		Shape: g.Shape, layout: g.B.Layout, pool: &g.Pool, waits: &g.Waits, crossbar: &g.Crossbar,
		out: &g.Out, algorithm: g.B.Spec.Adaptive, fresh: core.NewBitmap(words),
		answers: make([]answer, 0, 64), // enough for a steady algorithm, see routing.Options
		View:    View{choice: &g.Adapt, publish: &g.Publish},
	}
	a.loses = losesPackets(&g.B.Spec)
	if a.Adaptive && Steady(&g.B.Spec) {
		a.Steady, _ = a.algorithm.(routing.Steady)
	}
	return a
}

// ask calls the routing algorithm for a packet of an input VC with the given header, and stores its
// candidates.
func (a *adaptiveChoice) ask(index uint32, header uint64) {
	if a.layout.Classed {
		a.base = a.crossbar.classOf(index) * a.SetVCs
	}
	a.answers = a.algorithm.Candidates(a.layout.Name(a.r.Number), header, &a.View, a.answers[:0])
	if a.base > 0 {
		for i := range a.answers {
			a.answers[i].VC += uint16(a.base)
		}
	}
	if a.loses {
		a.avoid()
	}
}

// losesPackets reports whether links that are down lose packets.
func losesPackets(s *model.Spec) bool { return s.Doors != nil && s.Doors.Timeout > 0 }

// avoid removes the candidates at ports that are down, if there are others. Escape channels stay, so that
// no packet waits without one: what takes them is lost.
func (a *adaptiveChoice) avoid() {
	n, up := 0, false
	for _, c := range a.answers {
		up = up || a.crossbar.At(uint32(c.Port)).Halted == Running
	}
	for _, c := range a.answers {
		if !up || c.Escape || a.crossbar.At(uint32(c.Port)).Halted == Running {
			a.answers[n] = c
			n++
		}
	}
	a.answers = a.answers[:n]
}

// Pick returns the candidate output VC with the lowest cost at which the packet can start, or
// AnyOutput if it has to wait. Either the algorithm has not been called for the packet yet, or one
// of the candidates it returned last may now have space.
func (a *adaptiveChoice) Pick(index, id uint32, p *Packet) uint32 {
	if a.Steady != nil {
		if out, ok := a.pickSteadily(index, id, p); ok {
			return out
		}
	}
	return a.pickAnew(index, id, p)
}

// pickAnew implements Pick by calling the routing algorithm again.
func (a *adaptiveChoice) pickAnew(index, id uint32, p *Packet) uint32 {
	flits := a.out.Flow.Asks(index, p)
	a.ask(index, p.Route)
	if c := a.best(flits); c != nil {
		p.Route = c.Header
		return uint32(c.Port)*a.NumVCs + uint32(c.VC)
	}
	a.fresh.Empty(a.words)
	for i := range a.answers {
		a.fresh.Set(uint32(a.answers[i].Port)*a.NumVCs + uint32(a.answers[i].VC))
	}
	if !a.VOQ {
		a.waits.forget(index)
	}
	a.remember(index, id)
	a.wantAll(a.waits.RequestsOf(index, id))
	return AnyOutput
}

// wantAll requests a notification of returned space at every free output in the bitmap.
func (a *adaptiveChoice) wantAll(requests core.Bitmap) {
	for w := range a.words {
		a.out.wantAmong(w<<6, *requests.Word(w)&*a.crossbar.Outputs.Word(w)&^*a.out.dried.Word(w))
	}
}

// best returns the candidate with the lowest cost that has space for a packet of the given size.
// Ties go to the first candidate. It returns nil if none has space.
func (a *adaptiveChoice) best(flits int32) (best *answer) {
	for i := range a.answers {
		c := &a.answers[i]
		out := uint32(c.Port)*a.NumVCs + uint32(c.VC)
		if a.crossbar.idle(out) && (best == nil || c.Cost < best.Cost) &&
			a.out.SpaceOf(out) >= a.out.Flow.Needs(out, flits) {
			best = c
		}
	}
	return best
}

// remember stores the candidates in fresh as the outputs that the packet waits for.
func (a *adaptiveChoice) remember(index, id uint32) {
	for w := range a.words {
		for m := *a.fresh.Word(w); m != 0; {
			port := uint32(*a.PortOf.At(w<<6 + uint32(bits.TrailingZeros64(m))))
			a.awaitPort(index, port)
			m = dropPort(m, w<<6, port*a.NumVCs, a.NumVCs)
		}
	}
	a.record(index, id)
}

// awaitPort makes a VC wait for a port. If the port is busy, it arms the port's timer, which is
// already set if another VC waits.
func (a *adaptiveChoice) awaitPort(index, port uint32) {
	waiters := a.waits.WaitersFor(port).Word(index >> 6)
	before := *waiters
	*waiters = before | 1<<(index&63)
	if before == 0 && !a.crossbar.Outputs.Has(port*a.NumVCs) {
		a.crossbar.watch(port)
	}
}

// record stores the candidates in fresh as the outputs that the packet waits for, and their ports
// as those that its VC waits for.
func (a *adaptiveChoice) record(index, id uint32) {
	requests := a.waits.RequestsOf(index, id)
	for w := range a.words {
		*requests.Word(w) = *a.fresh.Word(w)
	}
	if a.VOQ {
		a.waits.join(index, requests)
	} else {
		a.waits.recorded.Set(index)
	}
}

// View is the state that a routing algorithm may read: the active router's queues, and the
// published queues of other routers.
type View struct {
	choice  *adaptiveChoice
	publish *publisher
}

// Queue implements routing.View.
func (v *View) Queue(port, vc uint16) int64 {
	length := v.choice.out.QueueLength(uint32(port)*v.choice.NumVCs + v.choice.base + uint32(vc))
	if v.choice.crossbar.At(uint32(port)).Halted != Running {
		length += model.DownQueue
	}
	return length
}

// Queues implements routing.View.
func (v *View) Queues(list []answer) {
	a := v.choice
	for i := range list {
		c := &list[i]
		if out := uint32(c.Port)*a.NumVCs + a.base + uint32(c.VC); a.Separate || a.crossbar.idle(out) {
			c.Cost = v.Queue(c.Port, c.VC)
		}
	}
}

// PortQueue implements routing.View.
func (v *View) PortQueue(port uint16) (sum int64) {
	for vc := range v.choice.SetVCs {
		sum += v.Queue(port, uint16(vc))
	}
	return sum
}

// Published implements routing.GlobalView.
func (v *View) Published(router int32, port uint16) int64 {
	return v.publish.published(v.publish.events.Routers.At(v.choice.layout.Router(router)), port)
}
