package holders

import (
	"fabricast/fabric"
	"fabricast/fabric/model"
)

// loss is the loss of a packet.
type loss struct{ at int64 } // ps

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
	c.loss = &loss{h.Start}
	if before != nil {
		c.hops = append(c.hops, queued{before, h.OutPort})
	}
}

// replaced processes a packet that has left a queue because another one took its place there.
func (p *Packets) replaced(h *fabric.Hop) *step {
	s := stepOf(h, p.links[h.OutPort])
	p.queue(s, h.OutPort)
	return s
}
