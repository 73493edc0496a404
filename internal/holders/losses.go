package holders

import (
	"cmp"
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

// drop is what had no room for a packet, or lost it otherwise.
type drop struct {
	at         int64 // ps
	in, out    int32 // ports: see the stage Lost of package ethernet
	class      int32 // whose queue was full; -1: the whole switch was
	left       int64 // bytes that filled it, and are not yet among fillers
	fillers    []filler
	self       Holder // is charged if nothing filled it
	claims     []claim
	unfinished bool // it is in Packets.drops
}

// filler is a message with packets in a full queue or switch.
type filler struct {
	Holder
	bytes int64
}

// claim is a wait that is to be charged to fillers.
type claim struct {
	message Holder
	time    int64 // ps
}

// lose processes the loss of a packet.
func (p *Packets) lose(h *fabric.Hop) {
	packet, c := p.copyOf(h)
	var before *step
	if h.Reason == model.FullQueue && h.Ready < h.Start { // it was queued when another one took its place
		before = p.replaced(h)
	}
	if c == nil {
		return
	}
	packet.arrives = 0
	link, router := p.links[h.OutPort], p.graph.Ports[h.OutPort].Router
	c.loss = &loss{at: h.Start, link: link}
	d := &drop{at: h.Start, in: h.Port, out: h.OutPort, class: -1, self: stepOf(h, link).self.Holder}
	switch h.Reason {
	case model.FullQueue, model.FullSwitch:
		d.self.Link = p.nicLink + h.Source // it may never pass this one
		d.left, d.unfinished = h.Queue, true
		if h.Reason == model.FullQueue {
			d.class = h.VC
		}
		if before != nil {
			c.hops = append(c.hops, queued{before, h.OutPort})
		}
		p.drops[router] = append(p.drops[router], d)
		p.fillers(d, router)
	case model.Discarded:
		d.self.Link = p.nicLink + h.Source
		if other := p.lastLoss(flow{h.Source, h.Flow}, h.OutVC); other != nil {
			d = other
		}
	}
	c.loss.by = d
}

// replaced processes a packet that has left a queue because another one took its place there. Until then it was in the
// way of others.
func (p *Packets) replaced(h *fabric.Hop) *step {
	s := stepOf(h, p.links[h.OutPort])
	s.in = h.OutVC
	p.queue(s, h.OutPort)
	p.fill(s, h.OutPort)
	return s
}

// lastLoss returns what lost a packet of a flow when it was last lost; nil if it was not.
func (p *Packets) lastLoss(of flow, packet int32) *drop {
	s := p.flow(of).packets[packet]
	if s == nil {
		return nil
	}
	for i := len(s.copies) - 1; i >= 0; i-- {
		if l := s.copies[i].loss; l != nil {
			return l.by
		}
	}
	return nil
}

// fillers adds the packets to a drop that are being sent at its time.
func (p *Packets) fillers(d *drop, router int32) {
	g := p.graph
	for port := g.PortBase[router]; port < g.PortBase[router+1]; port++ {
		passed := p.ports[port].passed
		for i := len(passed) - 1; i >= 0 && passed[i].leave >= d.at; i-- {
			if p.fills(d, passed[i], port) {
				break
			}
		}
	}
	p.settled(router)
}

// fill adds a packet that a port begins to send to all drops that it was in the way of.
func (p *Packets) fill(s *step, port int32) {
	router := p.graph.Ports[port].Router
	for _, d := range p.drops[router] {
		p.fills(d, s, port)
	}
	p.settled(router)
}

// settled forgets drops of a router of which all is known.
func (p *Packets) settled(router int32) {
	p.drops[router] = slices.DeleteFunc(p.drops[router], func(d *drop) bool { return !d.unfinished })
}

// fills adds a packet to a drop if it was in its way. It reports whether it did.
func (p *Packets) fills(d *drop, s *step, port int32) bool {
	switch {
	case !d.unfinished || s.class < 0 || s.leave < d.at || s.ready > d.at || s.ready == d.at && s.in > d.in:
		return false
	case d.class >= 0 && (port != d.out || s.class != d.class):
		return false
	}
	d.left -= s.flits
	i := slices.IndexFunc(d.fillers, func(x filler) bool { return x.Holder == s.self.Holder })
	if i < 0 {
		i = len(d.fillers)
		d.fillers = append(d.fillers, filler{Holder: s.self.Holder})
	}
	d.fillers[i].bytes += s.flits
	if d.left <= 0 {
		p.settle(d)
	}
	return true
}

// settle charges the claims to a drop, now that its fillers are known.
func (p *Packets) settle(d *drop) {
	d.unfinished = false
	for _, c := range d.claims {
		p.divide(d, c)
	}
	d.claims = nil
}

// claim charges the wait for a packet to be sent again, now or when the fillers are known.
func (p *Packets) claim(d *drop, c claim) {
	if d.unfinished {
		d.claims = append(d.claims, c)
		return
	}
	p.divide(d, c)
}

// divide charges a wait to those who filled a queue or switch, by their bytes.
func (p *Packets) divide(d *drop, c claim) {
	if p.wait == nil {
		return
	}
	if len(d.fillers) == 0 {
		d.fillers = []filler{{d.self, 1}}
	}
	slices.SortFunc(d.fillers, func(a, b filler) int { return compareHolders(&a.Holder, &b.Holder) })
	all, before, charged := int64(0), int64(0), int64(0)
	for _, x := range d.fillers {
		all += x.bytes
	}
	for _, x := range d.fillers {
		before += x.bytes
		until := units.MulDiv(c.time, before, all)
		if until > charged {
			p.wait(&Wait{Message: c.message, Holder: x.Holder, Part: causes.Repetition, Time: until - charged})
		}
		charged = until
	}
}

func compareHolders(a, b *Holder) int {
	return cmp.Or(
		cmp.Compare(a.Source, b.Source), cmp.Compare(a.Destination, b.Destination), cmp.Compare(a.Message, b.Message),
		cmp.Compare(a.Link, b.Link),
	)
}
