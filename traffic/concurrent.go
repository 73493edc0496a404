package traffic

import (
	"math"

	"fabricast/internal/snapshot"
	"fabricast/internal/units"
)

// This file is for networks whose NICs take any number of messages at once: sources post every
// message at the time at which it is due, whatever became of earlier ones (Load.Concurrent).

// due posts the messages of a host that are due, and wakes it again when the next one is.
func (e *endpoint) due(host int32, now int64) {
	place := e.places.number(host)
	e.postIncasts(place, now)
	next := e.until
	for nic := place * e.nics; nic < (place+1)*e.nics; nic++ {
		s := e.source(nic)
		if now == e.offset { // the first time
			e.draws = drawsOf(e.Seed, nic, math.MaxUint64)
			e.processOf(nic).start(s, &e.draws)
		}
		for s.at+e.offset <= now && now < e.until {
			e.postDue(nic, s)
		}
		next = min(next, s.at+e.offset)
	}
	if next = e.incastUntil(place, next); next < e.until {
		e.transport.SetTimer(host, next)
	}
}

// postDue posts the next message of a source, which is due now.
func (e *endpoint) postDue(nic int32, s *source) {
	id, m := e.make(nic, s.number)
	m.Sent = s.at + e.offset
	m.Post = m.Sent
	p := e.processOf(nic)
	m.Request = e.pending.add(e.sourceOf(nic), p.offers(e.packet.WireOf(m.Size), e.Arrivals.Load))
	e.bins.at(m.Sent).generated++
	p.advance(s, &e.draws)
	e.transport.Post(id)
}

// offers returns the time (ps) in which a source generates so many bytes on average, at a load.
func (r *process) offers(bytes, load int64) int64 {
	return units.MulDiv(units.MulDiv(bytes, 1e12, int64(r.slot.den)), LoadUnit, load)
}

// longestOffer returns the longest time (ps) in which any source generates as much as its largest
// message.
func (g *generator) longestOffer() (longest int64) {
	for i := range g.process.all {
		for _, c := range g.Sizes {
			longest = max(longest, g.process.all[i].offers(g.packet.WireOf(c.To), g.Arrivals.Load))
		}
	}
	return longest
}

// ledger holds the messages that sources have posted and that are not completely sent.
type ledger struct {
	list    []posted
	free    uint32  // first free entry, plus 1; 0: none
	waiting []int64 // by source: the sum of its times
}

// posted is a message, or a free entry of a ledger.
type posted struct {
	time   int64 // in which the source generates as much (ps)
	source int32
	next   uint32 // of a free entry: the next one, plus 1
}

// add enters a message of a source. It returns the value for Message.Request.
func (l *ledger) add(source int32, time int64) uint32 {
	l.waiting[source] += time
	if l.free == 0 {
		l.list = append(l.list, posted{})
		l.free = uint32(len(l.list))
	}
	at := l.free
	l.free = l.list[at-1].next
	l.list[at-1] = posted{time: time, source: source}
	return at
}

// remove removes the message of a request, which has been sent.
func (l *ledger) remove(request uint32) {
	p := &l.list[request-1]
	l.waiting[p.source] -= p.time
	*p = posted{next: l.free}
	l.free = request
}

// state saves or restores the ledger.
func (l *ledger) state(v *snapshot.Visitor) {
	snapshot.List(v, &l.list)
	snapshot.Value(v, &l.free)
	snapshot.List(v, &l.waiting)
}
