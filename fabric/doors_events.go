package fabric

import (
	"fabricast/routing"
)

// scheduleEvents schedules the events at the block's routers, and the beginnings of epochs.
func (d *doors) scheduleEvents() {
	b := d.b
	for _, c := range b.changes {
		if r := uint32(b.spec.Graph.Ports[c.port].Router); r-b.first < b.count {
			d.schedule(r, work{
				at: c.at, kind: changePort, nic: c.port - b.routers.at(r).ports, value: uint64(c.kind) | uint64(c.class)<<8,
			})
		}
	}
	for i := range d.Epochs {
		for r := b.first; r < b.first+b.count; r++ {
			d.schedule(r, work{at: int64(d.Epochs[i].At), kind: newEpoch})
		}
	}
}

// epochAt returns the number of the epoch of a time (ps); 0 is that of Spec.Routing.
func (d *doors) epochAt(now int64) (epoch uint16) {
	for int(epoch) < len(d.Epochs) && int64(d.Epochs[epoch].At) <= now {
		epoch++
	}
	return epoch
}

// routingOf returns the routing function of an epoch.
func (d *doors) routingOf(epoch uint16) routing.Function {
	if epoch == 0 {
		return d.b.spec.Routing
	}
	return d.Epochs[epoch-1].Routing
}

// enter does what layout.enter does for the packets of an epoch.
func (d *doors) enter(epoch uint16, router uint32, m *Message) (slot uint16, route uint64, vc uint8) {
	if epoch == 0 {
		return d.b.layout.enter(router, m.Src, m.Dst)
	}
	header, vc := d.routingOf(epoch).Start(m.Src, m.Dst)
	route, slot = d.onward(router, header, epoch)
	return slot, route, vc
}

// onward does what layout.onward does for the packets of an epoch.
func (d *doors) onward(router uint32, header uint64, epoch uint16) (route uint64, slot uint16) {
	port, vc, route := d.routingOf(epoch).Next(d.b.name(router), header)
	return route, port*uint16(d.b.vcs) + vc
}

// route computes the output of a packet at the router to which it goes by a VC.
func (d *doors) route(router, id uint32, p *parcel, vc uint32) {
	x := d.riders.at(id)
	port, taken := d.takenAt(router, p.msg, p.flits, x)
	switch {
	case taken:
		p.out = uint16(port*d.g.vcs + vc)
	case d.g.alloc.chooses:
		p.out = 0
	case !d.g.adaptive:
		p.route, p.out = d.onward(router, p.route, x.epoch)
	}
}

// changePort changes a port of the visited router by an event.
func (g *general) changePort(port uint32, value uint64) {
	c := g.crossbar.at(port)
	switch EventKind(value & 0xff) {
	case SetRate:
		c.class, c.fraction = uint16(value>>8), 0
		if g.buffered {
			g.links.at(port).fraction = 0
		}
	case Down:
		g.halt(port, c)
	case Up:
		g.raise(port, c)
	}
}

// halt lets no packet start toward a port of the visited router any more. Whoever waits for the
// port finds it watched.
func (g *general) halt(port uint32, c *crossing) {
	if c.halted != running {
		return
	}
	if g.buffered {
		g.links.at(port).down = true
	}
	switch {
	case c.watched:
		c.halted = draining
		return
	case c.free > g.events.now:
		c.halted = draining
		g.wheel.armHere(g.wheel.timers.ports+port, c.free)
	default:
		if !g.crossbar.outputs.has(port * g.vcs) {
			g.crossbar.release(c)
		}
		c.halted = down
		g.crossbar.outputs.clearSpan(port*g.vcs, g.portMask)
	}
	c.watched = true
}

// raise lets packets start toward a port of the visited router again.
func (g *general) raise(port uint32, c *crossing) {
	switch c.halted {
	case running:
		return
	case draining:
		c.halted = running
	case down:
		c.halted, c.free, c.fraction = rising, g.events.now, 0
		g.wheel.armHere(g.wheel.timers.ports+port, c.free)
	}
	if g.buffered {
		link := g.links.at(port)
		link.down, link.fraction = false, 0
		g.links.busy.set(port)
		g.doors.raised = true
	}
}

// upcoming returns the time of the visited router's next instant (ps since the window's start), if
// its timers say that it is `since`.
func (d *doors) upcoming(since uint64) uint64 {
	if d.raised {
		return min(since, uint64(d.g.events.now-d.g.events.calendar.start))
	}
	return since
}

// takeRaised reports whether links may have a packet to send at this instant because they are up again.
func (d *doors) takeRaised() bool {
	was := d.raised
	d.raised = false
	return was
}

// freeHalted does what freeCrossing does for a port that is not running: it frees either the input of the last
// packet, or the output.
func (g *general) freeHalted(port uint32, c *crossing) {
	feeder := uint32(c.feeder)
	switch {
	case c.rise():
		g.crossbar.outputs.setSpan(port*g.vcs, g.portMask)
		if g.adaptive {
			g.contest.reconsider(port, port*g.vcs, g.portMask)
		} else {
			g.contest.contendForPort(port)
		}
	case g.adaptive:
		g.crossbar.inputs.setSpan(feeder*g.vcs, g.portMask)
		g.contest.reconsiderFrom(feeder)
	default:
		g.crossbar.inputs.setSpan(feeder*g.vcs, g.portMask)
		g.contest.contendFrom(feeder)
	}
}

// freeHaltedSeparately does what freeSeparately does for a port that is not running.
func (g *general) freeHaltedSeparately(port uint32, c *crossing) {
	if c.rise() {
		g.crossbar.outputs.setSpan(port*g.vcs, g.portMask)
		return
	}
	g.crossbar.release(c)
	g.alloc.ownedAt(uint32(g.alloc.turnAt(port).leaving)).owner = 0
}
