package ethernet

import (
	"fabricast/fabric"
	"fabricast/fabric/model"
)

// This file reports what packets do, as hops (fabric.Hop). Sizes are in bytes, VCs are classes, -1 for packets
// without payload. Only packets with payload have a Flow (of their NIC), a number in it and Times; others have the
// Flow -1, and belong to the message that they are about. Start is the time of what has no length. The stages are:
//
//	Injected  OutPort is the NIC. Of a packet that is sent again, Asked is when it was found to be lost.
//	Linked    a packet leaves the queue of OutPort. It has come by Port, and was queued at Ready. Queue is its
//	          place: the number of packets that its class has queued there up to it, with those that were lost.
//	Received  a message, posted at Ready and sent at Asked, is at the NIC Port. Queue is its size, and the
//	          packet is the one that came last.
//	Resumed   what sends to Port may go on, at Start, after a pause since Ready, because the packet has left
//	          by OutPort at Asked.
//	Withheld  the flow had something to send from Ready on, and was not allowed to until Start.
//	Lost      a packet is lost at OutPort. If it was queued there, at Ready, Queue is its place. If it was
//	          discarded, OutVC is the number of the packet that is missing. If the link from a NIC is down, that is
//	          Port, and there is no OutPort.
//	Filled    the queue of class OutVC at OutPort had no room for a packet that is lost, alone or with the others
//	          that have a hop for the loss. Needs is how many places it had, up to Queue, the last. In all but the last,
//	          packets that have been lost before may have been queued.
//	Failed    the link out of OutPort or, if that is -1, from the NIC Port has gone down or is up again.

// trail is what is known of a packet for its hops.
type trail struct {
	number int64 // of its message
	since  int64 // when it was queued, or found to be lost (ps)
	place  int64 // in the queue: see Linked; 0: in none
	rank   int32 // of the sender of the message
	_      int32
}

// trailOf returns the trail of a packet. It may move others.
func (b *Block) trailOf(id uint32) *trail {
	if more := int(id) + 1 - len(b.trails); more > 0 {
		b.trails = append(b.trails, make([]trail, more)...)
	}
	return &b.trails[id]
}

// about says which message a packet belongs to.
func (b *Block) about(id uint32, of *trail) {
	if b.follows {
		*b.trailOf(id) = *of
	}
}

// hopOf returns the hop of a packet, with what is the same at all stages. Its time is the current one.
func (b *Block) hopOf(k *packet, t *trail, stage model.Stage) *fabric.Hop {
	h := &b.hop
	*h = fabric.Hop{
		Message: t.number, Source: k.src, Destination: k.dst, SourceRank: t.rank, Stage: stage,
		Port: -1, VC: -1, OutPort: -1, OutVC: -1, Flits: int32(k.size), Flow: -1,
		Ready: b.now, Asked: b.now, Start: b.now, Leave: b.now,
	}
	switch {
	case k.kind == data && k.flags&cut == 0:
		h.VC, h.Flow, h.Packet, h.Times = int32(k.class), int32(k.flow), int32(k.psn), int32(k.times)
	case k.kind != data && k.kind != request: // they go back to the source
		h.Source, h.Destination = k.dst, k.src
	}
	return h
}

func (b *Block) report(h *fabric.Hop) { b.sink.Hop(int(b.index), h) }

// launches reports that a NIC sends a packet, until a time (ps).
func (b *Block) launches(nic int32, id uint32, until int64) {
	if !b.follows {
		return
	}
	t := b.trailOf(id)
	h := b.hopOf(&b.packets.list[id], t, model.Injected)
	h.OutPort, h.Leave = nic, until
	if h.Times > 0 {
		h.Asked = t.since
	}
	b.report(h)
}

// waitsAt notes that a packet has come to a port.
func (b *Block) waitsAt(id uint32) {
	if b.follows {
		t := b.trailOf(id)
		t.since, t.place = b.now, 0
	}
}

// joins notes that a packet with payload is queued.
func (b *Block) joins(q *queue, id uint32) {
	if b.follows {
		q.places++
		t := b.trailOf(id)
		t.since, t.place = b.now, q.places
	}
}

// leaves reports that a port sends a packet, until a time (ps).
func (b *Block) leaves(out int32, id uint32, until int64) {
	if !b.follows {
		return
	}
	k, t := &b.packets.list[id], b.trailOf(id)
	h := b.hopOf(k, t, model.Linked)
	h.Port, h.OutPort, h.Ready, h.Leave, h.Queue = k.ingress, out, t.since, until, t.place
	b.report(h)
}

// loses reports that a packet is lost at a port.
func (b *Block) loses(out int32, id uint32, why model.Reason) {
	if !b.follows {
		return
	}
	k, t := &b.packets.list[id], b.trailOf(id)
	h := b.hopOf(k, t, model.Lost)
	h.OutPort, h.Reason = out, why
	if t.place > 0 && why != model.Damaged {
		h.Ready, h.Queue = t.since, t.place
	}
	b.report(h)
	switch {
	case why != model.Overflow:
	case b.fullQueue(out, &b.net.ports[out], k):
		b.fills(out, k.class, id)
	default:
		g := b.net.Graph
		router := g.Ports[out].Router
		for p := g.PortBase[router]; p < g.PortBase[router+1]; p++ {
			for class := range b.net.ports[p].queues {
				b.fills(p, uint8(class), id)
			}
		}
	}
}

// losesDown reports that a packet is lost because the link in a direction is down, in whose queue it may be.
func (b *Block) losesDown(way int32, id uint32, queued bool) {
	if !b.follows {
		return
	}
	t := b.trailOf(id)
	h := b.hopOf(&b.packets.list[id], t, model.Lost)
	h.Port, h.OutPort = b.net.endsOf(way)
	h.Reason = model.LinkDown
	if queued && t.place > 0 {
		h.Ready, h.Queue = t.since, t.place
	}
	b.report(h)
}

// fails reports that the link in a direction has gone down, or is up again. No message has a part in it.
func (b *Block) fails(way int32, why model.Reason) {
	if !b.follows {
		return
	}
	h := &b.hop
	*h = fabric.Hop{
		SourceRank: -1, Stage: model.Failed, VC: -1, OutVC: -1, Flow: -1,
		Ready: b.now, Asked: b.now, Start: b.now, Leave: b.now, Reason: why,
	}
	h.Port, h.OutPort = b.net.endsOf(way)
	b.report(h)
}

// endsOf returns the NIC or the port that sends in a direction; -1 for the other.
func (l *layout) endsOf(way int32) (nic, port int32) {
	if nic := way - int32(len(l.Graph.Ports)); nic >= 0 {
		return nic, -1
	}
	return -1, way
}

// fills reports what a queue holds when a packet is lost, if it holds anything.
func (b *Block) fills(port int32, class uint8, lost uint32) {
	p := &b.net.ports[port]
	q := &p.queues[class]
	first := q.first
	if s := p.sending; s != 0 {
		if x := &b.packets.list[s]; x.kind == data && x.flags&cut == 0 && x.class == class {
			first = s
		}
	}
	if first == 0 || q.places == 0 {
		return
	}
	since := max(b.trailOf(first).place, 1)
	h := b.hopOf(&b.packets.list[lost], b.trailOf(lost), model.Filled)
	h.OutPort, h.OutVC, h.Queue, h.Needs = port, int32(class), q.places, int32(q.places-since+1)
	b.report(h)
}

// discards reports that the receiver of a packet has no use for it.
func (b *Block) discards(r *receiver, k *packet) {
	if !b.follows {
		return
	}
	h := b.hopOf(k, &b.cause, model.Lost)
	h.OutPort, h.OutVC, h.Reason = b.net.Graph.NICPort[r.nic], int32(r.arrived.first), model.Discarded
	b.report(h)
}

// delivers reports that a packet was the last of a message that was missing.
func (b *Block) delivers(r *receiver, k *packet, m *fabric.Message) {
	if !b.follows {
		return
	}
	h := b.hopOf(k, &b.cause, model.Received)
	h.Port, h.Ready, h.Asked, h.Queue = r.nic, m.Post, m.Sent, m.Size
	b.report(h)
}

// resumes reports that the sender to a port may go on, because a packet has left by the port out.
func (b *Block) resumes(in *ingress, out int32, k *packet) {
	if !b.follows {
		return
	}
	h := b.hopOf(k, b.trailOf(b.net.ports[out].leaving), model.Resumed)
	takes := b.frameTakes(k.ingress)
	h.Port, h.OutPort, h.Ready = k.ingress, out, in.since+takes
	h.Start, h.Leave = b.now+takes, b.now+takes
	b.report(h)
}

// holding is why a flow may not send, and since when (ps).
type holding struct {
	since int64
	why   model.Reason
	_     [7]byte
}

// holds notes why a flow may not send, if it has something to send and does not wait in its NIC's list, and
// reports what held it before.
func (b *Block) holds(f *sender) {
	if !b.follows {
		return
	}
	why := b.heldBy(f)
	if why == f.held.why {
		return
	}
	if f.held.why != model.NoReason && f.held.since < b.now {
		h := &b.hop
		*h = fabric.Hop{
			Source: f.nic, Destination: f.dst, Stage: model.Withheld, Port: -1, VC: int32(f.class), OutPort: f.nic, OutVC: -1,
			Ready: f.held.since, Asked: f.held.since, Start: b.now, Leave: b.now,
			Flow: int32(f.number), Reason: f.held.why,
		}
		b.report(h)
	}
	f.held = holding{since: b.now, why: why}
}

func (b *Block) heldBy(f *sender) model.Reason {
	size := f.nextSize(b.net)
	switch {
	case f.ready || size == 0:
		return model.NoReason
	case !f.mayFly(size):
		return model.ByWindow
	case b.net.needs.Credit && f.credit.left <= 0:
		return model.ByCredit
	case f.after > b.now:
		return model.ByRate
	}
	return model.NoReason
}

// messageOf returns the trail of the packets of a flow's message to which a packet belongs.
func (f *sender) messageOf(psn uint32) trail {
	for i := range f.jobs.count {
		if j := f.jobs.at(i); psn < j.end {
			return trail{number: j.number, rank: j.rank}
		}
	}
	return trail{}
}
