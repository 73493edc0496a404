package fabric

import (
	"math/bits"

	"fabricast/internal/offheap"
	"fabricast/internal/snapshot"
)

// packets goes over the packets at some routers and NICs, whose arrays state has gone over. They keep
// their places.
func (x extent) packets(v *snapshot.Visitor) {
	if x.b.general != nil {
		x.parcels(v)
		return
	}
	for lane := x.lanes; lane < x.endLanes; lane++ {
		x.fifo(v, lane)
	}
	for _, run := range x.hosts {
		lane := x.b.nicLanes + run.nic*x.b.vcs
		for end := lane + run.nics*x.b.vcs; lane < end; lane++ {
			x.fifo(v, lane)
		}
	}
}

// fifo goes over the packets of a FIFO.
func (x extent) fifo(v *snapshot.Visitor, number uint32) {
	lanes := &x.b.lanes
	in := lanes.at(number)
	for i := in.pull; i != in.tail; i++ {
		place := in.base + uint32(i&in.mask)
		snapshot.Value(v, lanes.pool.packets.at(place))
		if lanes.pool.spans.first != nil {
			snapshot.Value(v, lanes.pool.spans.at(place))
		}
	}
}

// parcels does what packets does on the general path.
func (x extent) parcels(v *snapshot.Visitor) {
	g := x.b.general
	s := &g.all
	if g.adapt.choices.n > 0 && !g.voq {
		snapshot.Values(v, g.adapt.choices.slice(x.lanes, x.endLanes-x.lanes))
	}
	for lane := x.lanes; lane < x.endLanes; lane++ {
		in := s.inlets.at(lane)
		x.parcelsIn(v, in.here)
		x.parcelsIn(v, in.coming)
		x.parcelsIn(v, list{first: s.outlets.at(lane).more})
		if s.buffers.n > 0 {
			x.parcelsIn(v, s.buffers.at(lane).queue)
		}
	}
	for _, run := range x.hosts {
		lane := x.b.nicLanes + run.nic*x.b.vcs
		for end := lane + run.nics*x.b.vcs; lane < end; lane++ {
			x.parcelsIn(v, list{first: s.outlets.at(lane).more})
		}
	}
	if g.voq && !g.adaptive {
		for number := x.first; number < x.first+x.count; number++ {
			x.queued(v, s.routers.at(number))
		}
	}
}

// queued goes over the packets in a router's virtual output queues.
func (x extent) queued(v *snapshot.Visitor, router *generalRouter) {
	s := &x.b.general.all
	for slot := range uint32(router.slots) {
		wishes := s.wishes(router, slot)
		for w := range uint32(router.words) {
			for m := *wishes.word(w); m != 0; m &= m - 1 {
				out := w<<6 + uint32(bits.TrailingZeros64(m))
				x.parcelsIn(v, *s.queues.at(router.queues + slot*uint32(router.slots) + out))
			}
		}
	}
}

// parcelsIn goes over the parcels of a list. The last one's link may have any value.
func (x extent) parcelsIn(v *snapshot.Visitor, l list) {
	g := x.b.general
	p := &g.pool
	for id := l.first; id != 0; id = p.parcels.at(id).next {
		snapshot.Value(v, p.parcels.at(id))
		if p.words > 0 {
			snapshot.Values(v, p.wishes.slice(id*p.words, p.words))
		}
		if g.adapt.choices.n > 0 && g.voq {
			snapshot.Value(v, g.adapt.choices.at(id))
		}
		if id == l.last {
			return
		}
	}
}

// queues goes over the queues of the NICs of some hosts, and takes them from the block that has them.
// Their entries have places in the block, so these are new where they go.
func (x extent) queues(v *snapshot.Visitor) {
	for _, run := range x.hosts {
		for nic := run.nic; nic < run.nic+run.nics; nic++ {
			if t := x.b.send.turns; t != nil {
				q := t.nics.at(nic)
				t.queue(v, &q.now)
				t.queue(v, &q.later)
				t.queue(v, &q.control)
			}
			if x.b.bus != nil {
				x.b.bus.queue(v, nic)
			}
		}
	}
}

// queue goes over the entries of a queue.
func (t *turns) queue(v *snapshot.Visitor, q *queued) {
	var list []entry
	if !v.Restores() {
		for q.first != 0 {
			place := t.take(q)
			list = append(list, t.entries[place])
			t.entries[place].next, t.free = t.free, place
		}
	}
	snapshot.List(v, &list)
	if *q = (queued{}); v.Restores() {
		for _, e := range list {
			t.add(q, e)
		}
	}
}

// queue goes over the packets that wait at a NIC for its I/O bus.
func (i *ioBuses) queue(v *snapshot.Visitor, nic uint32) {
	var list []arrival
	d := i.nics.at(nic)
	if !v.Restores() {
		for was := *d; was.first != 0; {
			list = append(list, i.give(&was))
		}
	}
	snapshot.List(v, &list)
	d.first, d.last = 0, 0
	if v.Restores() {
		for _, a := range list {
			i.append(d, a)
		}
	}
}

// discard gives the memory back of routers that another process has got. Their state is not read here
// until it is restored.
func (x extent) discard() {
	b := x.b
	ports, lanes := x.endPorts-x.ports, x.endLanes-x.lanes
	offheap.Discard(b.lanes.all.slice(x.lanes, lanes))
	offheap.Discard(b.lanes.more.slice(x.lanes, lanes))
	offheap.Discard(b.ports.ports.slice(x.ports, ports))
	offheap.Discard(b.ports.more.slice(x.ports, ports))
	for _, run := range x.hosts {
		offheap.Discard(b.lanes.all.slice(b.nicLanes+run.nic*b.vcs, run.nics*b.vcs))
		offheap.Discard(b.lanes.more.slice(b.nicLanes+run.nic*b.vcs, run.nics*b.vcs))
		offheap.Discard(b.ports.ports.slice(b.nicPorts+run.nic, run.nics))
		offheap.Discard(b.send.nics.slice(run.nic, run.nics))
		offheap.Discard(b.receive.nics.slice(run.nic, run.nics))
	}
	if b.general == nil {
		return
	}
	s := &b.general.all
	offheap.Discard(s.inlets.slice(x.lanes, lanes))
	offheap.Discard(s.outlets.slice(x.lanes, lanes))
	offheap.Discard(s.ports.slice(x.ports, ports))
	first, end := s.routers.at(x.first), s.queues.n
	if next := x.first + x.count; next < s.routers.n {
		end = s.routers.at(next).queues
	}
	offheap.Discard(s.queues.slice(first.queues, end-first.queues))
}
