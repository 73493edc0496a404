package fabric

// eject moves a packet that has started toward a NIC into the host's memory. All its times are
// known now, unless the NIC shares an I/O bus: no other traffic uses the NIC's receiving side.
func (b *fast) eject(out *lane, port *portState, number uint32, p *packet, leave int64) {
	id := ^port.router
	class := b.classes.at(uint32(out.class))
	if b.bus != nil {
		b.bus.askToMove(
			uint32(id),
			arrival{tail: leave + class.tail, msg: p.msg, flits: p.flits, vc: p.out % uint16(b.vcs)},
		)
		return
	}
	end, all := b.receive.move(id, p.msg, p.flits, leave+class.tail)
	if b.deepReceive {
		out.credit += int32(p.flits & flitMask)
	} else {
		b.lanes.leaveBehind(out, b.lanes.at(number), end+class.credit, p.flits&flitMask)
	}
	if all {
		b.endpoint.Delivered(b.send.hostOf(id), p.msg, end+b.busLatency)
	}
}
