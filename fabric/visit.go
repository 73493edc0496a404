package fabric

import (
	"math/bits"
	"slices"
)

// visit does everything that the router, its NICs and its hosts do in the
// current window, in order of time.
func (b *Block) visit(router uint32) {
	lr := b.routers.at(router)
	b.visiting = router
	b.used = 0
	b.gather(lr)
	a := &b.agenda
	for a.next < a.n {
		key := a.entries[a.next]
		if key >= a.end {
			b.postpone(router, lr)
			break
		}
		a.next++
		b.now = b.calendar.start + int64(key>>agendaShift)
		switch timer := uint32(key & agendaMask); {
		case timer >= uint32(lr.first):
			if a.next == a.n || (a.entries[a.next]^key)>>agendaShift != 0 {
				b.ask(router, lr, timer-uint32(lr.first))
			} else {
				b.pass(router, lr, timer-uint32(lr.first))
			}
		case timer >= uint32(lr.nHosts):
			b.inject(router, lr, timer-uint32(lr.nHosts))
		default:
			b.wake(lr, timer)
		}
	}
	b.visiting = noRouter
	b.recent.at(router).channels = b.used
}

// gather moves the router's timers that fall into this window to the agenda.
func (b *Block) gather(lr *routerLayout) {
	b.agenda.n, b.agenda.next = 0, 0
	b.agenda.end = uint64(b.calendar.length) << agendaShift
	for w := range uint32(lr.words) {
		armed := *b.armed.at(lr.masks + w)
		for m := armed; m != 0; m &= m - 1 {
			bit := uint32(bits.TrailingZeros64(m))
			timer := w<<6 + bit
			if at := *b.timer(lr, timer); at < b.calendar.end {
				b.agenda.insert(at-b.calendar.start, timer)
				armed &^= 1 << bit
			}
		}
		*b.armed.at(lr.masks + w) = armed
	}
}

// timer is a router's timer by its number: those of hosts and NICs come first.
func (b *Block) timer(lr *routerLayout, timer uint32) *int64 {
	if slot := timer - uint32(lr.first); int32(slot) >= 0 {
		return &b.in.at(lr.channels + slot).timer
	}
	return b.timers.at(lr.timers + timer)
}

// postpone sets the timers for what is left on the agenda: it comes after this window.
func (b *Block) postpone(router uint32, lr *routerLayout) {
	a := &b.agenda
	for ; a.next < a.n; a.next++ {
		key := a.entries[a.next]
		timer := uint32(key & agendaMask)
		at := b.calendar.start + int64(key>>agendaShift)
		*b.timer(lr, timer) = at
		*b.armed.at(lr.masks + timer>>6) |= 1 << (timer & 63)
		b.calendar.mark(router-b.first, at)
	}
}

// soon sets the timer of an input channel or a NIC of the visited router, which
// must not be set, to a time that is not far away.
func (b *Block) soon(timer uint32, at int64) {
	b.agenda.insert(at-b.calendar.start, timer)
}

// arm sets the timer of a NIC, which must not be set.
func (b *Block) arm(router uint32, timer uint32, at int64) {
	if at < b.calendar.end && router == b.visiting {
		b.soon(timer, at)
		return
	}
	b.later(router, timer, at)
}

// later sets the timer of a host or a NIC.
func (b *Block) later(router uint32, timer uint32, at int64) {
	lr := b.routers.at(router)
	*b.timers.at(lr.timers + timer) = at
	*b.armed.at(lr.masks + timer>>6) |= 1 << (timer & 63)
	b.calendar.mark(router-b.first, at)
}

// SetTimer asks for the endpoint's Wake of a host at a time. Unlike the others,
// a host's timer may be set again before its time, so its entry in the agenda holds
// only if it still has that time.
func (b *Block) SetTimer(host int32, at int64) {
	router := b.hosts[host]
	lr := b.routers.at(router)
	timer := uint32(host) - lr.hosts
	*b.timers.at(lr.timers + timer) = at
	switch {
	case at == Forever:
		*b.armed.at(lr.masks + timer>>6) &^= 1 << (timer & 63)
	case at < b.calendar.end && router == b.visiting:
		b.agenda.insert(at-b.calendar.start, timer)
	default:
		b.later(router, timer, at)
	}
}

// wake calls the endpoint of a host whose timer has come up.
func (b *Block) wake(lr *routerLayout, timer uint32) {
	if *b.timers.at(lr.timers + timer) != b.now {
		return
	}
	*b.timers.at(lr.timers + timer) = Forever
	*b.armed.at(lr.masks + timer>>6) &^= 1 << (timer & 63)
	b.endpoint.Wake(int32(lr.hosts+timer), b.now)
}

// pass lets all packets whose timer is now (that of slot, and others) ask for
// their outputs, in arbitration order. Only a change at the router could let any
// of the others move, and their timers say when that will be.
func (b *Block) pass(router uint32, lr *routerLayout, slot uint32) {
	a := &b.agenda
	now := uint64(b.now - b.calendar.start)
	contenders := append(b.contenders[:0], slot)
	for ; a.next < a.n && a.entries[a.next]>>agendaShift == now; a.next++ {
		contenders = append(contenders, uint32(a.entries[a.next]&agendaMask)-uint32(lr.first))
	}
	b.arbitrate(lr, contenders)
	for _, slot := range contenders {
		b.ask(router, lr, slot)
	}
	b.contenders = contenders
}

// head is the first packet in the buffer of an input channel.
func (b *Block) head(channel uint32) *packet {
	in := b.in.at(channel)
	return b.nth(in, channel, in.head)
}

// arbitrate sorts the slots that ask at one instant, given in increasing
// order, into the order in which they are served.
func (b *Block) arbitrate(lr *routerLayout, slots []uint32) {
	base := lr.channels
	if b.spec.Router.Arbiter == RoundRobin {
		b.roundRobin(lr, slots)
		return
	}
	for i := 1; i < len(slots); i++ {
		slot, ask := slots[i], b.in.at(base+slots[i]).ask
		j := i
		for ; j > 0 && b.in.at(base+slots[j-1]).ask > ask; j-- {
			slots[j] = slots[j-1]
		}
		slots[j] = slot
	}
}

// roundRobin sorts slots by their distance from the one that follows the last
// one granted at their output, then by output.
func (b *Block) roundRobin(lr *routerLayout, slots []uint32) {
	all := int64(lr.slots)
	order := func(slot uint32) int64 {
		out := uint32(b.head(lr.channels+slot).out >> outVCBits)
		distance := (int64(slot) - int64(b.more.at(lr.ports+out).last) + all) % all
		return distance<<16 | int64(out)
	}
	slices.SortStableFunc(slots, func(x, y uint32) int {
		if d := order(x) - order(y); d != 0 {
			return int(min(max(d, -1), 1))
		}
		return 0
	})
}
