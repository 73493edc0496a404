package holders

import (
	"cmp"
	"slices"
	"sort"

	"fabricast/fabric"
	"fabricast/fabric/model"
	"fabricast/internal/causes"
)

// charges divides the latency of one message, from its Post on.
type charges struct {
	self  Holder
	at    int64 // ps: up to here it is divided
	parts causes.Parts
	waits map[waiting]int64 // ps
}

// waiting is what a message waits for.
type waiting struct {
	part   causes.Part
	link   int32
	holder Holder
}

// reach charges the time up to another (ps) to a part.
func (c *charges) reach(part causes.Part, at int64) {
	c.parts[part] += at - c.at
	c.at = at
}

// waitsUntil charges the time up to another (ps) to a part and a holder.
func (c *charges) waitsUntil(part causes.Part, link int32, h *Holder, at int64) {
	if at > c.at {
		c.waits[waiting{part, link, *h}] += at - c.at
		c.reach(part, at)
	}
}

// receive divides the latency of a message, along the packet whose arrival makes it complete: each time that the
// packet was sent, it waited in its NIC, and passed ports until it was lost or arrived.
func (p *Packets) receive(h *fabric.Hop) {
	packet, last := p.copyOf(h)
	if packet != nil {
		defer delete(p.flow(flow{h.Source, h.Flow}).packets, h.Packet)
	}
	if last == nil || packet.copies[0].times != 0 {
		return // it was sent before anything was recorded
	}
	c := &p.charges
	*c = charges{
		self: Holder{h.Message, h.Source, h.Destination, h.SourceRank, p.nicLink + h.Source}, at: h.Ready,
		waits: map[waiting]int64{},
	}
	for i, x := range packet.copies {
		p.waitInNIC(h, x.start)
		if x == last {
			p.pass(x)
			c.reach(causes.Wire, h.Start)
			break
		}
		p.repeat(x, packet.copies[i+1].found)
	}
	p.reportWaits()
	if p.divided != nil {
		p.divided(&fabric.Divided{
			Source: h.Source, Destination: h.Destination, SourceRank: h.SourceRank, Number: h.Message, Bytes: h.Queue,
			Sent: h.Asked, Post: h.Ready, Delivered: h.Start, Parts: c.parts,
		})
	}
}

// waitInNIC charges the time until (ps) a packet of the message is sent.
func (p *Packets) waitInNIC(h *fabric.Hop, until int64) {
	c, nic := &p.charges, &p.nics[h.Source]
	f, pauses := p.flow(flow{h.Source, h.Flow}), p.pauses[p.graph.NICPort[h.Source]*mostClasses+h.VC]
	for c.at < until {
		sent, end := nic.at(c.at), until
		if sent != nil && sent.self.Message == h.Message && sent.class >= 0 {
			c.reach(causes.Serialization, min(until, sent.leave))
			continue
		}
		if x := heldFrom(f.held, c.at); x != nil {
			if x.from <= c.at {
				c.reach(partOf(x.why), min(until, x.to))
				continue
			}
			end = min(end, x.from)
		}
		if x := pauseFrom(pauses, c.at); x != nil {
			if x.from <= c.at {
				p.waitForPause(x, min(until, x.to))
				continue
			}
			end = min(end, x.from)
		}
		holder := &c.self
		if sent != nil {
			end, holder = min(end, sent.leave), &sent.self.Holder
		} else {
			end, holder = p.idle(h, holder, end)
		}
		c.waitsUntil(causes.NICQueue, c.self.Link, holder, end)
	}
}

// idle returns up to when, at most to a time `end` (ps), the NIC of a message sends nothing, and because of whom: of
// the message itself, or of a link that is down.
func (p *Packets) idle(h *fabric.Hop, itself *Holder, end int64) (int64, *Holder) {
	c := &p.charges
	if next := p.nics[h.Source].next(c.at); next != nil {
		end = min(end, next.start)
	}
	x := outageFrom(p.outages[h.Source], c.at)
	switch {
	case x == nil:
		return end, itself
	case x.from > c.at:
		return min(end, x.from), itself
	}
	down := failure(h.Source, h.Destination, c.self.Link)
	return min(end, x.to), &down
}

// waitForPause charges a pause of the NIC up to a time (ps).
func (p *Packets) waitForPause(x *paused, until int64) {
	c := &p.charges
	for i := range x.pieces {
		q := &x.pieces[i]
		c.waitsUntil(causes.Pause, c.self.Link, &q.holder.Holder, min(until, q.until))
	}
}

// heldFrom returns the period at a time (ps) in which the flow is held, or the next; nil if there is none.
func heldFrom(list []held, t int64) *held {
	i := sort.Search(len(list), func(i int) bool { return list[i].to > t })
	if i < len(list) {
		return &list[i]
	}
	return nil
}

// partOf returns the part of latencies that is the time in which a flow is held.
func partOf(why model.Reason) causes.Part {
	if why == model.ByRate {
		return causes.Pacing
	}
	return causes.Window
}

// pass charges the time of a packet from its NIC until it has left the last port that it came to, and is
// lost or arrives.
func (p *Packets) pass(x *sentCopy) {
	c := &p.charges
	c.reach(causes.Serialization, x.leave)
	wire := p.wires[p.graph.NICPort[c.self.Source]]
	for i := range x.hops {
		s := &x.hops[i]
		c.reach(causes.Wire, c.at+wire)
		c.reach(causes.Pipeline, s.ready)
		for k := range s.pieces {
			q := &s.pieces[k]
			c.waitsUntil(q.part, s.self.Link, &q.holder.Holder, q.until)
		}
		c.reach(causes.Serialization, s.leave)
		wire = p.wires[s.out]
	}
	if x.loss != nil && x.loss.at > c.at {
		c.reach(causes.Wire, min(c.at+wire, x.loss.at))
		c.reach(causes.Pipeline, x.loss.at)
	}
}

// repeat charges the time of a packet that is sent again, until (ps) its sender knows that.
func (p *Packets) repeat(x *sentCopy, found int64) {
	c := &p.charges
	if x.loss == nil || x.loss.at > found { // it is sent again although it is not lost, or not yet
		c.waitsUntil(causes.Repetition, c.self.Link, &c.self, found)
		return
	}
	p.pass(x)
	if found > c.at {
		message := c.self
		message.Link = x.loss.link
		p.claims(&claim{message: message, of: x.loss.by, time: found - c.at})
		c.reach(causes.Repetition, found)
	}
}

// reportWaits reports what the message waited for.
func (p *Packets) reportWaits() {
	c := &p.charges
	if p.wait == nil {
		return
	}
	list := make([]waiting, 0, len(c.waits))
	for w := range c.waits {
		list = append(list, w)
	}
	slices.SortFunc(list, func(a, b waiting) int {
		return cmp.Or(
			cmp.Compare(a.part, b.part), cmp.Compare(a.link, b.link), compareHolders(&a.holder, &b.holder),
			cmp.Compare(a.holder.SourceRank, b.holder.SourceRank),
		)
	})
	for _, w := range list {
		message := c.self
		message.Link = w.link
		p.wait(&Wait{Message: message, Holder: w.holder, Part: w.part, Time: c.waits[w]})
	}
}

func compareHolders(a, b *Holder) int {
	return cmp.Or(
		cmp.Compare(a.Source, b.Source), cmp.Compare(a.Destination, b.Destination), cmp.Compare(a.Message, b.Message),
		cmp.Compare(a.Link, b.Link),
	)
}
