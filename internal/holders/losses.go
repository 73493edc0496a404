package holders

import (
	"maps"
	"slices"

	"fabricast/fabric"
	"fabricast/fabric/model"
	"fabricast/internal/causes"
	"fabricast/internal/units"
)

// loss is the loss of a packet.
type loss struct {
	at   int64 // ps
	link int32 // where
	by   *drop
}

// drop is what a loss is charged to: the packets in queues or, if there are none, a message.
type drop struct {
	spans []span
	self  Holder
}

// filler is a message with packets in queues.
type filler struct {
	Holder
	bytes int64
}

// claim is a wait that is to be charged to what fills the queues of a drop.
type claim struct {
	message Holder
	of      *drop
	time    int64 // ps
}

// fill processes what a queue held when a packet was lost, which the loss follows.
func (p *Packets) fill(h *fabric.Hop) {
	if _, c := p.copyOf(h); c != nil {
		c.filled = append(c.filled, span{h.OutPort*mostClasses + h.OutVC, h.Queue - int64(h.Needs) + 1, h.Queue})
	}
}

// lose processes the loss of a packet.
func (p *Packets) lose(h *fabric.Hop) {
	l := p.lossOf(h)
	var before *step
	if h.Queue > 0 { // it was queued when another one took its place, or when the link went down
		before = stepOf(h, l.link)
		p.queue(before, h.OutPort)
		p.leaves(h.OutPort*mostClasses+h.VC, h.Queue, place{before.self, before.flits, h.Reason == model.Overflow})
	}
	packet, c := p.copyOf(h)
	if c == nil {
		return
	}
	packet.arrives = 0
	c.loss, l.by.spans, c.filled = l, c.filled, nil
	if before != nil {
		c.hops = append(c.hops, queued{before, h.OutPort})
	}
	if h.Reason == model.Discarded {
		if earlier := p.lossBefore(flow{h.Source, h.Flow}, h.OutVC, h.Start); earlier != nil {
			l.by = earlier.by
		}
	}
}

// lossOf returns the loss of a hop, but for what filled queues then.
func (p *Packets) lossOf(h *fabric.Hop) *loss {
	link := p.linkOf(h)
	self := stepOf(h, link).self.Holder
	switch h.Reason {
	case model.Overflow:
		self.Link = p.nicLink + h.Source // it may never pass this one
	case model.LinkDown:
		self = failure(h.Source, h.Destination, link)
	}
	return &loss{h.Start, link, &drop{self: self}}
}

// linkOf returns the link where a packet is lost, or that has failed.
func (p *Packets) linkOf(h *fabric.Hop) int32 {
	if h.OutPort < 0 {
		return p.nicLink + h.Port
	}
	return p.links[h.OutPort]
}

// lossBefore returns the last loss of a packet of a flow before a time (ps); nil if there is none.
func (p *Packets) lossBefore(of flow, packet int32, at int64) *loss {
	s := p.flow(of).packets[packet]
	if s == nil {
		return nil
	}
	for _, c := range slices.Backward(s.copies) {
		if c.loss != nil && c.loss.at < at {
			return c.loss
		}
	}
	return nil
}

// claims charges a wait, now or when all is known of the queues.
func (p *Packets) claims(c *claim) {
	if p.wait == nil {
		return
	}
	for _, s := range c.of.spans {
		if q := p.queueOf(s.queue); !q.knows(s) {
			q.claims = append(q.claims, c)
			return
		}
	}
	p.settle(c)
}

// settle charges a wait to those who filled the queues, by their bytes. What cannot be divided evenly goes to those
// that come later in the order of flows and messages.
func (p *Packets) settle(c *claim) {
	fillers := p.fillers(c.of)
	all, before, charged := int64(0), int64(0), int64(0)
	for _, x := range fillers {
		all += x.bytes
	}
	for _, x := range fillers {
		before += x.bytes
		until := units.MulDiv(c.time, before, all)
		if until > charged {
			p.wait(&Wait{Message: c.message, Holder: x.Holder, Part: causes.Repetition, Time: until - charged})
		}
		charged = until
	}
}

// fillers returns the messages of the packets in the queues of a drop, in order.
func (p *Packets) fillers(d *drop) (list []filler) {
	for _, s := range d.spans {
		p.queueOf(s.queue).each(s, func(x *place) { list = append(list, filler{x.holder.Holder, x.bytes}) })
	}
	if len(list) == 0 {
		return []filler{{d.self, 1}}
	}
	slices.SortFunc(list, func(a, b filler) int { return compareHolders(&a.Holder, &b.Holder) })
	n := 0
	for _, x := range list[1:] {
		if list[n].Holder == x.Holder {
			list[n].bytes += x.bytes
		} else {
			n++
			list[n] = x
		}
	}
	return list[:n+1]
}

// End ends the run: what is not known of queues until then is never known.
func (p *Packets) End() {
	for _, number := range slices.Sorted(maps.Keys(p.queues)) {
		q := p.queues[number]
		for _, c := range q.claims {
			p.settle(c)
		}
		q.claims = nil
	}
}
