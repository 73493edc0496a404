package inputqueued

import (
	"slices"

	"fabricast/fabric/internal/core"
)

// passStreams is like pass at a router with departures. Those that use a port that a packet requests
// now end first.
func (b streaming) passStreams(r *core.Router, timer uint32) {
	a := &b.Events.Events
	now := uint64(b.Events.Now - b.Events.Calendar.Start)
	contenders := b.requesters[:0]
	for {
		if b.requests(r, timer) {
			contenders = append(contenders, timer)
		}
		if a.Next == a.N || *a.Entries.At(a.Next)>>core.EventShift != now {
			break
		}
		timer = uint32(*a.Entries.At(a.Next) & core.EventMask)
		a.Next++
	}
	slices.Sort(contenders)
	b.Ports.arbitrate(r, contenders)
	for _, timer := range contenders {
		b.serve(r, timer, b.Events.Now)
	}
	b.requesters = contenders
}

// requests prepares the request of the VC whose timer is due now. It reports whether there is one.
func (b streaming) requests(r *core.Router, timer uint32) bool {
	number := r.Base + timer
	in := b.VCs.At(number)
	if in.Flags&core.Streamed != 0 {
		if s := b.VCs.streamAt(number); s.active {
			b.further(s)
			if at := b.plan(s); at > b.Events.Now {
				b.Events.Set(r, timer, at)
			} else {
				if s.before(b.Events.Now) < s.count {
					b.Counters.Streams.Starved++
				}
				b.end(s, b.Events.Now) // its next packet may be among the following events
			}
			return false
		}
	}
	b.interrupt(r, b.portStreams.At(r.FirstPort+b.Ports.PortOf(timer-uint32(r.First))).In)
	b.interrupt(r, b.portStreams.At(r.FirstPort+b.Ports.PortOf(uint32(in.Next))).Out)
	return true
}

// interrupt ends departures at the active router, given by their index, because another packet
// requests a port that they use.
func (b streaming) interrupt(r *core.Router, id uint32) {
	if id == 0 {
		return
	}
	s := b.streams.at(id)
	b.Counters.Streams.Interrupted++
	b.Events.Disarm(r, s.timer(r))
	b.end(s, b.Events.Now)
}
