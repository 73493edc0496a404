package inputqueued

import (
	"math/bits"

	"fabricast/fabric/internal/core"
)

// activate simulates the router, its NICs and its hosts for the current window, in order of time.
func (b *Routers) activate(r *core.Router) {
	b.Events.Visiting = r.Number
	a := &b.Events.Events
	a.N, a.Next = 0, 0
	if r.Words > 1 {
		b.Events.Gather(r)
	} else {
		due := b.Events.TakeDue(r.Masks)
		if due&(due-1) == 0 && due>>(r.First&63) != 0 && r.Far >= b.Events.Calendar.End && r.Streams == 0 {
			b.timers++
			timer := uint32(bits.TrailingZeros64(due))
			b.Events.Now = b.VCs.At(r.Base + timer).Timer
			b.serve(r, timer, b.Events.Calendar.End)
		} else {
			b.Events.GatherDue(r, 0, due)
			if r.Far < b.Events.Calendar.End {
				b.Events.GatherFar(r)
			}
		}
	}
	b.timers += uint64(a.N)
	for a.Next < a.N {
		key := *a.Entries.At(a.Next)
		a.Next++
		b.Events.Now = b.Events.Calendar.Start + int64(key>>core.EventShift)
		timer := uint32(key & core.EventMask)
		switch {
		case timer >= uint32(r.First):
			if r.Streams != 0 {
				streaming{b}.passStreams(r, timer)
			} else if a.Next == a.N || (*a.Entries.At(a.Next)^key)>>core.EventShift != 0 {
				b.serve(r, timer, b.Events.Calendar.End)
			} else {
				b.pass(r, timer)
			}
		case timer >= uint32(r.Wakes):
			b.inject(r, timer)
		default:
			b.Wake(r, timer)
		}
	}
}

// pass makes all packets whose timers are due now (`timer` and others) request their outputs, in
// arbitration order. Other packets can move only after a change at the router, for which they have
// timers.
func (b *Routers) pass(r *core.Router, timer uint32) {
	a := &b.Events.Events
	now := uint64(b.Events.Now - b.Events.Calendar.Start)
	other := uint32(*a.Entries.At(a.Next) & core.EventMask)
	a.Next++
	if (a.Next == a.N || *a.Entries.At(a.Next)>>core.EventShift != now) && !b.roundRobins {
		if b.VCs.Head(r.Base+other).Time < b.VCs.Head(r.Base+timer).Time {
			timer, other = other, timer
		}
		b.serve(r, timer, b.Events.Now)
		b.serve(r, other, b.Events.Calendar.End)
		return
	}
	contenders := append(b.requesters[:0], timer, other)
	for ; a.Next < a.N && *a.Entries.At(a.Next)>>core.EventShift == now; a.Next++ {
		contenders = append(contenders, uint32(*a.Entries.At(a.Next)&core.EventMask))
	}
	b.Ports.arbitrate(r, contenders)
	for _, timer := range contenders {
		b.serve(r, timer, b.Events.Now)
	}
	b.requesters = contenders
}
