package fabric

import "math/bits"

// visit simulates the router, its NICs and its hosts for the current window, in the order of time.
func (b *fast) visit(r *routerState) {
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

// pass lets all packets whose timer is due now (that of `timer`, and others) ask for their outputs,
// in the arbitration order. Other packets can move only after a change at the router, for which
// they have timers.
func (b *fast) pass(r *routerState, timer uint32) {
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
