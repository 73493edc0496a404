package fabric

// hold is the last time in which an output channel was held by a packet that waited for space there.
type hold struct {
	from, to int64 // ps; to is Forever while it lasts
}

// held notes that a packet begins to hold an output channel, given by its slot, for want of space.
func (x *observer) held(out uint32) {
	h := &x.holds[out]
	if h.to != Forever {
		*h = hold{x.b.now, Forever}
	}
}

// creditAt is for how long a packet that asked at a time has waited for a held output channel.
func (h *hold) creditAt(asked, now int64) int64 {
	return max(0, min(now, h.to)-max(asked, h.from))
}

// starts counts a packet that starts through the crossbar now, before anything but its queue has been changed for it.
func (x *observer) starts(slot, id uint32, p *parcel) {
	g, b := x.b.general, x.b
	in := g.inlets.at(g.lanes + slot)
	out := uint32(p.out)
	asked := p.ready
	if !g.voq {
		asked = in.ask
	}
	asked = max(asked, p.ready)
	port := g.ports.at(g.firstPort + uint32(*g.portOf.at(out)))
	inFree := int64(0)
	if last := g.ports.at(g.firstPort + uint32(g.ports.at(g.firstPort+uint32(*g.portOf.at(slot))).feeds)); uint32(last.feeder) == uint32(*g.portOf.at(slot)) {
		inFree = last.free
	}
	h := &x.holds[g.lanes+out-x.firstLane]
	credit := max(b.now-max(asked, port.free, inFree), h.creditAt(asked, b.now))
	if h.to == Forever {
		h.to = b.now
	}
	wait := x.split(asked, port.free, inFree, credit)
	flits := uint32(p.flits & flitMask)
	x.noteWaits(g.firstPort+uint32(*g.portOf.at(out))-x.firstPort, wait)
	if x.buffers != nil {
		x.pileUpGeneral(g.lanes + slot)
		x.pile = append(x.pile, piled{int64(flits), p.ready}) // it has been taken out of its queue
		x.measure(g.lanes + slot - x.firstLane)
	}
	if x.logs(g.r.number) {
		x.passage(g.r, slot, out, p.msg, flits, p.ready, asked, wait)
	}
}

// noteWaits adds what the packet waited for that comes to the link now, or to its output buffer.
func (x *observer) noteWaits(link uint32, wait tally) {
	for what, time := range wait {
		if time > 0 {
			x.wait(link, what, time)
		}
	}
}

// pileUpGeneral is pileUp on the general path.
func (x *observer) pileUpGeneral(lane uint32) {
	g := x.b.general
	in := g.inlets.at(lane)
	x.pile = x.pile[:0]
	for _, l := range []list{in.here, in.coming} {
		for id := l.first; id != 0; id = g.pool.parcels.at(id).next {
			p := g.pool.parcels.at(id)
			x.pile = append(x.pile, piled{int64(p.flits & flitMask), p.ready})
		}
	}
	if g.voq && !g.adaptive {
		x.pileUpQueues(lane)
	}
}

// pileUpQueues adds the packets in the virtual output queues of a lane.
func (x *observer) pileUpQueues(lane uint32) {
	g := x.b.general
	number := uint32(g.b.spec.Graph.Ports[lane/g.vcs].Router)
	r, s := g.b.routers.at(number), g.routers.at(number)
	slot, slots := lane-r.lanes, uint32(r.slots)
	for out := range slots {
		if !g.wishes(s, slot).has(out) {
			continue
		}
		q := g.queues.at(s.queues + slot*slots + out)
		for id := q.first; ; id = g.pool.parcels.at(id).next {
			p := g.pool.parcels.at(id)
			x.pile = append(x.pile, piled{int64(p.flits & flitMask), p.ready})
			if id == q.last {
				break
			}
		}
	}
}
