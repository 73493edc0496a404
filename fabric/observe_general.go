package fabric

// hold is the last period in which an output VC was held by a packet that waited for space.
type hold struct {
	from, to int64 // ps; to is Forever while it lasts
}

// held records that a packet begins to hold an output VC because it lacks space.
func (x *observer) held(out uint32) {
	h := &x.holds[out-x.firstLane]
	if h.to != Forever {
		*h = hold{x.events.now, Forever}
	}
}

// creditAt returns how long (ps) a packet that asked at the time `asked` has waited for a held
// output VC.
func (h *hold) creditAt(asked, now int64) int64 {
	return max(0, min(now, h.to)-max(asked, h.from))
}

// starts counts a packet that starts through the crossbar now. Only the packet's queue may have
// been changed for it before.
func (x *observer) starts(slot, id uint32, p *parcel) {
	g := x.general
	in := g.in.at(slot)
	out := uint32(p.out)
	asked := p.ready
	if !g.voq {
		asked = in.ask
	}
	if g.separate {
		asked = g.alloc.askedAt(slot).crossbar
	}
	asked = max(asked, p.ready)
	port := g.crossbar.at(uint32(*g.portOf.at(out)))
	inFree := int64(0)
	from := g.port(slot)
	if last := g.crossbar.at(uint32(g.crossbar.at(from).feeds)); uint32(last.feeder) == from {
		inFree = last.free
	}
	h := &x.holds[g.r.lanes+out-x.firstLane]
	credit := max(x.events.now-max(asked, port.free, inFree), h.creditAt(asked, x.events.now))
	if h.to == Forever {
		h.to = x.events.now
	}
	ready := p.ready + g.alloc.grantTime
	if g.separate { // what it waited for a virtual channel counts with what it waited for credit
		first := g.alloc.askedAt(slot).vc + g.alloc.grantTime
		asked, credit = first, credit+asked-first
	}
	wait := x.split(asked, port.free, inFree, credit)
	flits := uint32(p.flits & flitMask)
	x.noteWaits(g.r.ports+uint32(*g.portOf.at(out))-x.firstPort, wait)
	if x.buffers != nil {
		x.pileUpGeneral(g.r.lanes + slot)
		x.pile = append(x.pile, piled{int64(flits), ready}) // it has been taken out of its queue
		x.measure(g.r.lanes + slot - x.firstLane)
	}
	if x.logs(g.r.number) {
		x.passage(g.r, slot, out, x.messages.at(p.msg), flits, ready, asked, wait)
	}
}

// noteWaits adds the waits of a packet that reaches the link, or its output buffer, now.
func (x *observer) noteWaits(link uint32, wait tally) {
	for what, time := range wait {
		if time > 0 {
			x.wait(link, what, time)
		}
	}
}

// pileUpGeneral implements pileUp for the general path.
func (x *observer) pileUpGeneral(lane uint32) {
	g := x.general
	in := g.in.inlets.at(lane)
	x.pile = x.pile[:0]
	for _, l := range []list{in.here, in.coming} {
		for id := l.first; id != 0; id = g.pool.parcels.at(id).next {
			p := g.pool.parcels.at(id)
			x.pile = append(x.pile, piled{int64(p.flits & flitMask), p.ready + g.alloc.grantTime})
		}
	}
	if g.voq && !g.adaptive {
		x.pileUpQueues(lane)
	}
}

// pileUpQueues adds the packets in the virtual output queues of a lane.
func (x *observer) pileUpQueues(lane uint32) {
	g := x.general
	number := uint32(x.spec.Graph.Ports[lane/g.vcs].Router)
	r, s := x.events.routers.at(number), g.all.routers.at(number)
	slot, slots := lane-r.lanes, uint32(r.slots)
	for out := range slots {
		if !g.all.wishes(s, slot).has(out) {
			continue
		}
		q := g.in.queues.at(s.queues + slot*slots + out)
		for id := q.first; ; id = g.pool.parcels.at(id).next {
			p := g.pool.parcels.at(id)
			x.pile = append(x.pile, piled{int64(p.flits & flitMask), p.ready + g.alloc.grantTime})
			if id == q.last {
				break
			}
		}
	}
}
