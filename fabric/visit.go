package fabric

import "math/bits"

// visit simulates the router, its NICs and its hosts for the current window, in the order of time.
func (b *Block) visit(r *routerState) {
	b.events.visiting = r.number
	a := &b.events.agenda
	a.n, a.next = 0, 0
	if r.words > 1 {
		b.events.gather(r)
	} else {
		due := b.events.takeDue(r.masks)
		if due&(due-1) == 0 && due>>(r.first&63) != 0 && r.far >= b.events.calendar.end {
			timer := uint32(bits.TrailingZeros64(due))
			b.events.now = b.lanes.at(r.base + timer).timer
			b.serve(r, timer, b.events.calendar.end)
		} else {
			b.events.gatherDue(r, 0, due)
			if r.far < b.events.calendar.end {
				b.events.gatherFar(r)
			}
		}
	}
	for a.next < a.n {
		key := *a.entries.at(a.next)
		a.next++
		b.events.now = b.events.calendar.start + int64(key>>agendaShift)
		timer := uint32(key & agendaMask)
		switch {
		case timer >= uint32(r.first):
			if a.next == a.n || (*a.entries.at(a.next)^key)>>agendaShift != 0 {
				b.serve(r, timer, b.events.calendar.end)
			} else {
				b.pass(r, timer)
			}
		case timer >= uint32(r.wakes):
			b.inject(r, timer)
		default:
			b.wake(r, timer)
		}
	}
}

// SetTimer makes the fabric call the endpoint's Wake for a host at the time `at` (ps). Unlike
// others, a host's timer may be set again before it is due. Its entry in the agenda is valid only
// if the timer still has that time.
func (b *Block) SetTimer(host int32, at int64) {
	r := b.routers.at(b.hosts[host])
	b.events.setAgain(r, uint32(host)-r.hosts, at)
}

// wake calls the endpoint of a host whose timer is due, or starts a transfer of its bus.
func (b *Block) wake(r *routerState, timer uint32) {
	at := b.events.timers.at(r.timers + timer)
	if *at != b.events.now {
		return
	}
	*at = Forever
	*b.events.word(r, timer) &^= 1 << (timer & 63)
	if b.bus != nil && b.busTurn(r, timer) {
		return
	}
	b.endpoint.Wake(int32(r.hosts+timer), b.events.now)
}

// pass lets all packets whose timer is due now (that of `timer`, and others) ask for their outputs,
// in the arbitration order. Other packets can move only after a change at the router, for which
// they have timers.
func (b *Block) pass(r *routerState, timer uint32) {
	a := &b.events.agenda
	now := uint64(b.events.now - b.events.calendar.start)
	other := uint32(*a.entries.at(a.next) & agendaMask)
	a.next++
	if (a.next == a.n || *a.entries.at(a.next)>>agendaShift != now) && !b.roundRobins {
		if b.lanes.head(r.base+other).time < b.lanes.head(r.base+timer).time {
			timer, other = other, timer
		}
		b.serve(r, timer, b.events.now)
		b.serve(r, other, b.events.calendar.end)
		return
	}
	contenders := append(b.contenders[:0], timer, other)
	for ; a.next < a.n && *a.entries.at(a.next)>>agendaShift == now; a.next++ {
		contenders = append(contenders, uint32(*a.entries.at(a.next)&agendaMask))
	}
	b.ports.arbitrate(r, contenders)
	for _, timer := range contenders {
		b.serve(r, timer, b.events.now)
	}
	b.contenders = contenders
}
