package switched

import (
	"math/bits"
	"unsafe"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/stage"

	"fabricast/internal/prefetch"
)

// RunWindow simulates all routers for the current window.
func (g *Routers) RunWindow() {
	b := g.B
	b.Active = b.Events.Calendar.Take(b.Active[:0])
	b.Counters.Visits += uint64(len(b.Active))
	g.Publish.BeginWindow()
	g.activateAll()
	g.Publish.EndWindow(g.B.Count)
}

// leastActive is the number of activations of a window from which on records are prefetched.
const leastActive = 32

// activateAll activates all routers of the window. It prefetches their records if there are many
// and they no longer fit in the cache.
func (g *Routers) activateAll() {
	b := g.B
	g.Loader.ahead = len(b.Active) >= g.Loader.Fewest && g.Loader.size() >= g.Loader.From
	for i, r := range b.Active {
		if g.Loader.ahead {
			g.Loader.Load(b.Active[i+1:])
		}
		g.activate(b.Routers.At(b.First + r))
	}
}

// activate simulates the router, its NICs and its hosts for the current window, in order of time.
// Timers for later windows are never added to the event list (see DueWheel.ArmHere).
func (g *Routers) activate(r *core.Router) {
	b := g.B
	b.Events.Visiting = r.Number
	g.Enter(r)
	g.Loader.manyHosts = 4*uint32(r.NumNICs) >= uint32(g.Wheel.X.NumPorts)
	b.Events.Events.N, b.Events.Events.Next = 0, 0
	b.Events.Gather(r)
	g.Wheel.Gather()
	if g.Loader.ahead {
		g.Loader.loadDue()
	}
	a := &b.Events.Events
	for {
		since := g.Wheel.Due.Upcoming()
		if g.Doors != nil {
			since = g.Doors.upcoming(since)
		}
		if a.Next < a.N {
			if key := *a.Entries.At(a.Next); key>>core.EventShift <= since {
				a.Next++
				g.advance(key >> core.EventShift)
				g.serveHost(uint32(key & core.EventMask))
				continue
			}
		}
		if since == stage.Never {
			break
		}
		g.advance(since)
		if g.Doors != nil && g.Doors.takeRaised() || !g.alone(since) {
			g.instant(since)
		}
	}
	b.Events.Visiting = core.NoRouter
}

// alone handles the most frequent case, in which the only event of this instant is the request of
// one packet. It returns true if nothing is left to do at this instant.
func (g *Routers) alone(since uint64) bool {
	timer := g.Wheel.Due.First()
	if g.Separate || timer >= g.Wheel.Timers.Ports || g.Wheel.Due.Second() == since ||
		g.Contest.AnyContends() {
		return false
	}
	g.Wheel.Due.Next++
	g.request(timer, true)
	return !g.Contest.AnyContends() && g.Wheel.Due.Upcoming() != since
}

// advance sets the current time (ps since the window's start).
func (g *Routers) advance(since uint64) {
	b := g.B
	b.Events.Now = b.Events.Calendar.Start + int64(since)
	if g.Publish.Interval != 0 && b.Events.Now >= g.Publish.Due {
		g.Publish.Publish(g.R)
	}
}

// serveHost handles a timer of a host or NIC.
func (g *Routers) serveHost(timer uint32) {
	switch {
	case timer < uint32(g.R.Wakes):
		g.B.Wake(g.R, timer)
	case g.Doors != nil:
		g.Doors.due(timer)
	case g.B.Classed:
		lanes{g}.inject(timer)
	default:
		g.inject(timer)
	}
}

// instant simulates the router at one instant: first the crossbar, then the links, because packets
// may have crossed the crossbar without delay.
func (g *Routers) instant(since uint64) {
	if g.Separate {
		g.instantSeparately(since)
		return
	}
	g.takeDue(since)
	if g.Contest.AnyContends() {
		g.pass()
	}
	if g.Buffered {
		g.takeDue(since)
		g.serveLinks()
	}
}

// takeDue handles the timers of this instant: it records which packets can now start.
func (g *Routers) takeDue(since uint64) {
	for {
		timer, ok := g.Wheel.Due.Take(since)
		if !ok {
			return
		}
		switch {
		case timer < g.Wheel.Timers.Ports:
			g.request(timer, !g.Contest.AnyContends() && g.Wheel.Due.Upcoming() != since)
		case timer < g.Wheel.Timers.OutputVCs:
			g.freeCrossbarPort(timer - g.Wheel.Timers.Ports)
		case timer < g.Wheel.Timers.Links:
			g.findSpace(timer - g.Wheel.Timers.OutputVCs)
		default:
			g.freeLink(timer - g.Wheel.Timers.Links)
		}
	}
}

// findSpace handles the timer of an output VC: credit has arrived, or the first packet of the
// output buffer may request the link.
func (g *Routers) findSpace(out uint32) {
	o := g.Out.At(out)
	o.Armed = false
	if g.Buffered {
		g.Links.Busy.Set(g.Port(out))
		return
	}
	g.Out.Noted(out)
	g.contendFor(out, o)
}

// request makes the packet of a VC request its output, since its time has been reached. `alone`
// says that no other packet contends at this instant.
func (g *Routers) request(index uint32, alone bool) {
	in := g.In.At(index)
	id := in.Here.First
	if g.VOQ {
		id = in.Coming.First
	}
	p := g.Pool.Packets.At(id)
	if g.VOQ {
		in.Coming.First = p.Next
		if p.Next != 0 {
			behind := g.Pool.Packets.At(p.Next)
			prefetch.Line(unsafe.Pointer(g.Pool.Packets.At(behind.Next))) // it is read when that packet makes its request
			in.Ask = behind.Ready
			g.Wheel.ArmHere(index, in.Ask)
		}
	}
	if g.Loader.ahead {
		g.Loader.loadMessage(p)
	}
	switch {
	case g.Adaptive:
		g.askAdaptively(index, id, p, alone)
	case alone && g.startStraight(index, id, p):
	case g.VOQ && !g.In.Enqueue(index, id, p):
	default:
		g.Waits.Asks.Set(index)
		g.Waits.WaitersFor(g.Port(uint32(p.Out))).Set(index)
		g.Crossbar.Expect(index, uint32(p.Out))
		g.Contest.ContendAt(index, uint32(p.Out), id)
	}
}

// askAdaptively implements request for adaptive routing.
func (g *Routers) askAdaptively(index, id uint32, p *stage.Packet, alone bool) {
	if alone && g.Adapt.Steady != nil && g.Crossbar.IdleInput(index) && g.askSteadily(index, id, p) {
		return
	}
	g.beginAsking(index, id, p)
	switch {
	case !g.Crossbar.Inputs.Has(index):
	case alone:
		g.choose(index, id)
	default:
		g.Contest.Contend(index, stage.AnyOutput, id)
	}
}

// choose starts an adaptively routed packet if it can start, and reports whether it has.
func (g *Routers) choose(index, id uint32) bool {
	p := g.Pool.Packets.At(id)
	if g.Loader.ahead {
		g.Loader.loadPacket(p.Next) // it makes its request after this one has started
	}
	out := g.Adapt.Pick(index, id, p)
	if out == stage.AnyOutput {
		return false
	}
	g.startTo(index, id, p, out)
	return true
}

// askSteadily calls a steady algorithm for a packet that contends with no other, whose input is
// free, and that has not made a request yet. If the packet can start, it is never queued. ok is
// false if the algorithm makes no offer.
func (g *Routers) askSteadily(index, id uint32, p *stage.Packet) (ok bool) {
	o := &g.Adapt.Offer
	out := g.Adapt.PickAlone(index, p)
	if o.Ports == 0 {
		return false
	}
	if out == stage.AnyOutput {
		g.beginAsking(index, id, p)
		c := g.Adapt.ChoiceOf(index, id)
		*c = stage.Choice{First: stage.AnyOutput, Escape: stage.AnyOutput}
		if out = g.Adapt.Settle(index, id, p, o, c); out != stage.AnyOutput {
			g.startTo(index, id, p, out)
		}
		return true
	}
	if g.Loader.ahead {
		g.Loader.loadEnd(out)
	}
	if !g.VOQ {
		g.In.At(index).Here.First = p.Next
	}
	p.Out = uint16(out)
	g.launch(index, id, p, g.Out.At(out))
	return true
}

// startTo starts a packet toward a free output that has space for it.
func (g *Routers) startTo(index, id uint32, p *stage.Packet, out uint32) {
	if g.Loader.ahead {
		g.Loader.loadUpstream(index)
		g.Loader.loadEnd(out)
	}
	p.Out = uint16(out)
	g.start(index, id, p, g.Out.At(out))
}

// beginAsking adds an adaptively routed packet to those with requests.
func (g *Routers) beginAsking(index, id uint32, p *stage.Packet) {
	if g.VOQ {
		g.Waits.RequestsOf(index, id).Empty(g.Waits.Words)
		g.Pool.Add(&g.In.At(index).Here, id, p)
	} else if int32(p.Flits&core.FlitMask) != g.Out.Largest {
		g.In.Small.Set(index)
	} else {
		g.In.Small.Clear(index)
	}
	if g.Contest.Order.Kept {
		g.Contest.Order.Append(index)
	}
	g.Waits.Asks.Set(index)
	g.Crossbar.ExpectInput(index)
}

// startStraight starts a packet with a fixed route that contends with no other, if it can start.
// The packet is never queued.
func (g *Routers) startStraight(index, id uint32, p *stage.Packet) bool {
	out, flits := uint32(p.Out), g.Out.Flow.Asks(index, p)
	o := g.Out.At(out)
	c := g.Crossbar.At(g.Port(out))
	if o.Owner != 0 || c.Busy(g.Events.Now) || !g.Crossbar.IdleInput(index) ||
		g.VOQ && g.Waits.RequestsAt(index).Has(out) || g.Out.SpaceOf(out) < g.Out.Flow.Needs(out, flits) {
		return false
	}
	if !g.VOQ {
		g.In.At(index).Here.First = p.Next
	}
	if !g.Crossbar.Outputs.Has(out) {
		g.Crossbar.Release(c)
	}
	g.launch(index, id, p, o)
	return true
}

// freeCrossbarPort records that a crossbar output has become free, together with the input of the
// departed packet.
func (g *Routers) freeCrossbarPort(port uint32) {
	c := g.Crossbar.At(port)
	if c.Halted > stage.Losing {
		g.freeHalted(port, c)
		return
	}
	c.Watched = false
	feeder := uint32(c.Feeder)
	g.Crossbar.Outputs.SetSpan(port*g.NumVCs, g.PortMask)
	if g.Adaptive {
		g.Contest.Reconsider(port, port*g.NumVCs, g.PortMask)
		g.Crossbar.Inputs.SetSpan(feeder*g.NumVCs, g.PortMask)
		g.Contest.ReconsiderFrom(feeder)
		return
	}
	g.Contest.ContendForPort(port)
	g.Crossbar.Inputs.SetSpan(feeder*g.NumVCs, g.PortMask)
	g.Contest.ContendFrom(feeder)
}

// freeLink records that a link has become free, together with the space of the departed packet in
// the output buffer.
func (g *Routers) freeLink(port uint32) {
	out := g.Links.Freed(port)
	if g.Out.BufferAt(out).Short {
		g.Out.Noted(out)
		g.contendFor(out, g.Out.At(out))
	}
}

// contendFor adds the packets that wait for space in an output VC as contenders.
func (g *Routers) contendFor(out uint32, o *stage.OutputVC) {
	switch {
	case !g.Adaptive:
		if o.Owner != 0 {
			g.Contest.ContendHolder(out)
		}
	case g.Crossbar.Outputs.Has(out):
		g.Contest.Reconsider(g.Port(out), out, 1)
	}
}

// serveLinks makes links that may have a packet to send take one from their output buffers.
func (g *Routers) serveLinks() {
	for w := range g.Links.Words {
		links := g.Links.Busy.Word(w)
		for m := *links; m != 0; m &= m - 1 {
			port := w<<6 + uint32(bits.TrailingZeros64(m))
			if out, ok := g.Links.First(port); ok {
				c := g.Crossbar.At(port)
				id, p, leave := g.Links.Start(port, out, c.Class)
				g.forward(id, p, c, port, g.B.Events.Now, leave)
			}
		}
		*links = 0
	}
}
