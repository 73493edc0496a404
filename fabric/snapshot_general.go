package fabric

import "fabricast/internal/snapshot"

// share goes over the part of the general path's arrays that belongs to some routers.
func (s *generalState) share(v *snapshot.Visitor, x extent) {
	b := x.b
	first, last := s.routers.at(x.first), s.routers.at(x.first+x.count-1)
	ports, lanes := x.endPorts-x.ports, x.endLanes-x.lanes
	snapshot.Values(v, s.routers.slice(x.first, x.count))
	snapshot.Values(v, s.inlets.slice(x.lanes, lanes))
	snapshot.Values(v, s.outlets.slice(x.lanes, lanes))
	for _, run := range x.hosts {
		snapshot.Values(v, s.outlets.slice(b.nicLanes+run.nic*b.vcs, run.nics*b.vcs))
	}
	snapshot.Values(v, s.ports.slice(x.ports, ports))
	slots := uint32(last.slots)
	maps := last.maps + mapsOf(&b.spec, uint32(last.ports), slots)
	snapshot.Values(v, s.maps.slice(first.later, maps-first.later))
	snapshot.Values(v, s.due.slice(x.first*wheel*s.dueWords, x.count*wheel*s.dueWords))
	queues, granted := generalTables(&b.spec, uint32(last.ports), slots)
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
			snapshot.Values(v, s.published.slice(set*b.layout.nicPorts+x.ports, ports))
		}
	}
}

// state goes over what a block has of the general path besides its share of the arrays. What the
// parts keep for the router that is visited, or for an instant, means nothing between windows.
func (g *general) state(v *snapshot.Visitor) {
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
			x := g.b.share()
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
