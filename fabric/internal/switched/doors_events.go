package switched

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/stage"
	"fabricast/fabric/model"
	"fabricast/routing"
	"fabricast/topology"
)

// ScheduleEvents schedules the events at the block's routers, and the starts of epochs.
func (d *Doors) ScheduleEvents() {
	b := d.b
	for _, c := range b.Changes {
		port := &b.Spec.Graph.Ports[c.Port]
		r := uint32(port.Router)
		if r-b.First >= b.Count {
			continue
		}
		w := work{at: c.At, kind: changePort, nic: c.Port - b.Routers.At(r).FirstPort, value: uint64(c.Kind) | uint64(c.Class)<<8}
		if c.FromNIC {
			w.kind, w.nic = changeNIC, uint32(port.NIC)
		}
		d.schedule(r, w)
	}
	for i := range d.Epochs {
		for r := b.First; r < b.First+b.Count; r++ {
			d.schedule(r, work{at: int64(d.Epochs[i].At), kind: newEpoch})
		}
	}
}

// epochAt returns the index of the epoch at a time (ps); 0 is that of Spec.Routing.
func (d *Doors) epochAt(now int64) (epoch uint16) {
	for int(epoch) < len(d.Epochs) && int64(d.Epochs[epoch].At) <= now {
		epoch++
	}
	return epoch
}

// routingOf returns the routing function of an epoch.
func (d *Doors) routingOf(epoch uint16) routing.Function {
	if epoch == 0 {
		return d.b.Spec.Routing
	}
	return d.Epochs[epoch-1].Routing
}

// otherWay reports whether the tables of an epoch lead the packets of a message, which enter at a router,
// over other links than Spec.Routing.
func (d *Doors) otherWay(router uint32, m *model.Message, epoch uint16) bool {
	usual, now := d.b.Spec.Routing, d.routingOf(epoch)
	before, _ := usual.Start(m.Src, m.Dst)
	after, _ := now.Start(m.Src, m.Dst)
	for g := d.b.Spec.Graph; ; {
		var wants, takes uint16
		wants, _, before = usual.Next(d.b.Name(router), before)
		takes, _, after = now.Next(d.b.Name(router), after)
		if wants != takes {
			return true
		}
		peer := g.Ports[d.b.Routers.At(router).FirstPort+uint32(takes)].Peer
		if peer == topology.Unconnected {
			return false
		}
		router = uint32(g.Ports[peer].Router)
	}
}

// enter is like Layout.Enter for packets of the given epoch.
func (d *Doors) enter(epoch uint16, router uint32, m *model.Message) (index uint16, route uint64, vc uint8) {
	if epoch == 0 {
		return d.b.Layout.Enter(router, m.Src, m.Dst)
	}
	header, vc := d.routingOf(epoch).Start(m.Src, m.Dst)
	route, index = d.onward(router, header, epoch)
	return index, route, vc
}

// onward is like Layout.Onward for packets of the given epoch.
func (d *Doors) onward(router uint32, header uint64, epoch uint16) (route uint64, index uint16) {
	port, vc, route := d.routingOf(epoch).Next(d.b.Name(router), header)
	return route, port*uint16(d.b.NumVCs) + vc
}

// route computes the output of a packet at the router that it enters through a VC.
func (d *Doors) route(router, id uint32, p *stage.Packet, vc uint32) {
	x := d.riders.At(id)
	port, taken := d.takenAt(router, p.Msg, p.Flits, x)
	switch {
	case taken:
		p.Out = uint16(port*d.g.NumVCs + vc)
	case d.g.Alloc.Chooses:
		p.Out = 0
	case !d.g.Adaptive:
		p.Route, p.Out = d.onward(router, p.Route, x.Epoch)
	}
}

// changePort applies an event to a port of the active router.
func (d *Doors) changePort(port uint32, value uint64) {
	g := d.g
	c := g.Crossbar.At(port)
	switch model.EventKind(value & 0xff) {
	case model.SetRate:
		c.Class, c.Fraction = uint16(value>>8), 0
		if g.Buffered {
			g.Links.At(port).Fraction = 0
		}
	case model.Down:
		if d.Timeout > 0 {
			c.Halted = stage.Losing
			return
		}
		g.halt(port, c)
	case model.Up:
		g.raise(port, c)
	}
}

// changeNIC applies an event to the direction from a NIC of the active router.
func (d *Doors) changeNIC(r *core.Router, nic uint32, value uint64) {
	own := d.all.NICs.At(nic)
	switch model.EventKind(value & 0xff) {
	case model.SetRate:
		own.class = uint32(value>>8) + 1
		d.b.Send.NICs.At(nic).LinkPart = 0
	case model.Down:
		own.down = true
	case model.Up:
		own.down = false
		d.tryNIC(r, nic)
	}
}

// injects returns the link class with whose rate a NIC sends now.
func (d *Doors) injects(nic uint32, own *doorNIC) *core.LinkLayout {
	if own.class != 0 {
		return d.b.Classes.At(own.class - 1)
	}
	return d.b.Classes.At(uint32(d.b.Spec.Graph.Ports[d.b.Spec.Graph.NICPort[nic]].Link))
}

// halt prevents further packets from starting toward a port of the active router. The port's timer
// is watched for packets that wait for it.
func (g *Routers) halt(port uint32, c *stage.CrossbarPort) {
	if c.Halted != stage.Running {
		return
	}
	if g.Buffered {
		g.Links.At(port).Down = true
	}
	switch {
	case c.Watched:
		c.Halted = stage.Draining
		return
	case c.Free > g.Events.Now:
		c.Halted = stage.Draining
		g.Wheel.ArmHere(g.Wheel.Timers.Ports+port, c.Free)
	default:
		if !g.Crossbar.Outputs.Has(port * g.NumVCs) {
			g.Crossbar.Release(c)
		}
		c.Halted = stage.Down
		g.Crossbar.Outputs.ClearSpan(port*g.NumVCs, g.PortMask)
	}
	c.Watched = true
}

// raise allows packets to start toward a port of the active router again.
func (g *Routers) raise(port uint32, c *stage.CrossbarPort) {
	switch c.Halted {
	case stage.Running:
		return
	case stage.Losing:
		c.Halted = stage.Running
		return
	case stage.Draining:
		c.Halted = stage.Running
	case stage.Down:
		c.Halted, c.Free = stage.Rising, g.Events.Now
		g.Wheel.ArmHere(g.Wheel.Timers.Ports+port, c.Free)
	}
	c.Fraction = 0
	if g.Buffered {
		link := g.Links.At(port)
		link.Down, link.Fraction = false, 0
		g.Links.Busy.Set(port)
		g.Doors.raised = true
	}
}

// upcoming returns the time of the active router's next instant (ps since the window's start).
// `since` is that time according to its timers.
func (d *Doors) upcoming(since uint64) uint64 {
	if d.raised {
		return min(since, uint64(d.g.Events.Now-d.g.Events.Calendar.Start))
	}
	return since
}

// takeRaised reports whether a link has come up again at this instant and may have a packet to
// send, and forgets it.
func (d *Doors) takeRaised() bool {
	was := d.raised
	d.raised = false
	return was
}

// freeHalted is like freeCrossbarPort, for a port that has been down. If the port is up again, it frees
// the output; otherwise it frees the crossbar input that the last packet of the port occupied.
func (g *Routers) freeHalted(port uint32, c *stage.CrossbarPort) {
	feeder := uint32(c.Feeder)
	switch {
	case c.Rise():
		g.Crossbar.Outputs.SetSpan(port*g.NumVCs, g.PortMask)
		if g.Adaptive {
			g.Contest.Reconsider(port, port*g.NumVCs, g.PortMask)
		} else {
			g.Contest.ContendForPort(port)
		}
	case g.Adaptive:
		g.Crossbar.Inputs.SetSpan(feeder*g.NumVCs, g.PortMask)
		g.Contest.ReconsiderFrom(feeder)
	default:
		g.Crossbar.Inputs.SetSpan(feeder*g.NumVCs, g.PortMask)
		g.Contest.ContendFrom(feeder)
	}
}

// freeHaltedSeparately is like freeSeparately, for a port that is not running.
func (g *Routers) freeHaltedSeparately(port uint32, c *stage.CrossbarPort) {
	if c.Rise() {
		g.Crossbar.Outputs.SetSpan(port*g.NumVCs, g.PortMask)
		return
	}
	g.Crossbar.Release(c)
	g.Alloc.OwnedAt(uint32(g.Alloc.TurnAt(port).Leaving)).Owner = 0
}
