package ethernetoracle

import (
	"math"
	"math/big"
	"slices"

	"fabricast/ethernet/control"
	"fabricast/internal/units"
)

// port is a port of a switch: an output, and an input with its account of the shared buffer.
type port struct {
	id          int
	queue       []*packet // with payload, of all classes
	headers     []*packet // without
	sending     *packet
	paused      map[int]bool // by class
	pausedBy    map[int]*pausing
	inARow      uint32 // packets without payload sent since one with payload that could have been
	sentSize    uint64
	sentPackets int64
	inputs      map[int]*account // by class
	scheduler
}

// input returns the account of a class.
func (o *port) input(class int) *account {
	if o.inputs[class] == nil {
		o.inputs[class] = &account{}
	}
	return o.inputs[class]
}

// heldOf returns the bytes with payload that an output holds of a class, that under way included.
func (o *port) heldOf(class int) int64 {
	sum := sizes(of(class, o.queue))
	if o.sending != nil && o.sending.hasPayload() && o.sending.class == class {
		sum += o.sending.size
	}
	return sum
}

// held returns the bytes with payload that an output holds, that under way included.
func (o *port) held() int64 {
	sum := sizes(o.queue)
	if o.sending != nil && o.sending.hasPayload() {
		sum += o.sending.size
	}
	return sum
}

// heldHeaders returns the bytes without payload that an output holds, that under way included.
func (o *port) heldHeaders() int64 {
	sum := sizes(o.headers)
	if o.sending != nil && !o.sending.hasPayload() {
		sum += o.sending.size
	}
	return sum
}

// enter takes a packet that a switch has stored, and looked up.
func (n *network) enter(p *packet) {
	router := int(n.spec.Graph.Ports[p.ingress].Router)
	to := -1
	if !p.broken {
		to = n.outputOf(router, p)
	}
	if to < 0 || n.outOf(to).down {
		n.loseOnLink(p)
		return
	}
	out := n.ports[to]
	switch {
	case !p.hasPayload():
		n.queueHeader(out, p)
	case n.fits(out, p):
		p.out, p.entered = out, n.now
		n.charge(out, p)
		out.queue = append(out.queue, p)
		n.markQueued(out, p)
		n.serve(out)
	default:
		n.overflow(out, p)
	}
}

// fits reports whether there is room for a packet.
func (n *network) fits(out *port, p *packet) bool {
	if limit := n.queueOf(out, p.class); limit > 0 && out.heldOf(p.class)+p.size > limit {
		return false
	}
	return n.spec.Switch.Shared == nil || n.admits(p)
}

// overflow cuts or drops a packet that does not fit, or the last one of the queue in its place.
func (n *network) overflow(out *port, p *packet) {
	limit := n.queueOf(out, p.class)
	full := limit > 0 && out.heldOf(p.class)+p.size > limit
	if same := of(p.class, out.queue); n.spec.Switch.Shared == nil && len(same) > 0 && n.draw(p, out.id, toCut) < 0.5 {
		other := same[len(same)-1]
		if out.heldOf(p.class)-other.size+p.size <= n.queueOf(out, p.class) {
			out.queue[slices.Index(out.queue, other)] = p
			p.out, p.entered = out, n.now
			n.markQueued(out, p)
			p = other
		}
	}
	n.lose(p, n.filling(out, p.class, full))
	if !n.spec.Switch.Trims {
		n.counts.Dropped++
		n.byClass[p.class].Dropped++
		return
	}
	n.counts.Trimmed++
	n.byClass[p.class].Trimmed++
	p.cut = true
	p.cutAtLastHop = n.toNIC(out)
	p.size = n.spec.Packet.Header
	n.queueHeader(out, p)
}

// toNIC reports whether an output leads to a NIC.
func (n *network) toNIC(out *port) bool { return n.spec.Graph.Ports[out.id].NIC >= 0 }

// queueHeader queues a packet without payload if there is room.
func (n *network) queueHeader(out *port, p *packet) {
	least := max(n.spec.Packet.Control, n.spec.Packet.Header)
	if out.heldHeaders()+p.size > max(n.scaled(out, n.spec.Switch.Headers), min(least, n.spec.Switch.Headers)) {
		n.counts.HeadersDropped++
		return
	}
	out.headers = append(out.headers, p)
	n.serve(out)
}

// serve sends the next packet of an output that sends nothing.
func (n *network) serve(out *port) {
	if out.sending != nil {
		return
	}
	firsts, sizes := map[int]*packet{}, map[int]int64{}
	for _, p := range out.queue {
		if !out.paused[p.class] && firsts[p.class] == nil {
			firsts[p.class], sizes[p.class] = p, p.size
		}
	}
	payload := len(firsts) > 0
	header := len(out.headers) > 0
	if payload && header && out.inARow >= n.spec.Switch.HeadersInRow {
		header = false
	}
	switch {
	case header:
		if payload {
			out.inARow++
		}
		out.sending, out.headers = out.headers[0], out.headers[1:]
	case payload:
		out.inARow = 0
		class := n.next(&out.scheduler, sizes)
		out.sending = firsts[class]
		out.queue = slices.DeleteFunc(out.queue, func(p *packet) bool { return p == out.sending })
		if len(of(class, out.queue)) == 0 {
			out.left[class] = 0
		}
	default:
		return
	}
	out.sending.started = n.now
	link := n.spec.Graph.Ports[out.id].Link
	takes := n.sends(n.outOf(out.id), out.sending, link)
	n.at(n.now+takes, leftPort, out.id, 0, func() { n.hasLeft(out) })
}

// hasLeft is called when an output has sent a packet.
func (n *network) hasLeft(out *port) {
	p := out.sending
	out.sending = nil
	out.sentSize += uint64(p.size)
	if p.hasPayload() {
		if e := n.spec.Switch.ECN; e.On && e.Dequeue {
			n.mark(out, p)
		}
		n.refund(p)
		p.out = nil
		n.measure(out, p)
	}
	n.toNext(out, p)
	n.serve(out)
}

// rateOut returns the rate of the link of an output (bytes/s).
func (n *network) rateOut(out *port) units.Rate {
	if r := n.outOf(out.id).rate; r != 0 {
		return r
	}
	return n.spec.Links[n.spec.Graph.Ports[out.id].Link].Bandwidth
}

// mostHops limits what switches write into a packet.
const mostHops = 10

// measure writes into a packet what a switch knows of the output that it leaves by.
func (n *network) measure(out *port, p *packet) {
	if !n.needs.Measures || len(p.hops) == mostHops {
		return
	}
	p.hops = append(p.hops, control.Hop{
		Port: int64(out.id), At: n.now, Queue: out.held(), Bytes: out.sentSize,
		Rate: n.rateOut(out),
	})
}

// markQueued marks a packet that has been queued, if switches mark then.
func (n *network) markQueued(out *port, p *packet) {
	if e := n.spec.Switch.ECN; e.On && !e.Dequeue {
		n.mark(out, p)
	}
}

// mark marks a packet, or not, by what its output holds.
func (n *network) mark(out *port, p *packet) {
	e := n.marksOf(out, p.class)
	if n.toNIC(out) && !e.LastHop {
		return
	}
	queue := out.heldOf(p.class)
	share := e.Most * float64(queue-e.Min) / float64(e.Max-e.Min)
	if queue > e.Max {
		share = 1
	}
	if queue <= e.Min || n.draw(p, out.id, toMark) >= share {
		return
	}
	p.marked = true
	n.counts.Marked++
	n.byClass[p.class].Marked++
}

// toNext brings a packet to the other end of the link of an output.
func (n *network) toNext(out *port, p *packet) {
	here := n.spec.Graph.Ports[out.id]
	out.sentPackets++
	if p.broken {
		n.outOf(out.id).lands(p)
		n.loseOnLink(p)
		return
	}
	if n.damages(out, p) {
		n.outOf(out.id).lands(p)
		if p.hasPayload() {
			n.counts.Damaged++
			n.lose(p, nil)
		} else {
			n.counts.HeadersDamaged++
		}
		return
	}
	arrival := n.now + n.latency(here.Link)
	p.arrival = arrival
	if here.NIC >= 0 {
		n.at(arrival, entersNIC, int(here.NIC), 0, func() { n.receive(p) })
		return
	}
	n.counts.Hops++
	n.toSwitch(n.outOf(out.id), int(here.Peer), p, arrival)
}

// damages reports whether bit errors hit the packet that an output has sent: with the probability
// 1 - exp(-x) of at least one in x in the mean, by its series in whole 2^-300.
func (n *network) damages(out *port, p *packet) bool {
	if n.spec.BitErrors == nil {
		return false
	}
	const digits = 300
	one := new(big.Int).Lsh(big.NewInt(1), digits)
	x := new(big.Int).SetUint64(n.spec.BitErrors[out.id])
	x.Mul(x, big.NewInt(8*p.size)).Lsh(x, digits-64)
	none, term := new(big.Int).Set(one), new(big.Int).Set(one)
	for i := int64(1); i < 80; i++ {
		term.Mul(term, x).Rsh(term, digits).Quo(term, big.NewInt(-i))
		none.Add(none, term)
	}
	u := scramble(scramble(scramble(n.spec.Seed^0x6269746572726f72)+uint64(out.id)) + uint64(out.sentPackets))
	drawn := new(big.Int).Lsh(new(big.Int).SetUint64(u), digits-64)
	return drawn.Add(drawn, none).Cmp(one) < 0
}

// toSwitch brings a packet, whose end arrives at a time (ps), into a switch.
func (n *network) toSwitch(on *direction, in int, p *packet, arrival int64) {
	n.at(arrival, linkChanges, math.MaxInt, 0, func() { on.lands(p) })
	p.arrival = arrival
	n.at(arrival+n.spec.Switch.Latency, entersSwitch, in, 0, func() {
		p.ingress = in
		n.enter(p)
	})
}
