package nic

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"

	"fabricast/internal/causes"
	"fabricast/routing"
)

// The latency of a message is divided along the last packet that its NIC sends: first the time until
// the NIC sends it, then its way through the routers, then its transfer to memory. What is charged
// always continues where the last charge ended (core.Division.At), so the parts sum to the latency.

// Divide makes NICs divide the latencies of messages, and report them to a sink. If hops is set, the
// routers charge the fixed times of each hop. Otherwise the sending NIC charges those of the whole
// route, routers charge some of the waits, and the receiving NIC charges the rest. alike says that all links
// between routers have one latency, so that it is enough to count those of a route.
func (b *NICs) Divide(sink model.Sink, hops, alike bool) {
	b.Send.divides, b.Send.hops = true, hops
	if alike {
		b.Send.counting, _ = b.Spec.Routing.(routing.Counting)
	}
	b.Receive.sink, b.Receive.block, b.Receive.hops = sink, b.Index, hops
}

// Begins starts the division of the message whose next packet a NIC sends when it has credit, if
// that is the message's first packet.
func (s *Senders) Begins(n *Sender) {
	m := s.messages.At(model.MsgID(n.Head))
	if !s.divides || n.InjectLeft != m.Size {
		return
	}
	d := s.messages.Divide(model.MsgID(n.Head), m.Post)
	s.chargeStart(n, d, s.BusLatency)
}

// chargeStart charges the time until a NIC may send its next packet, apart from credit. The transfer
// of the packet from memory is never avoidable. The rest is waiting for other packets. Before the
// transfer passes the time `before` (ps).
func (s *Senders) chargeStart(n *Sender, d *core.Division, before int64) {
	took, rest := s.DMA.Duration(min(n.InjectLeft, s.Payload), 0)
	if rest > 0 {
		took++
	}
	next := n.Next()
	d.Charge(causes.SendDMA, min(took+before, next-d.At))
	d.Reach(causes.NICQueue, next)
}

// Starved charges the time that a NIC has waited for credit until now, in a message of several
// packets that are not charged one by one.
func (s *Senders) Starved(n *Sender) {
	if s.divides && n.InjectLeft > s.Payload && !s.eachPacket(n) {
		s.messages.Division(model.MsgID(n.Head)).Charge(causes.InjectionCredit, s.events.Now-n.Next())
	}
}

// eachPacket reports whether all packets of the message that a NIC sends pass Send. Otherwise, some
// of them leave as a burst or a stream.
func (s *Senders) eachPacket(n *Sender) bool {
	return n.Paced || s.uneven || s.Turns != nil || !s.Bursts
}

// charge charges the time of the packet that a NIC sends now. Its tail leaves at the time tail, and
// after a pause the link is free at the time `free` (ps).
func (s *Senders) charge(n *Sender, tail, free int64) {
	m := s.messages.At(model.MsgID(n.Head))
	d := s.messages.Division(model.MsgID(n.Head))
	if s.sink == nil {
		s.chargePacket(n, m, d, tail, free)
		return
	}
	since, queued := d.At, d.Part(causes.NICQueue)
	if n.InjectLeft == m.Size {
		since, queued = m.Post, 0
	}
	s.chargePacket(n, m, d, tail, free)
	if d.Begun {
		s.injected(n, m, since, d.Part(causes.NICQueue)-queued, free)
	}
}

// chargePacket implements charge for a packet of m with the division d.
func (s *Senders) chargePacket(n *Sender, m *model.Message, d *core.Division, tail, free int64) {
	last, first := n.InjectLeft <= s.Payload, n.InjectLeft == m.Size
	switch {
	case first && (last || s.eachPacket(n)):
		s.Begins(n)
	case s.eachPacket(n):
		s.chargeStart(n, d, 0)
	case !last:
		return
	default:
		before := int64(s.Spec.Packet.Count(m.Size)-1) * s.MaxFlits * s.flitTime
		d.Charge(causes.Serialization, before)
		d.Reach(causes.SendDMA, n.Next())
	}
	d.Reach(causes.InjectionCredit, s.events.Now)
	if !last {
		d.Reach(causes.Serialization, tail)
		d.Reach(causes.Pacing, free)
	} else if d.ChargeHop(s.Layout, s.Spec.Graph.Ports[s.Spec.Graph.NICPort[m.Src]].Link, 0); !s.hops {
		s.chargeRoute(n, m, d)
	}
}

// chargeRoute charges the fixed times of the packet's way from the first router to the last.
func (s *Senders) chargeRoute(n *Sender, m *model.Message, d *core.Division) {
	post := int64(s.Spec.Router.SwitchTraversal) + int64(s.Spec.Router.Latency)
	router, route, out := s.Hosts[s.HostOf(m.Src)], n.Route, n.Out
	for {
		r := s.routers.At(router)
		number := r.FirstPort + uint32(out)/s.NumVCs
		to := s.Wiring(number)
		if to.Router < 0 {
			return
		}
		if s.counting != nil {
			d.ChargeHops(s.Layout, to.Class, post, 1+int64(s.counting.Left(route)))
			return
		}
		d.ChargeHop(s.Layout, to.Class, post)
		router = uint32(to.Router)
		route, out = s.Onward(router, route)
	}
}

// divide charges and reports what is known when a packet has been moved to memory.
func (v *Receivers) divide(id int32, msg model.MsgID, m *model.Message, flits uint16, tail, start, end int64) {
	if flits&core.LastPacket != 0 {
		v.charge(id, msg, flits, tail, start, end)
	}
	if v.Logs {
		v.received(id, m, flits, tail, start, end)
	}
	if m.Left == 0 {
		v.report(msg, m, end+v.BusLatency)
	}
}

// charge charges the end of a message's last packet: its tail reaches the NIC at the time tail, its
// transfer to memory begins at the time start and ends at the time `end` (ps).
func (v *Receivers) charge(id int32, msg model.MsgID, flits uint16, tail, start, end int64) {
	d := v.messages.Division(msg)
	class := v.Spec.Graph.Ports[v.Spec.Graph.NICPort[id]].Link
	post := int64(v.Spec.Router.SwitchTraversal) + int64(v.Spec.Router.Latency)
	if v.Spec.Router.OutputBuffer > 0 {
		post = 0 // the packet passed these before it started on the link
	}
	leave := tail - post - int64(v.Spec.Links[class].Latency)
	if !v.Uneven && !v.hops {
		d.Reach(causes.Order, leave-int64(flits&core.FlitMask)*v.FlitTime)
	}
	d.Reach(causes.Serialization, leave)
	d.Charge(causes.Pipeline, post)
	d.Reach(causes.Wire, tail)
	d.Reach(causes.ReceiveNIC, start)
	d.Reach(causes.ReceiveDMA, end+v.BusLatency)
}

// report reports a message that is in memory from the time `at` (ps) on.
func (v *Receivers) report(msg model.MsgID, m *model.Message, at int64) {
	d := v.messages.Division(msg)
	if !d.Begun { // the NIC had begun to send it before the observation started
		return
	}
	d.End(at)
	v.divided = model.Divided{
		Source: m.Src, Destination: m.Dst, SourceRank: m.SrcRank, Tag: m.Tag, Bytes: m.Size,
		Number: v.Spec.NumberOf(m),
		Sent:   m.Sent, Post: m.Post, Delivered: at, Parts: d.Parts(),
	}
	v.sink.Divided(v.block, &v.divided)
}
