package fabric

import (
	"errors"
)

var (
	errReply  = errors.New("fabricast: a hook replies before a packet has come")
	errHandle = errors.New("fabricast: an agent posts a packet that it does not hold")
	errMany   = errors.New("fabricast: an agent consumes a packet of a message of several")
	errPost   = errors.New("fabricast: an agent sends a packet that is too large, or in the past")
)

// isAgent reports whether a port of the visited router is that of its agent.
func (d *doors) isAgent(port uint32) bool {
	return d.Agent != nil && port == uint32(d.b.agents[d.g.r.number])
}

// takenAt reports whether the agent of a router takes a packet, and by which port.
func (d *doors) takenAt(router uint32, msg MsgID, flits uint16, x *rider) (port uint32, taken bool) {
	if d.Agent == nil || d.b.agents[router] == noAgent {
		return 0, false
	}
	d.passing = Passing{
		Router: d.b.name(router), Flits: int64(flits & flitMask), Message: d.b.messages.at(msg),
		Control: x.control, Meta: x.meta,
	}
	return uint32(d.b.agents[router]), d.Agent.Takes(&d.passing)
}

// take moves a packet into the agent of the visited router, by VC vc of its port. Its tail leaves
// the crossbar or the output buffer at `leave` (ps).
func (d *doors) take(id uint32, p *parcel, port, vc uint32, leave int64) {
	at := leave + int64(d.Agent.Delay)
	if r := &d.b.spec.Router; !d.g.buffered {
		at += int64(r.SwitchTraversal) + int64(r.Latency)
	}
	d.counts.inside++
	d.g.out.giveBack(d.g.r, d.g.r.lanes+port*d.g.vcs+vc, at, p.flits)
	d.schedule(d.g.r.number, work{at: at, kind: agentTakes, parcel: id})
}

// arrive gives a packet to the agent of the visited router.
func (d *doors) arrive(w *work) {
	p, x := d.g.pool.parcels.at(w.parcel), d.riders.at(w.parcel)
	a, router := &d.taken, d.g.r.number
	*a = Taken{
		Passing: Passing{
			Router: d.b.name(router), Flits: int64(p.flits & flitMask), Message: d.b.messages.at(p.msg),
			Control: x.control, Meta: x.meta,
		},
		Now: d.b.events.now, InPort: x.from, State: stateOf(&d.all.agents, router, d.Agent.State),
		Handle: uint64(w.parcel), Posts: a.Posts[:0],
	}
	d.Agent.Arrive(a)
	switch a.Fate {
	case Held:
		x.held = true
	case Consumed:
		d.consume(w.parcel, p)
	default:
		x.meta = a.Meta
		p.route, p.out = d.onward(router, p.route, x.epoch)
		d.enqueue(w.parcel, p)
	}
	for i := range a.Posts {
		d.prepare(&a.Posts[i])
	}
}

// consume removes a packet from the network, and its message.
func (d *doors) consume(id uint32, p *parcel) {
	b, m := d.b, d.b.messages.at(p.msg)
	if m.Size > b.payload || d.riders.at(id).control {
		panic(errMany)
	}
	b.ahead.over(p.msg, m.Size)
	b.release(p.msg)
	b.counters.arriveSum += b.events.now
	d.counts.inside--
	d.counts.consumed++
	d.g.pool.give(id, p)
}

// prepare makes the packet of a post, and sends it when it is time.
func (d *doors) prepare(s *Post) {
	id := uint32(s.Handle)
	var p *parcel
	if s.After < 0 {
		panic(errPost)
	}
	if id == 0 {
		id, p = d.create(s)
	} else {
		if p = d.g.pool.parcels.at(id); !d.riders.at(id).held {
			panic(errHandle)
		}
		d.riders.at(id).held = false
	}
	x := d.riders.at(id)
	x.meta = s.Meta
	if s.Port == ByRoute {
		p.route, p.out = d.onward(d.g.r.number, p.route, x.epoch)
	} else {
		p.out = uint16(uint32(s.Port)*d.g.vcs + uint32(s.VC))
	}
	if s.After > 0 {
		d.schedule(d.g.r.number, work{at: d.b.events.now + s.After, kind: agentPosts, parcel: id})
		return
	}
	d.enqueue(id, p)
}

// create makes a packet with its message.
func (d *doors) create(s *Post) (uint32, *parcel) {
	b := d.b
	if s.Message.Size > b.payload || s.Message.Size < 0 {
		panic(errPost)
	}
	msg, m := b.messages.add()
	*m = s.Message
	m.Post, m.Left, m.Next, m.Flags = b.events.now, 1, 0, m.Flags&^HasExtra
	b.ahead.under(msg, m.Size)
	b.counters.injectSum += b.events.now
	d.counts.inside++
	d.counts.made++
	id, p := d.g.pool.take()
	epoch := d.epochAt(b.events.now)
	header, _ := d.routingOf(epoch).Start(m.Src, m.Dst)
	*p = parcel{msg: msg, flits: uint16(b.flits(m.Size)) | lastPacket, route: header}
	*d.riders.at(id) = rider{epoch: epoch}
	return id, p
}

// post sends a packet whose time has come.
func (d *doors) post(w *work) { d.enqueue(w.parcel, d.g.pool.parcels.at(w.parcel)) }

// enqueue puts a packet into the input buffer of the agent's port of the visited router.
func (d *doors) enqueue(id uint32, p *parcel) {
	r := d.g.r
	d.counts.inside--
	p.ready, p.span = d.b.events.now+d.b.spec.Router.pre(), 0
	vc := uint32(p.out) % d.g.vcs
	d.g.in.push(r, r.lanes+uint32(d.b.agents[r.number])*d.g.vcs+vc, id, p)
}
