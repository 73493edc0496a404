package switched

import (
	"unsafe"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/nic"
	"fabricast/fabric/internal/stage"
	"fabricast/fabric/model"
	"fabricast/internal/causes"

	"fabricast/internal/prefetch"
)

// start sends a packet that waits in a VC's queue through the crossbar. Its output must be free
// and have space for it.
func (g *Routers) start(index, id uint32, p *stage.Packet, o *stage.OutputVC) {
	g.In.Unqueue(index, id, p)
	g.launch(index, id, p, o)
}

// launch is like start, for a packet that is in no queue.
func (g *Routers) launch(index, id uint32, p *stage.Packet, o *stage.OutputVC) {
	b := g.B
	in, out := g.Port(index), g.Port(uint32(p.Out))
	flits := int64(p.Flits & core.FlitMask)
	if g.Observer != nil {
		g.Observer.Starts(index, id, p)
	}
	if g.Doors != nil {
		g.Doors.Starts(index, id, p)
	}
	c, from := g.Crossbar.At(out), g.Crossbar.At(in)
	if c.Free != b.Events.Now {
		c.Fraction = 0
	}
	var took int64
	took, c.Fraction = b.Classes.At(uint32(c.Class)).Serialize.Duration(flits*b.Spec.Packet.Flit, c.Fraction)
	leave := max(b.Events.Now+took, p.Ready+g.Alloc.GrantTime+int64(p.Span))
	begin := b.Events.Now
	if g.Doors != nil {
		begin, leave = g.Doors.retried(out, c, flits, took, leave)
	}
	if g.Observer != nil {
		g.Observer.Crosses(leave)
	}
	c.Free, c.Feeder = leave, uint16(in)
	from.Feeds = uint16(out)
	g.Crossbar.Taken = out * g.NumVCs
	g.Crossbar.Outputs.ClearSpan(g.Crossbar.Taken, g.PortMask)
	g.Crossbar.Inputs.ClearSpan(in*g.NumVCs, g.PortMask)
	if g.Arbiter.Memory != model.NoMemory {
		g.Crossbar.Grant(index, out)
	}
	if b.Classed {
		g.Crossbar.Shared(index, out, uint32(flits))
	}
	g.Publish.Changed = true
	if c.Watched = g.Separate || g.Waits.Awaited(in, out); c.Watched {
		g.Wheel.ArmHere(g.Wheel.Timers.Ports+out, leave)
	}
	g.depart(index, index-in*g.NumVCs, from, p.Flits, leave)
	if g.Buffered {
		g.Links.Buffer(o, id, p, leave)
	} else {
		o.Credit -= int32(flits)
		g.Out.Spend(uint32(p.Out), o.Credit)
		g.forward(id, p, c, out, begin, leave)
	}
}

// depart returns the buffer space of a packet that has started as credit upstream, and schedules
// the request of the next packet. The packet came from VC index, which is virtual channel vc of the
// input port `up`. Its tail leaves at `leave` (ps).
func (g *Routers) depart(index, vc uint32, up *stage.CrossbarPort, flits uint16, leave int64) {
	b := g.B
	in := g.In.At(index)
	in.Flits -= int32(flits & core.FlitMask)
	in.Packets--
	if !g.VOQ {
		in.Ask = leave + g.In.Turnaround
		if in.Here.First != 0 {
			first := g.Pool.Packets.At(in.Here.First)
			prefetch.Line(unsafe.Pointer(g.Pool.Packets.At(first.Next))) // it is read when the first starts
			in.Ask = max(in.Ask, first.Ready)
			g.Wheel.ArmHere(index, in.Ask)
		}
	}
	number := up.Down + vc
	at := leave + b.Classes.At(uint32(up.Class)).Credit
	switch {
	case up.Router == core.Unconnected: // an agent's port
	case up.Router < 0:
		g.Out.GiveBack(g.R, number, at, flits)
	case uint32(up.Router)-b.First >= b.Count:
		b.Mail.SendCredit(uint32(up.Router), number, at, flits)
	default:
		g.Out.GiveBack(b.Routers.At(uint32(up.Router)), number, at, flits)
	}
}

// forward sends a packet that starts on a link at `begin` (ps), now but for retries, to the other end of
// the link. Its tail leaves at `leave` (ps). c is the port with index `port`.
func (g *Routers) forward(id uint32, p *stage.Packet, c *stage.CrossbarPort, port uint32, begin, leave int64) {
	b := g.B
	vc := uint32(p.Out) - port*g.NumVCs
	c.Packets++
	c.Flits += uint64(p.Flits & core.FlitMask)
	if g.Observer != nil {
		g.Observer.StartsOn(g.R.FirstPort+port, uint32(p.Flits&core.FlitMask))
		if g.Buffered {
			g.Observer.Links(p, port, vc, leave)
		}
	}
	if g.Doors != nil && g.Doors.loses(port, c, leave) {
		g.Doors.lose(id, p, leave)
		return
	}
	if b.Messages.Divides() && p.Flits&core.LastPacket != 0 {
		divideHop(g, p, c, begin)
	}
	router := c.Router
	switch {
	case router == core.Unconnected && g.Doors != nil && g.Doors.isAgent(port):
		g.Doors.take(id, p, port, vc, leave)
		return
	case router == core.Unconnected:
		panic(
			model.Breach("router %d: routing sends a packet out of port %d, which leads nowhere", g.R.Number, port),
		)
	case router < 0 && g.Doors != nil:
		g.Pool.Give(id, p)
		g.Doors.eject(id, c, port, vc, p.Msg, p.Flits, leave)
		return
	case router < 0:
		msg, flits := p.Msg, p.Flits
		g.Pool.Give(id, p)
		g.eject(c, port, vc, msg, flits, leave)
		return
	}
	b.Counters.Hops++
	p.Ready, p.Span = begin+b.Classes.At(uint32(c.Class)).Hop, uint32(leave-begin)
	number := c.Down + vc
	switch {
	case g.Doors != nil:
		g.Doors.route(uint32(router), id, p, vc)
	case g.Alloc.Chooses:
		p.Out = 0
	case !g.Adaptive:
		p.Route, p.Out = b.Onward(uint32(router), p.Route)
		if b.Classed {
			p.Out += uint16(vc / g.SetVCs * g.SetVCs)
		}
	}
	if uint32(router)-b.First >= b.Count {
		b.Mail.SendPacket(
			uint32(router),
			number,
			core.Packet{Time: p.Ready, Route: p.Route, Msg: p.Msg, Flits: p.Flits, Out: p.Out},
			p.Span,
		)
		if g.Doors != nil {
			b.Mail.SendRider(uint32(router), *g.Doors.riders.At(id))
		}
		g.Pool.Give(id, p)
		return
	}
	g.In.Push(b.Routers.At(uint32(router)), number, id, p)
}

// divideHop charges the hop of a message's last packet, which starts on a link at `begin` (ps). What it has waited
// since the crossbar, it has waited in an output buffer.
func divideHop(g *Routers, p *stage.Packet, c *stage.CrossbarPort, begin int64) {
	d, post := g.B.Messages.Division(p.Msg), int64(0)
	if !g.Buffered {
		post = int64(g.B.Spec.Router.SwitchTraversal) + int64(g.B.Spec.Router.Latency)
	}
	if c.Router < 0 {
		d.Reach(causes.Ejection, begin)
		return
	}
	d.Reach(causes.Output, begin)
	d.ChargeHop(g.B.Layout, c.Class, post)
}

// eject moves a packet that leaves through virtual channel vc of a port into the memory of the host
// at the other end.
func (g *Routers) eject(c *stage.CrossbarPort, port, vc uint32, msg model.MsgID, flits uint16, leave int64) {
	b := g.B
	class := b.Classes.At(uint32(c.Class))
	if b.Bus != nil {
		b.Bus.AskToMove(
			uint32(c.NIC()),
			nic.Arrival{Tail: leave + class.Tail, Msg: msg, Flits: flits, VC: uint16(vc)},
		)
		return
	}
	if b.Receive.Logs {
		b.Receive.Via = vc
	}
	end, all := b.Receive.Move(c.NIC(), msg, flits, leave+class.Tail)
	g.Out.GiveBack(g.R, g.R.FirstVC+port*g.NumVCs+vc, end+class.Credit, flits)
	if all {
		b.Endpoint.Delivered(c.NIC()/int32(b.Spec.Graph.NICsPerHost), msg, end+b.BusLatency)
	}
}

// pushNew is like InputVCs.Push, for a packet from a NIC or from another block. span is the time
// (ps) between its head and its tail.
func (g *Routers) pushNew(router, number uint32, p core.Packet, span uint32) (id uint32) {
	id, q := g.Pool.Take()
	*q = stage.Packet{Ready: p.Time, Route: p.Route, Msg: p.Msg, Flits: p.Flits, Out: p.Out, Span: span}
	g.In.Push(g.B.Routers.At(router), number, id, q)
	return id
}

// inject sends the next packets of a NIC of the active router.
func (g *Routers) inject(timer uint32) {
	b := g.B
	id := g.R.FirstNIC + timer - uint32(g.R.Wakes)
	n := b.Send.NICs.At(id)
	for first := true; ; first = false {
		if g.injectInTurn {
			n.VC = uint32(n.Packets % uint64(g.NumVCs))
		}
		o := g.Out.VCs.At(b.Layout.FirstNICVC + id*g.NumVCs + n.VC)
		size := b.Send.NextSize(n)
		if !g.Out.Credited(o, g.Out.Flow.NicNeeds(n, size)) {
			if first && g.Observer != nil {
				n.Stalled = true
			}
			if !first {
				b.Events.Arm(g.R, timer, b.Events.Now)
			} else if o.Wanted = o.N == 0; !o.Wanted {
				b.Events.Arm(g.R, timer, o.Next())
			}
			return
		}
		o.Credit -= int32(size & core.FlitMask)
		if g.Observer != nil {
			g.Observer.Injected(id, n, uint32(size&core.FlitMask))
		}
		port := uint32(b.Spec.Graph.NICPort[id])
		class := b.Classes.At(uint32(b.Spec.Graph.Ports[port].Link))
		tail := b.Send.Send(n, int64(size&core.FlitMask), class.Inject)
		g.pushNew(g.R.Number, port*g.NumVCs+n.VC,
			core.Packet{Time: b.Events.Now + class.Entry, Route: n.Route, Msg: model.MsgID(n.Head), Flits: size, Out: n.Out}, uint32(tail-b.Events.Now))
		if !b.Advance(g.R, id, n) {
			return
		}
		if b.Events.Now = n.Next(); b.Events.Now >= b.Events.Calendar.End {
			b.Events.Arm(g.R, timer, b.Events.Now)
			return
		}
	}
}
