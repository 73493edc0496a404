package fabric

// crossbar holds the state of the crossbar ports of a block's routers, and which inputs and outputs
// of the visited router are free.
type crossbar struct {
	shape
	events  *eventWheel
	wheel   *dueWheel
	arbiter *arbiter
	ports   array[crossing]

	// the ports of the visited router
	here            part[crossing]
	router          *generalRouter
	inputs, outputs bitmap // slots whose input, or output, port is free
	taken           uint32 // first output slot of the port toward which a packet has started last
}

func newCrossbar(g *stages) crossbar {
	return crossbar{
		shape: g.shape, events: g.events, wheel: &g.wheel, arbiter: &g.arbiter, ports: g.all.ports,
	}
}

// slots returns the number of slots of the visited router.
func (x *crossbar) slots() uint32 { return uint32(x.router.slots) }

// at returns a port of the visited router.
func (x *crossbar) at(port uint32) *crossing { return x.here.at(port) }

// key returns the rank of a packet that requests the crossbar. With adaptive routing the router has
// one grant memory for all outputs, otherwise one for each output port.
func (x *crossbar) key(slot uint32, p *parcel, ask int64) Rank {
	var h past
	if x.arbiter.memory != NoMemory {
		slots := uint32(x.router.slots)
		port, last, times := uint32(0), x.router.last, uint32(0)
		if !x.adaptive {
			port = x.port(uint32(p.out))
			last = uint32(x.at(port).last)
			times = port * slots
		}
		h.place = int64(port)
		if x.arbiter.memory == LastGrant {
			h.turn = int64((slot + slots - last) % slots)
		} else {
			h.granted = x.arbiter.granted(times, slot)
		}
	}
	return x.arbiter.order(p, ask, h)
}

// grant records that a slot has been granted an output port.
func (x *crossbar) grant(slot, port uint32) {
	switch {
	case x.arbiter.memory == LastGrant && x.adaptive:
		x.router.last = slot + 1
	case x.arbiter.memory == LastGrant:
		x.at(port).last = uint16(slot + 1)
	case x.adaptive:
		x.arbiter.grant(0, slot, x.events.now)
	default:
		x.arbiter.grant(port*uint32(x.router.slots), slot, x.events.now)
	}
}

// crossing is the crossbar output at a port, and the link behind it.
type crossing struct {
	free     int64  // ps: when it is free (and the link, without output buffers)
	fraction uint64 // of a ps, see rate
	flits    uint64 // sent on the link
	packets  uint64
	portLayout
	last    uint16 // slot after the last one granted: where round robin begins
	feeder  uint16 // input port of the last packet
	feeds   uint16 // of the input of the same port: output port of its last packet
	watched bool   // its timer is set
	halted  uint8  // by events; see running
}

// busy reports whether the output is in use at the time now (ps), or has become free without having
// been released.
func (c *crossing) busy(now int64) bool { return c.free > now || c.watched }

// release records that the input of the last packet through an output is free.
func (x *crossbar) release(c *crossing) { x.inputs.setSpan(uint32(c.feeder)*x.vcs, x.portMask) }

// expect arms the timers of the busy ports that a packet with a fixed route needs. Ports for which
// no packet waits need no timer.
func (x *crossbar) expect(slot, out uint32) {
	if !x.outputs.has(out) {
		x.watch(x.port(out))
	}
	x.expectInput(slot)
}

// expectInput arms the timer that releases the input of a slot.
func (x *crossbar) expectInput(slot uint32) {
	if !x.inputs.has(slot) {
		x.watch(uint32(x.at(x.port(slot)).feeds))
	}
}

// idleInput reports whether the input port of a slot is free.
func (x *crossbar) idleInput(slot uint32) bool {
	return x.inputs.has(slot) ||
		x.idle(uint32(x.at(x.port(slot)).feeds)*x.vcs)
}

// idle reports whether the port of an output slot is free.
func (x *crossbar) idle(out uint32) bool {
	if x.outputs.has(out) {
		return true
	}
	port := x.port(out)
	c := x.at(port)
	if c.busy(x.events.now) {
		return false
	}
	x.outputs.setSpan(port*x.vcs, x.portMask)
	x.release(c)
	return true
}

// watch arms the timer of a crossbar output that is busy, or that has become free without having
// been released.
func (x *crossbar) watch(port uint32) {
	c := x.at(port)
	switch {
	case c.watched:
	case c.free <= x.events.now:
		x.outputs.setSpan(port*x.vcs, x.portMask)
		x.release(c)
	default:
		c.watched = true
		x.wheel.armHere(x.wheel.timers.ports+port, c.free)
	}
}

// The states of a port that events halt.
const (
	running  = iota
	draining // it is down, and its last packet has not left
	down     // no packet passes; no timer is set
	rising   // its timer is set for now
)

// rise lets a port run that is up again, and reports whether it is. Otherwise its last packet has left, and it is down.
func (c *crossing) rise() bool {
	if c.halted != rising {
		c.halted = down
		return false
	}
	c.halted, c.watched = running, false
	return true
}
