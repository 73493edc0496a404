package ethernet

import (
	"fmt"

	"fabricast/ethernet/control"
	"fabricast/fabric"
	"fabricast/fabric/model"
	"fabricast/internal/units"
)

// port is an output port of a switch, and the accounts of what came in through it.
type port struct {
	id      int32
	queues  []queue // packets with payload, by class
	headers fifo    // packets without
	bytes   int64   // of all queues
	// headerBytes and bytes include the packet that is being sent.
	headerBytes int64
	sending     uint32 // packet that is being sent; 0: none
	leaving     uint32 // packet that was sent last
	turn        uint32 // headers sent in a row while packets with payload waited
	rounds      rounds
	use         fabric.PortUse
	in          []ingress  // by class; nil if ports share no buffer
	told        uint32     // how often what sends to the port has been told something
	rate        units.Rate // of its link; 0: that of its class
	down        bool
	broken      bool // the link has gone down since the packet that is being sent began
	avoided     bool // its router chooses another port, if it can
}

// queue holds the packets with payload of a class at an output port.
type queue struct {
	fifo
	bytes  int64 // with the packet that is being sent
	paused bool  // by the switch at the other end
	places int64 // see trail; 0 if no hops are reported
}

// sends reports whether a queue has a packet that may be sent.
func (q *queue) sends() bool { return !q.empty() && !q.paused }

// sends reports whether a port has a packet with payload that may be sent.
func (p *port) sends() bool {
	for i := range p.queues {
		if p.queues[i].sends() {
			return true
		}
	}
	return false
}

// pop takes the next packet with payload from its queue. There must be one that may be sent.
func (b *Block) pop(p *port) uint32 {
	if len(p.queues) == 1 {
		return p.queues[0].pop(&b.packets)
	}
	var sizes [MostClasses]int64
	for i := range p.queues {
		if q := &p.queues[i]; q.sends() {
			sizes[i] = int64(b.packets.list[q.first].size)
		}
	}
	class := b.net.choose(&p.rounds, &sizes)
	q := &p.queues[class]
	id := q.pop(&b.packets)
	if q.empty() {
		p.rounds.deficits[class] = 0
	}
	return id
}

// arrive brings a packet, whose tail has arrived, into a switch.
func (b *Block) arrive(id uint32) {
	k := &b.packets.list[id]
	router := b.net.Graph.Ports[k.ingress].Router
	if len(b.net.Changes) > 0 && b.lostOnLink(b.net.wayInto(k.ingress), k, b.now-b.net.Switch.Latency) {
		b.loseOn(b.net.wayInto(k.ingress), id)
		return
	}
	out := b.output(router, k)
	if out < 0 || b.net.ports[out].down {
		if out < 0 { // no way leads on from where it came
			out = b.net.wayInto(k.ingress)
		}
		b.loseOn(out, id)
		return
	}
	p := &b.net.ports[out]
	b.changesPort(p)
	b.waitsAt(id)
	if k.kind != data || k.flags&cut != 0 {
		b.queueHeader(out, p, id)
		return
	}
	if !b.admits(router, out, p, k) {
		b.overflow(out, p, id)
		return
	}
	b.charge(router, out, k)
	p.bytes += int64(k.size)
	q := &p.queues[k.class]
	q.bytes += int64(k.size)
	q.push(&b.packets, id)
	b.joins(q, id)
	b.markQueued(out, p, k)
	b.serve(out, p)
}

// output returns the port by which a packet leaves a router: that of its destination, or one of those
// on shortest paths, by a hash of its flow, its entropy value and the router; -1 if there is none.
func (b *Block) output(router int32, k *packet) int32 {
	l := b.net
	to := l.nicRouter[k.dst]
	if router == to {
		return l.Graph.NICPort[k.dst]
	}
	if len(l.Changes) > 0 {
		return b.outputAround(router, to, k)
	}
	ports := l.routes.ports(router, to)
	if len(ports) == 1 {
		return ports[0]
	}
	return ports[l.hash(router, k)%uint32(len(ports))]
}

// overflow makes room for a packet that does not fit: it or the last packet in its queue is cut or
// dropped, either with probability 1/2.
func (b *Block) overflow(out int32, p *port, id uint32) {
	k := &b.packets.list[id]
	q := &p.queues[k.class]
	last := q.last
	// the packet that is being sent cannot be taken back, and one of another ingress port would not
	// make room for this one
	if b.net.Switch.Shared == nil && !q.empty() && b.net.draw(k, out, drawCut) < 0.5 {
		other := &b.packets.list[last]
		if q.bytes-int64(other.size)+int64(k.size) <= b.net.limitsOf(out).classes[k.class].Queue {
			b.exchange(last, id)
			b.joins(q, last)
			more := int64(other.size) - int64(k.size) // k is now the one that was last
			p.bytes += more
			q.bytes += more
			b.markQueued(out, p, other)
		}
	}
	b.loses(out, id, model.Overflow)
	if !b.net.Switch.Trims {
		if b.net.NIC.Timeout < 0 {
			panic(&LossError{fmt.Sprintf("a packet from NIC %d to NIC %d does not fit into router %d, whose headroom "+
				"is too small for a pause to have an effect in time; nothing sends it again", k.src, k.dst,
				b.net.Graph.Ports[out].Router)})
		}
		b.byClass[k.class].Dropped++
		b.drop(id)
		return
	}
	b.byClass[k.class].Trimmed++
	k.flags |= cut
	if b.net.Graph.Ports[out].NIC >= 0 {
		k.flags |= ofLastHop
	}
	k.size = uint32(b.net.Packet.Header)
	b.queueHeader(out, p, id)
}

// exchange swaps the contents of two packets, and leaves their places in queues.
func (b *Block) exchange(x, y uint32) {
	one, other := &b.packets.list[x], &b.packets.list[y]
	*one, *other = *other, *one
	one.next, other.next = other.next, one.next
	if b.follows { // the one that came last is at the place of the other
		b.trailOf(max(x, y))
		b.trails[x], b.trails[y] = b.trails[y], b.trails[x]
	}
}

// queueHeader queues a packet without payload, or drops it if there is no room.
func (b *Block) queueHeader(out int32, p *port, id uint32) {
	size := int64(b.packets.list[id].size)
	if p.headerBytes+size > b.net.limitsOf(out).headers {
		b.counts.HeadersDropped++
		b.drop(id)
		return
	}
	p.headerBytes += size
	p.headers.push(&b.packets, id)
	b.waitsAt(id)
	b.serve(out, p)
}

// drop removes a packet from the network.
func (b *Block) drop(id uint32) {
	b.telemetry.give(b.packets.list[id].hopsInfo)
	b.packets.give(id)
}

// serve starts to send the next packet of a port that sends nothing: headers first,
// but not so many in a row that nothing else gets through.
func (b *Block) serve(out int32, p *port) {
	if p.sending != 0 {
		return
	}
	full := p.sends()
	switch {
	case !p.headers.empty() && !(full && p.turn >= b.net.Switch.HeadersInRow):
		if full {
			p.turn++
		}
		p.sending = p.headers.pop(&b.packets)
	case full:
		p.turn = 0
		p.sending = b.pop(p)
	default:
		return
	}
	size := int64(b.packets.list[p.sending].size)
	until := b.now + takes(size, b.net.rateOut(out))
	b.begins(int64(out), size)
	b.leaves(out, p.sending, until)
	b.push(until, servedEvent, uint64(out), uint32(out))
}

// served ends the sending of a packet: it is on the wire.
func (b *Block) served(out int32) {
	p := &b.net.ports[out]
	b.changesPort(p)
	id := p.sending
	k := &b.packets.list[id]
	p.sending, p.leaving = 0, id
	b.moved = b.now
	p.use.Packets++
	p.use.Bytes += uint64(k.size)
	if k.kind == data && k.flags&cut == 0 {
		b.departed(out, p, k)
	} else {
		p.headerBytes -= int64(k.size)
	}
	if p.broken {
		p.broken = false
		b.loseOn(out, id)
	} else {
		b.transmit(out, id)
	}
	b.serve(out, p)
}

// rateOut returns the rate (bytes/s) of the link out of a port.
func (n *Network) rateOut(out int32) units.Rate {
	if r := n.ports[out].rate; r != 0 {
		return r
	}
	return n.bandwidth(n.Graph.Ports[out].Link)
}

// departed accounts for a packet with payload that has left a port.
func (b *Block) departed(out int32, p *port, k *packet) {
	p.bytes -= int64(k.size)
	p.queues[k.class].bytes -= int64(k.size)
	if b.net.Switch.ECN.On && b.net.Switch.ECN.Dequeue {
		b.mark(out, p, k)
	}
	b.refund(b.net.Graph.Ports[out].Router, out, k)
	if b.net.needs.Measures {
		b.telemetry.add(&k.hopsInfo, control.Hop{
			Port: int64(out), At: b.now, Queue: p.bytes, Bytes: p.use.Bytes,
			Rate: b.net.rateOut(out),
		})
	}
}

// markQueued marks a packet that has been queued, if switches mark then.
func (b *Block) markQueued(out int32, p *port, k *packet) {
	if e := &b.net.Switch.ECN; e.On && !e.Dequeue {
		b.mark(out, p, k)
	}
}

// mark marks a packet by the queue of its class at a port.
func (b *Block) mark(out int32, p *port, k *packet) {
	c, bytes := &b.net.limitsOf(out).classes[k.class], p.queues[k.class].bytes
	if bytes <= c.MarkMin || !b.net.Switch.ECN.LastHop && b.net.Graph.Ports[out].NIC >= 0 {
		return
	}
	if bytes <= c.MarkMax {
		share := c.MarkMost * float64(bytes-c.MarkMin) / float64(c.MarkMax-c.MarkMin)
		if b.net.draw(k, out, drawMark) >= share {
			return
		}
	}
	k.flags |= marked
	b.byClass[k.class].Marked++
}

// transmit brings a packet to the other end of the link of a port.
func (b *Block) transmit(out int32, id uint32) {
	g := b.net.Graph
	here := &g.Ports[out]
	k := &b.packets.list[id]
	if b.net.BitErrors != nil && b.net.damages(out, k, b.net.ports[out].use.Packets) {
		if k.kind == data && k.flags&cut == 0 {
			b.counts.Damaged++
			b.loses(out, id, model.Damaged)
		} else {
			b.counts.HeadersDamaged++
		}
		b.drop(id)
		return
	}
	at := b.now + int64(b.net.Links[here.Link].Latency)
	if here.NIC >= 0 {
		b.push(at, arrivedEvent, uint64(here.NIC), id)
		return
	}
	b.counts.Hops++
	b.toSwitch(here.Peer, id, at+b.net.Switch.Latency)
}

// toSwitch brings a packet to a switch at a time (ps), by the port through which it comes in.
func (b *Block) toSwitch(in int32, id uint32, at int64) {
	b.packets.list[id].ingress = in
	if to := b.net.block[b.net.Graph.Ports[in].Router]; to != b.index {
		b.sendPacket(to, id, at)
		return
	}
	b.push(at, enteredEvent, uint64(in), id)
}

// rateOf returns the rate of the link of a NIC (bytes/s).
func (l *layout) rateOf(nic int32) units.Rate {
	return l.bandwidth(l.Graph.Ports[l.Graph.NICPort[nic]].Link)
}
