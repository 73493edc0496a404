package inputqueued

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/nic"
	"fabricast/internal/causes"
)

// eject moves a packet that has started toward a NIC into the host's memory. All its times are
// known at this point, unless the NIC shares an I/O bus, because no other traffic uses the NIC's
// receiving side.
func (b *Routers) eject(out *core.VC, port *core.Port, number uint32, p *core.Packet, leave int64) {
	id := ^port.Router
	class := b.Classes.At(uint32(out.Class))
	if b.Messages.Divides() && p.Flits&core.LastPacket != 0 {
		b.Messages.Division(p.Msg).Reach(causes.Order, b.Events.Now)
	}
	if b.Bus != nil {
		b.Bus.AskToMove(
			uint32(id),
			nic.Arrival{Tail: leave + class.Tail, Msg: p.Msg, Flits: p.Flits, VC: p.Out % uint16(b.NumVCs)},
		)
		return
	}
	if b.Receive.Logs {
		b.Receive.Via = uint32(p.Out) % b.NumVCs
	}
	end, all := b.Receive.Move(id, p.Msg, p.Flits, leave+class.Tail)
	if b.DeepReceive {
		out.Credit += int32(p.Flits & core.FlitMask)
	} else {
		b.VCs.LeaveBehind(out, b.VCs.At(number), end+class.Credit, p.Flits&core.FlitMask)
	}
	if all {
		b.Endpoint.Delivered(b.Send.HostOf(id), p.Msg, end+b.BusLatency)
	}
}
