package fabric

// creditReturn brings credit back to the packet that holds an output VC and waits for it, on the
// fast path.
type creditReturn struct {
	vcs     uint32
	events  *eventWheel
	lanes   *vcLanes
	mail    *outbox
	routers array[routerState]
}

// creditTime returns when the output VC will have credit for so many flits (ps), if the departures
// that return it are known. Otherwise it returns Forever, and the departure that returns the credit
// wakes the holder. The caller must have pulled credit before.
func (c *creditReturn) creditTime(out *lane, number uint32, flits int32) int64 {
	down := c.lanes.at(number)
	lacking := flits - out.credit
	if down.way&drained != 0 {
		return down.timer + c.lanes.classes.at(uint32(down.class)).credit
	}
	for i := down.pull; i != down.head; i++ {
		p := c.lanes.nth(down, i)
		lacking -= int32(p.flits & flitMask)
		if lacking <= 0 {
			return p.time
		}
	}
	c.lanes.more.at(number).lack = uint16(lacking)
	down.way |= wanted
	return Forever
}

// giveBack handles the buffer space of a packet that departs, if its upstream side waits for credit
// or lies in another block. The upstream side learns of the space at the time `at` (ps).
func (c *creditReturn) giveBack(r *routerState, timer uint32, in *lane, at int64, flits uint16) {
	if in.way&outside != 0 {
		number := r.base + timer
		port, vc := number/c.vcs, number%c.vcs
		c.mail.sendCredit(uint32(c.lanes.ports.at(port).router), c.lanes.beyond(port)+vc, at, flits)
		in.pull++
		return
	}
	number := r.base + timer
	if !c.lanes.enough(in, number, flits) {
		return
	}
	if in.way&host != 0 {
		c.events.arm(r, uint32(r.wakes)+uint32(^c.lanes.ports.at(number/c.vcs).router)-r.nics, at)
		return
	}
	port := c.lanes.ports.at(number / c.vcs)
	c.rouse(uint32(port.router), port.down+number%c.vcs, at) // a port leads both ways to the same one
}

// enough reports whether a packet of so many flits that has left a FIFO returns the last credit
// that the upstream holder lacks. If so, the holder no longer counts as waiting.
func (v *vcLanes) enough(l *lane, number uint32, flits uint16) bool {
	more := v.more.at(number)
	if flits &= flitMask; flits < more.lack {
		more.lack -= flits
		return false
	}
	l.way &^= wanted
	return true
}

// rouse sets the timer of the packet that holds an output VC, so that it asks again at the time
// `at` (ps).
func (c *creditReturn) rouse(router, number uint32, at int64) {
	out := c.lanes.at(number)
	timer := uint32(out.holder) - 1
	ahead := c.events.calendar.ahead(at)
	if ahead == 0 || ahead >= wheel {
		c.events.arm(c.routers.at(router), timer, at)
		return
	}
	c.lanes.at(number - uint32(out.number) + timer).timer = at
	// without the router's record, which is not at hand
	c.events.noteNear(router, c.events.firstWord(router)+timer>>6, timer, ahead)
}

// await makes a NIC without enough credit try again once it has enough.
func (c *creditReturn) await(
	r *routerState, timer uint32, out *lane, number uint32, flits int32,
) {
	if at := c.creditTime(out, number, flits); at != Forever {
		c.events.arm(r, timer, at)
	}
}

// hold makes the first packet of a VC the holder of an output VC that lacks credit for it.
func (c *creditReturn) hold(
	r *routerState, timer uint32, out *lane, number uint32, flits int32,
) {
	out.holder = uint16(timer + 1)
	if at := c.creditTime(out, number, flits); at != Forever {
		c.events.arm(r, timer, at) // slow memory may take long to give it back
	}
}

// unpark ends the hold on an output VC. The packets that waited for it ask again at the time `free`
// (ps).
func (c *creditReturn) unpark(r *routerState, out uint32, free int64) {
	c.lanes.at(r.lanes + out).holder = 0
	more := c.lanes.more.at(r.lanes + out)
	for slot := uint32(more.park); slot != 0; {
		in := c.lanes.at(r.lanes + slot - 1)
		next := uint32(in.timer)
		c.events.soon(r, uint32(r.first)+slot-1, in, free)
		slot = next
	}
	more.park = 0
}

// take adds credit that has come from another block, or from a NIC's bus, to the FIFO that represents
// the one downstream.
func (c *creditReturn) take(m *creditMail) {
	out := c.lanes.at(m.lane)
	number := c.lanes.below(m.lane)
	down := c.lanes.at(number)
	c.lanes.leaveBehind(out, down, m.at, m.flits)
	if down.way&wanted != 0 && c.lanes.enough(down, number, m.flits) {
		c.rouse(m.router, m.lane, m.at)
	}
}
