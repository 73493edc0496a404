package fabric

import (
	"fabricast/internal/offheap"
	"fabricast/internal/snapshot"
	"math/bits"
)

// stateAt goes over the part of the general path's arrays that belongs to some routers.
func (g *general) stateAt(v *snapshot.Visitor, x extent) {
	g.b.stateAt(v, x)
	s, l, spec := &g.all, g.b.layout, &g.b.spec
	first, last := s.routers.at(x.first), s.routers.at(x.first+x.count-1)
	ports, lanes := x.endPorts-x.ports, x.endLanes-x.lanes
	snapshot.Values(v, s.routers.slice(x.first, x.count))
	snapshot.Values(v, s.inlets.slice(x.lanes, lanes))
	snapshot.Values(v, s.outlets.slice(x.lanes, lanes))
	for _, run := range x.hosts {
		snapshot.Values(v, s.outlets.slice(l.nicLanes+run.nic*l.vcs, run.nics*l.vcs))
	}
	snapshot.Values(v, s.ports.slice(x.ports, ports))
	slots := uint32(last.slots)
	maps := last.maps + mapsOf(spec, uint32(last.ports), slots)
	snapshot.Values(v, s.maps.slice(first.later, maps-first.later))
	snapshot.Values(v, s.due.slice(x.first*wheel*s.dueWords, x.count*wheel*s.dueWords))
	queues, granted := generalTables(spec, uint32(last.ports), slots)
	snapshot.Values(v, s.queues.slice(first.queues, last.queues+queues-first.queues))
	snapshot.Values(v, s.granted.slice(first.granted, last.granted+granted-first.granted))
	if s.buffers.n > 0 {
		snapshot.Values(v, s.buffers.slice(x.lanes, lanes))
		snapshot.Values(v, s.links.slice(x.ports, ports))
	}
	if s.owned.n > 0 {
		snapshot.Values(v, s.owned.slice(x.lanes, lanes))
		snapshot.Values(v, s.turns.slice(x.ports, ports))
		snapshot.Values(v, s.asked.slice(x.lanes, lanes))
	}
	if s.published.n > 0 {
		for set := range uint32(publishedSets) {
			snapshot.Values(v, s.published.slice(set*l.nicPorts+x.ports, ports))
		}
	}
	if d := g.doors; d != nil {
		d.all.share(v, d.Doors, x)
	}
}

// stateOf goes over what a block has of the general path besides its share of the arrays. What the
// parts keep for the router that is visited, or for an instant, means nothing between windows.
func (g *general) stateOf(v *snapshot.Visitor, x extent) {
	g.b.stateOf(v)
	p := &g.pool
	used := p.used
	snapshot.Value(v, &p.used)
	snapshot.Value(v, &p.free)
	within(v, &p.parcels, p.own.first, p.used, used)
	if p.words > 0 {
		within(v, &p.wishes, p.own.first*p.words, p.used*p.words, used*p.words)
	}
	if g.adapt.choices.n > 0 {
		if g.voq {
			within(v, &g.adapt.choices, p.own.first, p.used, used)
		} else {
			snapshot.Values(v, g.adapt.choices.slice(x.lanes, x.endLanes-x.lanes))
		}
	}
	if g.doors != nil {
		g.doors.state(v, used)
	}
	snapshot.Value(v, &g.out.soonest)
	snapshot.Value(v, &g.publish.due)
	snapshot.Value(v, &g.publish.changed)
	unsettled := int64(g.publish.unsettled)
	snapshot.Value(v, &unsettled)
	g.publish.unsettled = int(unsettled)
}

// packetsAt goes over the packets at some routers and NICs, whose arrays stateAt has gone over. They keep
// their places.
func (g *general) packetsAt(v *snapshot.Visitor, x extent) {
	s := &g.all
	if g.adapt.choices.n > 0 && !g.voq {
		snapshot.Values(v, g.adapt.choices.slice(x.lanes, x.endLanes-x.lanes))
	}
	for lane := x.lanes; lane < x.endLanes; lane++ {
		in := s.inlets.at(lane)
		g.parcelsIn(v, in.here)
		g.parcelsIn(v, in.coming)
		g.parcelsIn(v, list{first: s.outlets.at(lane).more})
		if s.buffers.n > 0 {
			g.parcelsIn(v, s.buffers.at(lane).queue)
		}
	}
	for _, run := range x.hosts {
		lane := g.b.nicLanes + run.nic*g.vcs
		for end := lane + run.nics*g.vcs; lane < end; lane++ {
			g.parcelsIn(v, list{first: s.outlets.at(lane).more})
		}
	}
	if g.voq && !g.adaptive {
		for number := x.first; number < x.first+x.count; number++ {
			g.queued(v, s.routers.at(number))
		}
	}
}

// queued goes over the packets in a router's virtual output queues.
func (g *general) queued(v *snapshot.Visitor, router *generalRouter) {
	s := &g.all
	for slot := range uint32(router.slots) {
		wishes := s.wishes(router, slot)
		for w := range uint32(router.words) {
			for m := *wishes.word(w); m != 0; m &= m - 1 {
				out := w<<6 + uint32(bits.TrailingZeros64(m))
				g.parcelsIn(v, *s.queues.at(router.queues + slot*uint32(router.slots) + out))
			}
		}
	}
}

// parcelsIn goes over the parcels of a list. The last one's link may have any value.
func (g *general) parcelsIn(v *snapshot.Visitor, l list) {
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

// discardAt gives the memory back of routers that another process has got.
func (g *general) discardAt(x extent) {
	g.b.discard(x)
	s := &g.all
	ports, lanes := x.endPorts-x.ports, x.endLanes-x.lanes
	offheap.Discard(s.inlets.slice(x.lanes, lanes))
	offheap.Discard(s.outlets.slice(x.lanes, lanes))
	offheap.Discard(s.ports.slice(x.ports, ports))
	first, end := s.routers.at(x.first), s.queues.n
	if next := x.first + x.count; next < s.routers.n {
		end = s.routers.at(next).queues
	}
	offheap.Discard(s.queues.slice(first.queues, end-first.queues))
}

// takePackets takes in packets and feedback from another block.
func (g *general) takePackets(x *box) {
	for i := range x.packets {
		m := &x.packets[i]
		id := g.pushNew(m.router, m.lane, m.packet, m.span)
		if g.doors != nil {
			*g.doors.riders.at(id) = x.riders[i]
		}
	}
	for i := range x.feedback {
		g.doors.takeMail(&x.feedback[i])
	}
}

// takeCredit adds credit from another block, or from a NIC's I/O bus, to the output it is for.
func (g *general) takeCredit(c *creditMail) {
	g.out.giveBack(g.b.routers.at(c.router), c.lane, c.at, c.flits)
}

// setEndpoint installs the endpoint of the block's hosts.
func (g *general) setEndpoint(e Endpoint) { g.b.setEndpoint(e) }

// sentBy returns what a port has sent.
func (g *general) sentBy(port uint32) linkCount {
	c := g.crossbar.ports.at(port)
	return linkCount{c.flits, c.packets}
}

// recut makes what is known of the block's routers fit those that it has now.
func (g *general) recut() {
	g.loader.count = g.b.count
	g.loader.measure()
}

// remark records all timers of a router again.
func (g *general) remark(r *routerState) {
	g.wheel.remark(r)
	g.events.remark(r)
}
