package fabric

// outputLinks holds the output buffers of a block's routers, and the links behind them.
type outputLinks struct {
	shape
	events  *eventWheel
	wheel   *dueWheel
	pool    *parcelPool
	arbiter *arbiter
	out     *outputVCs
	buffers array[outBuffer]
	links   array[outLink]
	rates   array[rate] // by class of links
	flit    int64       // bytes
	post    int64       // ps through the crossbar to the output buffer

	// of the visited router
	here        part[outLink]
	buffersHere part[outBuffer]
	busy        bitmap // ports whose links have something to look for
	words       uint32 // of it
}

func newOutputLinks(g *stages) outputLinks {
	spec := &g.b.spec
	rates := make([]rate, len(spec.Links))
	for i, link := range spec.Links {
		rates[i] = newRate(int64(link.Bandwidth))
	}
	return outputLinks{
		shape: g.shape, events: g.events, wheel: &g.wheel, pool: &g.pool, arbiter: &g.arbiter,
		out: &g.out, buffers: g.all.buffers, links: g.all.links, rates: arrayOf(rates),
		flit: spec.Packet.Flit, post: int64(spec.Router.SwitchTraversal) + int64(spec.Router.Latency),
		busy: newBitmap(wordsOf(int(g.portOf.n))),
	}
}

// enter makes a router the visited one.
func (l *outputLinks) enter(r *routerState, x *generalRouter) {
	l.here = l.links.from(r.ports)
	l.buffersHere = l.buffers.from(r.lanes)
	l.words = uint32(x.words)
}

// at returns a link of the visited router.
func (l *outputLinks) at(port uint32) *outLink { return l.here.at(port) }

// bufferAt returns an output buffer of the visited router.
func (l *outputLinks) bufferAt(out uint32) *outBuffer { return l.buffersHere.at(out) }

// buffer puts a packet that starts through the crossbar now into its output buffer. Its tail leaves
// the input buffer at `leave` (ps).
func (l *outputLinks) buffer(o *outlet, id uint32, p *parcel, leave int64) {
	out := uint32(p.out)
	flits := int32(p.flits & flitMask)
	buf := l.bufferAt(out)
	buf.room -= flits
	l.out.spend(out, buf.room)
	buf.inside += flits
	p.ready, p.span = l.events.now+l.post, uint32(leave-l.events.now)
	q := &buf.queue
	idle := q.first == 0
	l.pool.add(q, id, p)
	if idle && p.ready >= l.at(l.port(out)).free {
		l.out.arm(out, o, p.ready)
	}
}

// first returns the output slot of the packet that a link takes now: the first in the arbitration
// order that is in its output buffer and has credit. It returns false if there is none or the link
// is busy.
func (l *outputLinks) first(port uint32) (out uint32, ok bool) {
	link := l.at(port)
	if link.free > l.events.now || link.down {
		return 0, false
	}
	first := port * l.vcs
	chosen, key := l.vcs, Rank{}
	for vc := range l.vcs {
		p := l.atLink(first + vc)
		if p == nil {
			continue
		}
		if k := l.linkKey(link, first, vc, p); chosen == l.vcs || k.before(key) {
			chosen, key = vc, k
		}
	}
	return first + chosen, chosen < l.vcs
}

// atLink returns the first packet of an output buffer, if it has arrived there and has credit. If
// only credit is missing, it arms the timer for the credit's return.
func (l *outputLinks) atLink(out uint32) *parcel {
	id := l.bufferAt(out).queue.first
	if id == 0 {
		return nil
	}
	p := l.pool.parcels.at(id)
	if p.ready > l.events.now {
		return nil
	}
	o := l.out.at(out)
	if l.out.credited(o, l.out.flow.linkNeeds(out, p)) {
		return p
	}
	if !o.armed {
		l.out.wantCredit(out, o)
	}
	return nil
}

// linkKey returns the rank of a packet that requests a link whose first output slot is `first`.
func (l *outputLinks) linkKey(link *outLink, first, vc uint32, p *parcel) Rank {
	buf := l.bufferAt(first + vc)
	h := past{granted: buf.granted}
	if l.arbiter.memory == LastGrant {
		h.turn = int64((vc + l.vcs - link.last) % l.vcs)
	}
	return l.arbiter.order(p, max(p.ready, buf.left), h)
}

// start moves the first packet of an output buffer onto the link. Its tail leaves at `leave` (ps).
func (l *outputLinks) start(port, out uint32, class uint16) (id uint32, p *parcel, leave int64) {
	link, buf, o := l.at(port), l.bufferAt(out), l.out.at(out)
	now := l.events.now
	id = buf.queue.first
	p = l.pool.parcels.at(id)
	buf.queue.first = p.next
	flits := int32(p.flits & flitMask)
	o.credit -= flits
	buf.inside -= flits
	if link.free != now {
		link.fraction = 0
	}
	var took int64
	took, link.fraction = l.rates.at(uint32(class)).duration(int64(flits)*l.flit, link.fraction)
	leave = max(now+took, p.ready+int64(p.span))
	link.free, link.leaving, link.flits, link.last = leave, out, uint32(flits), out-port*l.vcs+1
	buf.left, buf.granted = leave, now+1
	l.wheel.armHere(l.wheel.timers.links+port, leave)
	if next := buf.queue.first; next != 0 {
		if at := l.pool.parcels.at(next).ready; at > leave {
			l.out.arm(out, o, at)
		}
	}
	return id, p, leave
}

// freed records that a link has become free, with the space in the output buffer (the slot
// returned) of the packet that has left.
func (l *outputLinks) freed(port uint32) (out uint32) {
	link := l.at(port)
	l.bufferAt(link.leaving).room += int32(link.flits)
	l.busy.set(port)
	return link.leaving
}
