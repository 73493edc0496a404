package fabric

// starts calls the hook of a packet that starts now from a slot of the visited router.
func (d *doors) starts(slot, id uint32, p *parcel) {
	g, x := d.g, d.riders.at(id)
	in, out := g.port(slot), g.port(uint32(p.out))
	x.from = uint16(in)
	h := d.Hooks
	if h == nil || h.Start == nil {
		return
	}
	v := d.start.RouterView.(*hookView)
	v.slot, v.flits = slot, int64(p.flits&flitMask)
	d.start = Start{
		Now: g.events.now, Router: d.b.name(g.r.number), InPort: uint16(in), OutPort: uint16(out),
		InVC: uint16(slot - in*g.vcs), OutVC: uint16(uint32(p.out) - out*g.vcs), Flits: v.flits,
		Message: d.b.messages.at(p.msg), Control: x.control, Meta: x.meta,
		State: stateOf(&d.all.ports, g.r.ports+out, h.PortState), RouterView: v,
	}
	h.Start(&d.start)
	x.meta = d.start.Meta
}

// hookView is the RouterView of the packet that starts.
type hookView struct {
	d     *doors
	slot  uint32 // from which the packet starts
	flits int64  // of it
}

// Queue implements RouterView.
func (v *hookView) Queue(port, vc uint16) int64 {
	return v.d.g.out.queueLength(uint32(port)*v.d.g.vcs + uint32(vc))
}

// PortQueue implements RouterView.
func (v *hookView) PortQueue(port uint16) (sum int64) {
	for vc := range v.d.g.vcs {
		sum += v.Queue(port, uint16(vc))
	}
	return sum
}

// Waiting implements RouterView. The packet that starts is in no list any more.
func (v *hookView) Waiting(port, vc uint16) (flits int64) {
	g := v.d.g
	slot := uint32(port)*g.vcs + uint32(vc)
	in := g.in.at(slot)
	if g.voq {
		flits = int64(in.flits)
		for id := in.coming.first; id != 0; id = g.pool.parcels.at(id).next {
			flits -= int64(g.pool.parcels.at(id).flits & flitMask)
		}
		return flits
	}
	if slot == v.slot {
		flits = v.flits
	}
	for id := in.here.first; id != 0; {
		p := g.pool.parcels.at(id)
		if p.ready > g.events.now {
			break
		}
		flits += int64(p.flits & flitMask)
		id = p.next
	}
	return flits
}
