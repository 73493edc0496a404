package oracle

import "fabricast/fabric"

// needs returns the number of bytes that must be free behind an output before a packet in an input
// buffer can start toward it.
func (s *switches) needs(r *router, p *packet, port, vc int) int64 {
	e := fabric.Entry{
		Capacity: int64(s.spec.Router.Buffer), Router: int32(r.number),
		InPort: int32(p.inPort), InVC: int32(p.inVC), OutPort: int32(port), OutVC: int32(vc),
	}
	if s.buffered() {
		e.Capacity, e.Output = int64(s.spec.Router.OutputBuffer), true
	}
	return s.entryNeeds(p, e)
}

// linkNeeds returns the number of bytes that must be free at the other end of the link before a
// packet in an output buffer can start.
func (s *switches) linkNeeds(r *router, p *packet) int64 {
	return s.entryNeeds(p, fabric.Entry{
		Capacity: int64(s.spec.Router.Buffer), Router: int32(r.number), InPort: -1, InVC: -1,
		OutPort: int32(p.outPort), OutVC: int32(p.outVC),
	})
}

// nicNeeds returns the number of bytes that must be free in the first router's buffer before a
// packet in its NIC can start.
func (h *hosts) nicNeeds(p *packet) int64 {
	return h.entryNeeds(p, fabric.Entry{
		Capacity: int64(h.spec.Router.Buffer), Router: -1, InPort: -1, InVC: -1, OutPort: -1,
		OutVC: int32(p.entry),
	})
}

// entryNeeds calls the flow control and returns the number of bytes that must be free for a packet.
// It fills in the remaining fields of e, whose capacity is in bytes.
func (c *core) entryNeeds(p *packet, e fabric.Entry) int64 {
	control := c.spec.Router.FlowControl
	if control == nil || control.Needs == nil {
		return p.wire
	}
	flit := c.spec.Packet.Flit
	e.Capacity /= flit
	e.Flits = p.wire / flit
	e.Source, e.Destination, e.Bytes, e.Class = p.msg.Src, p.msg.Dst, p.msg.Size, p.msg.Class
	return flit * max(e.Flits, min(e.Capacity, control.Needs(&e)))
}
