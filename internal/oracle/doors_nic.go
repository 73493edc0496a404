package oracle

import (
	"slices"

	"fabricast/fabric"
	"fabricast/routing"
	"fabricast/topology"
)

// sender returns the flow from NIC src to NIC dst with the state of its sender.
func (d *doors) sender(src, dst int32) *fabric.Flow {
	i := d.spec.Doors.Injector
	return &fabric.Flow{
		Source: src, Destination: dst, NIC: d.words("sender", src, 0, i.NICState),
		State: d.words("sent", src, dst, i.FlowState),
	}
}

// allows reports whether the injector allows a NIC to send a packet now. If not, it schedules
// another attempt.
func (d *doors) allows(n *nic, p *packet) bool {
	i := d.spec.Doors.Injector
	if i == nil || i.Next == nil || p.control {
		return true
	}
	at := i.Next(d.sender(p.msg.Src, p.msg.Dst), d.departure(p, 0))
	if at > d.now {
		if at != fabric.Forever {
			d.hosts.injectAt(at, n)
		}
		if p.refused < 0 {
			p.refused = d.now
		}
		return false
	}
	if p.refused >= 0 {
		d.totals.Refused += d.now - p.refused
		p.refused = -1
	}
	return true
}

func (d *doors) departure(p *packet, now int64) *fabric.Departure {
	return &fabric.Departure{
		Now: now, Flits: p.wire / d.spec.Packet.Flit, Bytes: p.payload, Message: &p.msg.Message,
	}
}

// aim gives a packet that its NIC may send now its route in the current epoch.
func (d *doors) aim(p *packet) {
	p.epoch = d.epoch()
	var header uint64
	var vc uint8
	adaptive, _ := d.spec.Adaptive.(routing.Renewed)
	switch {
	case adaptive != nil && p.epoch > 0:
		header, vc, p.renewed = adaptive.StartEpoch(p.epoch, p.msg.Src, p.msg.Dst, p.coin)
	case d.spec.Routing == nil || d.hosts.perPacket() != nil:
		return
	default:
		header, vc = d.routing(p.epoch).Start(p.msg.Src, p.msg.Dst)
	}
	p.header = header
	if p.control || d.spec.Router.Injection != fabric.VCsInTurn {
		p.entry = int(vc)
	}
}

// sent notifies the injector that a packet is sent now.
func (d *doors) sent(p *packet) {
	if p.epoch > 0 && !p.control && d.otherWay(p) {
		d.totals.Rerouted++
	}
	if i := d.spec.Doors.Injector; i != nil && i.Sent != nil && !p.control {
		departure := d.departure(p, d.now)
		i.Sent(d.sender(p.msg.Src, p.msg.Dst), departure)
		p.meta = departure.Meta
	}
}

// otherWay reports whether a packet takes other links than without epochs.
func (d *doors) otherWay(p *packet) bool {
	return p.renewed || d.spec.Adaptive == nil && !slices.Equal(d.way(0, p), d.way(p.epoch, p))
}

// way returns the global ports through which the tables of an epoch lead a packet.
func (d *doors) way(epoch int, p *packet) (ports []int32) {
	g := d.spec.Graph
	header, _ := d.routing(epoch).Start(p.msg.Src, p.msg.Dst)
	for at := g.Ports[g.NICPort[p.msg.Src]].Router; ; {
		var out uint16
		out, _, header = d.routing(epoch).Next(at, header)
		ports = append(ports, g.PortBase[at]+int32(out))
		peer := g.Ports[ports[len(ports)-1]].Peer
		if peer == topology.Unconnected {
			return ports
		}
		at = g.Ports[peer].Router
	}
}

// moved calls the hook for a packet that is in memory. It reports whether the packet is a reply,
// which it passes to the injector.
func (d *doors) moved(n *nic, p *packet) (reply bool) {
	if p.control {
		m := p.msg
		d.feedback(m.Dst, m.Src, p.value, p.meta, d.now)
		d.totals.DeliveredPackets++
		d.totals.Messages--
		d.totals.Latency += d.now - p.injected
		delete(d.messages.messages, m.id)
		return true
	}
	h := d.spec.Doors.Hooks
	if h == nil || h.Eject == nil {
		return false
	}
	m := p.msg
	e := &fabric.Ejection{
		Flow: fabric.Flow{
			Source: m.Src, Destination: m.Dst, NIC: d.words("receiver", m.Dst, 0, h.NICState),
			State: d.words("received", m.Dst, m.Src, h.FlowState),
		},
		Now: d.now, Flits: p.wire / d.spec.Packet.Flit, Bytes: p.payload, Message: &m.Message, Meta: p.meta,
	}
	h.Eject(e)
	for _, r := range e.Replies {
		at := d.now + r.After
		if h.Delay > 0 {
			d.feedback(r.To, m.Dst, r.Value, 0, at+int64(h.Delay))
			continue
		}
		router, _ := d.switches.port(n.plug)
		d.plan(router.number, at, [4]int64{replyTask, int64(m.Dst), int64(r.To), unsigned(r.Value)}, func() {
			d.send(n, r.To, r.Value)
		})
	}
	return false
}

// unsigned converts x to a signed integer such that the order of unsigned integers is preserved.
func unsigned(x uint64) int64 { return int64(x ^ 1<<63) }

// feedback passes a value to the injector of a NIC at the given time (ps).
func (d *doors) feedback(nic, from int32, value, meta uint64, at int64) {
	n := &d.hosts.nics[nic]
	router, _ := d.switches.port(n.plug)
	order := [4]int64{feedbackTask, int64(nic), int64(from), unsigned(value)}
	d.plan(router.number, at, order, func() {
		if i := d.spec.Doors.Injector; i != nil && i.Feedback != nil {
			i.Feedback(d.sender(nic, from), &fabric.Feedback{Now: d.now, Value: value, Meta: meta})
		}
		d.hosts.injectAt(d.now, n)
	})
}

// send makes a NIC send a reply.
func (d *doors) send(n *nic, to int32, value uint64) {
	id, _ := d.messages.NewMessage()
	m := d.messages.message(id)
	m.Src, m.Dst, m.SrcRank, m.Post = int32(n.number), to, -1, d.now
	d.totals.Messages++
	p := &packet{msg: m, last: true, control: true, value: value, wire: d.spec.Packet.Wire(0), turn: n.repliesMade}
	if r := d.hosts.perPacket(); r != nil {
		p.coin = mix(mix(mix(d.spec.Seed)^uint64(n.number)) ^ (1<<63 | n.repliesMade))
		header, vc := r.StartPacket(m.Src, m.Dst, p.coin)
		p.header, p.entry = header, int(vc)
	}
	n.repliesMade++
	n.replies = append(n.replies, p)
	d.hosts.injectAt(d.now, n)
}

// injectReply injects the first reply of a NIC if it can start now.
func (h *hosts) injectReply(n *nic) {
	p := n.replies[0]
	if h.now < n.server.end {
		h.injectAt(n.server.end, n)
		return
	}
	h.doors.aim(p)
	if n.credit[p.entry] < h.nicNeeds(p) {
		return
	}
	h.spend(&n.credit[p.entry], p.wire)
	tail := n.server.transfer(h.now, p.wire)
	n.replies = n.replies[1:]
	h.doors.totals.Notified++
	h.launch(n, p, tail)
}
