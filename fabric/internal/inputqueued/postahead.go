package inputqueued

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/nic"
	"fabricast/fabric/model"
)

// Post passes a message to its source NIC.
func (b *Routers) Post(id model.MsgID) {
	m := b.Messages.At(id)
	if !b.postAhead(id, m, b.Send.NICs.At(uint32(m.Src))) {
		b.NICs.Post(id)
	}
}

// postAhead implements Post for a message of one packet to an idle NIC, and also injects the
// packet. No other NIC uses the link into the router, so the packet's times are known as soon as
// the credit is. If it cannot inject the packet, postAhead returns false and changes nothing.
func (b *Routers) postAhead(id model.MsgID, m *model.Message, n *nic.Sender) bool {
	if !b.early || n.Head|n.Fetching|n.Fetched != 0 || m.Size > b.Payload || b.reported ||
		b.Send.GapOf(id, m) > 0 {
		return false
	}
	index, route, vc := b.Layout.Enter(b.Hosts[b.Send.HostOf(m.Src)], m.Src, m.Dst)
	channel := b.FirstNICVC + uint32(m.Src)*b.NumVCs + uint32(vc)
	out, number := b.VCs.At(channel), b.VCs.Below(channel)
	flits := int32(b.Flits(m.Size))
	if in := b.VCs.At(number); out.Credit < flits || in.Flags&core.Streamed != 0 || !b.VCs.roomAhead(out, in) {
		return false
	}
	m.Left, m.Next = 1, uint32(model.NoMsg)
	b.Ahead.Under(id, m.Size)
	n.Known(m.Post + b.BusLatency)
	b.Send.Read(n, n.PrevTail, m.Size)
	n.Paced = false
	present := b.Events.Now
	b.Events.Now = max(n.DmaEnd, n.Free)
	host := b.Send.HostOf(m.Src)
	p := core.Packet{Route: route, Msg: id, Flits: uint16(flits) | core.LastPacket, Out: index}
	b.enter(b.Hosts[host], n, p, out, number)
	b.Events.Now = present
	b.Endpoint.Fetched(host, m.Request, n.DmaEnd)
	return true
}

// mostInjected is the ring size from which on a ring does not grow for packets injected ahead,
// because messages that wait at their NIC take less memory.
const mostInjected = 8

// roomAhead reports whether a packet can be injected ahead without enlarging a large ring.
func (v *VCs) roomAhead(out, in *core.VC) bool {
	if in.Places() < mostInjected || !in.Full() {
		return true
	}
	v.pull(out, in, pullAtOnce)
	return !in.Full()
}
