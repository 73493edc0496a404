package fabric

import (
	"math/bits"
	"slices"
	"unsafe"

	"fabricast/internal/prefetch"
)

// visit does everything that the router, its NICs and its hosts do in the
// current window, in order of time.
func (b *Block) visit(router uint32) {
	lr := &b.routers[router]
	b.visiting = router
	b.gather(lr)
	for b.agenda.next < len(b.agenda.entries) {
		key := b.agenda.entries[b.agenda.next]
		b.agenda.next++
		timer := uint32(key & (1<<agendaShift - 1))
		now := b.calendar.start + int64(key>>agendaShift)
		if !b.due(lr, timer, now) {
			continue
		}
		b.now = now
		switch {
		case timer >= uint32(lr.first):
			b.pass(router, lr, timer)
		case timer >= uint32(lr.nHosts):
			b.disarm(lr, timer)
			b.inject(router, lr, timer-uint32(lr.nHosts))
		default:
			b.disarm(lr, timer)
			b.endpoint.Wake(int32(lr.hosts+timer), now)
		}
	}
	b.visiting = noRouter
}

// gather fills the agenda with the router's timers that fall into this window.
func (b *Block) gather(lr *routerLayout) {
	b.agenda.reset()
	for w := range uint32(lr.words) {
		for m := b.armed[lr.masks+w]; m != 0; m &= m - 1 {
			timer := w<<6 + uint32(bits.TrailingZeros64(m))
			if at := b.timers[lr.timers+timer]; at < b.calendar.end {
				b.agenda.insert(at-b.calendar.start, timer)
			}
		}
	}
}

// due tells whether an agenda entry still holds: its timer may have been set
// to another time since, or done already.
func (b *Block) due(lr *routerLayout, timer uint32, now int64) bool {
	return b.timers[lr.timers+timer] == now && b.armed[lr.masks+timer>>6]&(1<<(timer&63)) != 0
}

// pass lets all packets whose timer is now ask for their outputs, in
// arbitration order. Only the others' state could change what they get, and
// none of the others can move now: their timers say so.
func (b *Block) pass(router uint32, lr *routerLayout, timer uint32) {
	b.disarm(lr, timer)
	slot := timer - uint32(lr.first)
	since := uint64(b.now-b.calendar.start) << agendaShift
	a := &b.agenda
	if a.next == len(a.entries) || a.entries[a.next]>>agendaShift != since>>agendaShift {
		b.ask(router, lr, slot)
		return
	}
	contenders := append(b.contenders[:0], slot)
	for a.next < len(a.entries) && a.entries[a.next]>>agendaShift == since>>agendaShift {
		timer := uint32(a.entries[a.next] & (1<<agendaShift - 1))
		a.next++
		if b.due(lr, timer, b.now) {
			b.disarm(lr, timer)
			contenders = append(contenders, timer-uint32(lr.first))
		}
	}
	b.arbitrate(lr, contenders)
	for _, slot := range contenders {
		b.ask(router, lr, slot)
	}
	b.contenders = contenders
}

// arbitrate sorts the slots that ask at one instant into the order in which they are served.
func (b *Block) arbitrate(lr *routerLayout, slots []uint32) {
	base := lr.ports * b.vcs
	if b.spec.Router.Arbiter == FCFS {
		slices.SortFunc(slots, func(x, y uint32) int {
			if d := b.in[base+x].ask - b.in[base+y].ask; d != 0 {
				return sign(d)
			}
			return int(x) - int(y)
		})
		return
	}
	all := int64(lr.slots)
	order := func(slot uint32) int64 {
		out := uint32(b.pool.packets[b.in[base+slot].head].out >> outVCBits)
		distance := (int64(slot) - int64(b.more[lr.ports+out].last) + all) % all
		return distance<<16 | int64(out)
	}
	slices.SortFunc(slots, func(x, y uint32) int {
		if d := order(x) - order(y); d != 0 {
			return sign(d)
		}
		return int(x) - int(y)
	})
}

func sign(d int64) int {
	if d < 0 {
		return -1
	}
	return 1
}

// prefetchAhead is how many visits ahead a router's state is loaded.
const prefetchAhead = 6

// prefetch starts loading what the visits after the i-th will need.
func (b *Block) prefetch(i int) {
	if i+prefetchAhead >= len(b.active) {
		return
	}
	lr := &b.routers[b.first+b.active[i+prefetchAhead]]
	prefetch.Line(unsafe.Pointer(&b.armed[lr.masks]))
	t := unsafe.Pointer(&b.timers[lr.timers])
	prefetch.Line(t)
	prefetch.Line(unsafe.Add(t, 64))
	t = unsafe.Pointer(&b.ports[lr.ports])
	prefetch.Line(t)
	prefetch.Line(unsafe.Add(t, 64))
	prefetch.Line(unsafe.Add(t, 128))
	t = unsafe.Pointer(&b.in[lr.ports*b.vcs])
	prefetch.Line(t)
	prefetch.Line(unsafe.Add(t, 64))
	prefetch.Line(unsafe.Add(t, 128))
	prefetch.Line(unsafe.Add(t, 192))
	prefetch.Line(unsafe.Add(t, 256))
	prefetch.Line(unsafe.Add(t, 320))
	prefetch.Line(unsafe.Add(t, 384))
	t = unsafe.Pointer(&b.out[lr.ports*b.vcs])
	prefetch.Line(t)
	prefetch.Line(unsafe.Add(t, 64))
	prefetch.Line(unsafe.Add(t, 128))
	prefetch.Line(unsafe.Add(t, 192))
	t = unsafe.Pointer(&b.wiring[lr.ports])
	prefetch.Line(t)
	prefetch.Line(unsafe.Add(t, 64))
	lr = &b.routers[b.first+b.active[i+3]]
	for m := b.armed[lr.masks]; m != 0; m &= m - 1 {
		timer := uint32(bits.TrailingZeros64(m))
		if timer >= uint32(lr.first) {
			in := &b.in[lr.ports*b.vcs+timer-uint32(lr.first)]
			prefetch.Line(unsafe.Pointer(&b.pool.packets[in.head]))
			prefetch.Line(unsafe.Add(unsafe.Pointer(&b.pool.packets[in.head]),64))
			prefetch.Line(unsafe.Pointer(&b.pool.packets[in.pull]))
			prefetch.Line(unsafe.Pointer(&b.pool.packets[in.tail]))
		}
	}
}
