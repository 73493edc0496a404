package switched

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/nic"
	"fabricast/fabric/internal/stage"
	"fabricast/fabric/model"
	"fabricast/routing"
)

// tryNIC makes a NIC of a router of the block try to send now.
func (d *Doors) tryNIC(r *core.Router, nic uint32) {
	d.b.Events.SetEarlier(r, uint32(r.Wakes)+nic-r.FirstNIC, d.b.Events.Now)
}

// flowAt returns a flow with the state of its sender or its receiver, whichever is nic.
func (d *Doors) flowAt(t *flowTable, nics *core.Array[uint64], words int, nic, src, dst int32) *model.Flow {
	other := dst
	if nic == dst {
		other = src
	}
	d.flow = model.Flow{
		Source: src, Destination: dst,
		NIC: stateOf(nics, uint32(nic), words), State: t.of(nic, other),
	}
	return &d.flow
}

// sender returns a flow with the state of its sender. There must be an injector.
func (d *Doors) sender(src, dst int32) *model.Flow {
	return d.flowAt(&d.senders, &d.all.senders, d.Injector.NICState, src, src, dst)
}

// inject is like Routers.inject, for networks with doors. Any event that may allow the NIC to send
// sets its timer.
func (d *Doors) inject(timer uint32) {
	b, g := d.b, d.g
	id := g.R.FirstNIC + timer - uint32(g.R.Wakes)
	n, own := b.Send.NICs.At(id), d.all.NICs.At(id)
	switch {
	case own.down: // it tries again when it is up
	case own.head|own.lost != 0 && n.Free > b.Events.Now:
		b.Events.SetEarlier(g.R, timer, n.Free)
	case own.head != 0:
		d.injectReply(timer, id, n, own)
	case own.lost != 0:
		d.injectAgain(timer, id, n, own)
	case n.Fetched == 0:
	case n.Next() > b.Events.Now:
		b.Events.SetEarlier(g.R, timer, n.Next())
	default:
		d.injectPacket(timer, id, n, own)
	}
}

// injectPacket sends the next packet of a NIC, if the injector allows it and there is credit.
func (d *Doors) injectPacket(timer, id uint32, n *nic.Sender, own *doorNIC) {
	b, g := d.b, d.g
	m, size := b.Messages.At(model.MsgID(n.Head)), b.Send.NextSize(n)
	if i := d.Injector; i != nil && i.Next != nil && !d.allows(timer, m, size, own) {
		return
	}
	epoch := d.epochAt(b.Events.Now)
	other := false
	switch {
	case epoch == 0:
	case d.renewed != nil:
		var vc uint8
		n.Route, vc, other = d.renewed.StartEpoch(int(epoch), m.Src, m.Dst, routing.Coin(b.Spec.Seed, m.Src, n.Packets))
		n.VC = uint32(vc)
	default:
		index, route, vc := d.enter(epoch, g.R.Number, m)
		n.Out, n.Route, n.VC = index, route, uint32(vc)
	}
	if g.injectInTurn {
		n.VC = uint32(n.Packets % uint64(g.NumVCs))
	}
	if !d.credited(timer, id, n, n.VC, g.Out.Flow.NicNeeds(n, size)) {
		if g.Observer != nil {
			n.Stalled = true
		}
		return
	}
	flits := size & core.FlitMask
	if g.Observer != nil {
		g.Observer.Injected(id, n, uint32(flits))
	}
	if other || epoch > 0 && d.renewed == nil && d.otherWay(g.R.Number, m, epoch) {
		b.Counters.Rerouted++
	}
	x := core.Rider{Epoch: epoch, Number: uint32(n.Packets)}
	if i := d.Injector; i != nil && i.Sent != nil {
		d.depart(m, size, b.Events.Now)
		i.Sent(d.sender(m.Src, m.Dst), &d.departure)
		x.Meta = d.departure.Meta
	}
	class := d.injects(id, own)
	tail := b.Send.Send(n, int64(flits), class.Inject)
	d.enterRouter(id, n.VC, core.Packet{Time: b.Events.Now + class.Entry, Route: n.Route, Msg: model.MsgID(n.Head), Flits: size, Out: n.Out}, x, tail)
	if b.Advance(g.R, id, n) {
		b.Events.SetEarlier(g.R, timer, n.Next())
	}
}

// allows reports whether the injector allows a NIC to send its next packet now, and counts for how
// long it did not. If it names a later time, the NIC tries again then.
func (d *Doors) allows(timer uint32, m *model.Message, size uint16, own *doorNIC) bool {
	now := d.b.Events.Now
	d.depart(m, size, 0)
	at := d.Injector.Next(d.sender(m.Src, m.Dst), &d.departure)
	switch {
	case at <= now && own.refused != 0:
		d.b.Counters.Refused += now + 1 - own.refused
		own.refused = 0
	case at > now && own.refused == 0:
		own.refused = now + 1
	}
	if at > now && at != model.Forever {
		d.b.Events.SetEarlier(d.g.R, timer, at)
	}
	return at <= now
}

// depart describes a packet to the injector.
func (d *Doors) depart(m *model.Message, size uint16, now int64) {
	d.departure = model.Departure{
		Now: now, Flits: int64(size & core.FlitMask), Bytes: d.b.Receive.PayloadOf(m, size), Message: m,
	}
}

// credited reports whether a NIC has credit for the given number of flits on a VC. If not, the next
// return of credit sets its timer.
func (d *Doors) credited(timer, id uint32, n *nic.Sender, vc uint32, flits int32) bool {
	o := d.g.Out.VCs.At(d.b.Layout.FirstNICVC + id*d.g.NumVCs + vc)
	if d.g.Out.Credited(o, flits) {
		return true
	}
	if o.Wanted = o.N == 0; !o.Wanted {
		d.b.Events.SetEarlier(d.g.R, timer, o.Next())
	}
	return false
}

// enterRouter puts a packet that a NIC sends now through a VC into the buffer of its router, unless the link
// loses it. Its tail leaves the NIC at the time tail (ps).
func (d *Doors) enterRouter(id, vc uint32, p core.Packet, x core.Rider, tail int64) {
	g := d.g
	port := &d.b.Spec.Graph.Ports[d.b.Spec.Graph.NICPort[id]]
	if d.failsUnder(uint32(d.b.Spec.Graph.NICPort[id]), true, tail+d.b.Classes.At(uint32(port.Link)).Credit) {
		d.expectAgain(p.Msg, p.Flits, x, tail)
		return
	}
	g.Out.VCs.At(d.b.Layout.FirstNICVC + id*g.NumVCs + vc).Credit -= int32(p.Flits & core.FlitMask)
	if port, taken := d.takenAt(g.R.Number, p.Msg, p.Flits, &x); taken {
		p.Out = uint16(port*g.NumVCs + vc)
		m := d.b.Messages.At(p.Msg)
		p.Route, _ = d.routingOf(x.Epoch).Start(m.Src, m.Dst)
	}
	number := uint32(d.b.Spec.Graph.NICPort[id])*g.NumVCs + vc
	packet := g.pushNew(g.R.Number, number, p, uint32(tail-d.b.Events.Now))
	*d.riders.At(packet) = x
}

// injectReply sends the first reply of a NIC whose link is free, if there is credit.
func (d *Doors) injectReply(timer, id uint32, n *nic.Sender, own *doorNIC) {
	b := d.b
	msg := model.MsgID(own.head)
	m := b.Messages.At(msg)
	x := core.Rider{Epoch: d.epochAt(b.Events.Now), Control: true, Number: uint32(own.Packets)}
	// replies have other random coins than packets
	index, route, vc, _ := d.aim(m, x.Epoch, 1<<63|own.Packets)
	size := uint16(b.Flits(0)) | core.LastPacket
	if !d.credited(timer, id, n, uint32(vc), d.replyNeeds(msg, uint32(vc), size)) {
		return
	}
	if own.head = m.Next; own.head == 0 {
		own.tail = 0
	}
	own.Packets++
	own.Flits += uint64(size & core.FlitMask)
	b.Counters.Packets++
	b.Counters.Notified++
	b.Counters.InjectSum += b.Events.Now
	d.sendBeside(timer, id, uint32(vc), core.Packet{Route: route, Msg: msg, Flits: size, Out: index}, x)
}

// aim returns the route of a packet that is none of the NIC's next message, from the active router on, and
// whether it is other than without epochs. coin is the number of its random coin.
func (d *Doors) aim(m *model.Message, epoch uint16, coin uint64) (index uint16, route uint64, vc uint8, other bool) {
	b, router := d.b, d.g.R.Number
	if b.PerPacket == nil {
		index, route, vc = d.enter(epoch, router, m)
		return index, route, vc, epoch > 0 && d.otherWay(router, m, epoch)
	}
	coin = routing.Coin(b.Spec.Seed, m.Src, coin)
	if epoch == 0 || d.renewed == nil {
		route, vc = b.PerPacket.StartPacket(m.Src, m.Dst, coin)
	} else {
		route, vc, other = d.renewed.StartEpoch(int(epoch), m.Src, m.Dst, coin)
	}
	if b.Spec.Adaptive == nil {
		route, index = b.Onward(router, route)
	}
	return index, route, vc, other
}

// sendBeside sends a packet that is none of the NIC's next message now.
func (d *Doors) sendBeside(timer, id, vc uint32, p core.Packet, x core.Rider) {
	b, n := d.b, d.b.Send.NICs.At(id)
	class := d.injects(id, d.all.NICs.At(id))
	if n.Free != b.Events.Now {
		n.LinkPart = 0
	}
	took, left := class.Inject.Duration(int64(p.Flits&core.FlitMask)*b.Spec.Packet.Flit, n.LinkPart)
	n.LinkPart, n.Free = left, b.Events.Now+took
	p.Time = b.Events.Now + class.Entry
	d.enterRouter(id, vc, p, x, n.Free)
	b.Events.SetEarlier(d.g.R, timer, n.Free)
}

// replyNeeds returns the number of flits that must be free in the router's buffer for a reply.
func (d *Doors) replyNeeds(msg model.MsgID, vc uint32, size uint16) int32 {
	f := &d.g.Out.Flow
	if f.Own == nil {
		return int32(size & core.FlitMask)
	}
	return f.OnVC(msg, vc, size)
}

// queueReply passes a reply to a NIC of the active router for sending.
func (d *Doors) queueReply(r *core.Router, w *work) {
	b := d.b
	id, m := b.Messages.Add()
	m.Src, m.Dst, m.SrcRank = int32(w.nic), int32(w.from), -1
	m.Sent, m.Post, m.Left = int64(w.value), b.Events.Now, 1
	b.Ahead.Under(id, 0)
	n := d.all.NICs.At(w.nic)
	if n.head == 0 {
		n.head = uint32(id)
	} else {
		b.Messages.At(model.MsgID(n.tail)).Next = uint32(id)
	}
	n.tail = uint32(id)
	d.tryNIC(r, w.nic)
}

// eject moves a packet into the memory of a host. It implements Routers.eject for networks with
// doors.
func (d *Doors) eject(id uint32, c *stage.CrossbarPort, port, vc uint32, msg model.MsgID, flits uint16, leave int64) {
	b, g := d.b, d.g
	class := b.Classes.At(uint32(c.Class))
	end, all := b.Receive.Move(c.NIC(), msg, flits, leave+class.Tail)
	g.Out.GiveBack(g.R, g.R.FirstVC+port*g.NumVCs+vc, end+class.Credit, flits)
	x, m := *d.riders.At(id), b.Messages.At(msg)
	at := end + b.BusLatency
	if x.Control {
		value := uint64(m.Sent)
		d.schedule(g.R.Number, work{
			at: at, kind: takeFeedback, nic: uint32(m.Dst), from: uint32(m.Src), value: value, meta: x.Meta,
		})
		b.Release(msg)
		return
	}
	if h := d.Hooks; h != nil && h.Eject != nil {
		e := &d.ejection
		*e = model.Ejection{
			Flow: *d.flowAt(&d.receivers, &d.all.receivers, h.NICState, m.Dst, m.Src, m.Dst),
			Now:  at, Flits: int64(flits & core.FlitMask), Bytes: b.Receive.PayloadOf(m, flits), Message: m,
			Meta: x.Meta, Replies: e.Replies[:0],
		}
		h.Eject(e)
		for i := range e.Replies {
			d.reply(m.Dst, at, &e.Replies[i])
		}
	}
	if all {
		b.Endpoint.Delivered(b.Send.HostOf(m.Dst), msg, at)
	}
}

// reply handles a reply that a NIC makes at the time `at` (ps).
func (d *Doors) reply(nic int32, at int64, p *model.Reply) {
	if p.After < 0 {
		panic(errReply)
	}
	delay := int64(d.Hooks.Delay)
	if delay == 0 {
		d.schedule(d.g.R.Number, work{
			at: at + p.After, kind: sendReply, nic: uint32(nic), from: uint32(p.To), value: p.Value,
		})
		return
	}
	router := d.b.Hosts[d.b.Send.HostOf(p.To)]
	w := work{
		at: at + p.After + delay, kind: takeFeedback, nic: uint32(p.To), from: uint32(nic), value: p.Value,
	}
	if router-d.b.First < d.b.Count {
		d.schedule(router, w)
		return
	}
	d.b.Mail.SendFeedback(router, core.FeedbackMail{At: w.at, Value: w.value, NIC: w.nic, From: w.from})
}

// takeFeedback passes feedback to the injector of a NIC of the active router.
func (d *Doors) takeFeedback(r *core.Router, w *work) {
	if i := d.Injector; i != nil && i.Feedback != nil {
		f := model.Feedback{Now: d.b.Events.Now, Value: w.value, Meta: w.meta}
		i.Feedback(d.sender(int32(w.nic), int32(w.from)), &f)
	}
	d.tryNIC(r, w.nic)
}
