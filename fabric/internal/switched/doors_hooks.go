package switched

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/stage"
	"fabricast/fabric/model"
)

// Starts calls the Start hook for a packet that starts now from a VC of the active router.
func (d *Doors) Starts(index, id uint32, p *stage.Packet) {
	g, x := d.g, d.riders.At(id)
	in, out := g.Port(index), g.Port(uint32(p.Out))
	x.From = uint16(in)
	h := d.Hooks
	if h == nil || h.Start == nil {
		return
	}
	v := d.start.RouterView.(*hookView)
	v.index, v.flits = index, int64(p.Flits&core.FlitMask)
	d.start = model.Start{
		Now: g.Events.Now, Router: d.b.Name(g.R.Number), InPort: uint16(in), OutPort: uint16(out),
		InVC: uint16(index - in*g.NumVCs), OutVC: uint16(uint32(p.Out) - out*g.NumVCs), Flits: v.flits,
		Message: d.b.Messages.At(p.Msg), Control: x.Control, Meta: x.Meta,
		State: stateOf(&d.all.ports, g.R.FirstPort+out, h.PortState), RouterView: v,
	}
	h.Start(&d.start)
	if x.Meta != d.start.Meta {
		x.Meta = d.start.Meta
		d.b.Counters.Marked++
	}
}

// hookView is the RouterView of the packet that starts.
type hookView struct {
	*stage.View
	d     *Doors
	index uint32 // VC from which the packet starts
	flits int64  // size of the packet
}

// Waiting implements RouterView. The packet that starts is no longer in any list.
func (v *hookView) Waiting(port, vc uint16) (flits int64) {
	g := v.d.g
	index := uint32(port)*g.NumVCs + uint32(vc)
	in := g.In.At(index)
	if g.VOQ {
		flits = int64(in.Flits)
		for id := in.Coming.First; id != 0; id = g.Pool.Packets.At(id).Next {
			flits -= int64(g.Pool.Packets.At(id).Flits & core.FlitMask)
		}
		return flits
	}
	if index == v.index {
		flits = v.flits
	}
	for id := in.Here.First; id != 0; {
		p := g.Pool.Packets.At(id)
		if p.Ready > g.Events.Now {
			break
		}
		flits += int64(p.Flits & core.FlitMask)
		id = p.Next
	}
	return flits
}

// Toward implements RouterView.
func (v *hookView) Toward(port uint16) (flits int64) {
	g := v.d.g
	for index := range uint32(g.R.NumVCs) {
		in := g.In.At(index)
		switch {
		case in.Packets == 0:
		case !g.VOQ:
			flits += v.toward(port, in.Here, true)
		case g.Adaptive || g.Alloc.Chooses:
			flits += v.toward(port, in.Here, false)
		default:
			for vc := range g.NumVCs {
				if out := uint32(port)*g.NumVCs + vc; g.Waits.RequestsAt(index).Has(out) {
					flits += v.toward(port, *g.In.QueueOf(index, out), false)
				}
			}
		}
	}
	return flits
}

// toward returns the flits of the packets of a list that will leave through a port. With timed the list
// may end with packets that are not eligible yet.
func (v *hookView) toward(port uint16, list stage.List, timed bool) (flits int64) {
	g := v.d.g
	for id := list.First; id != 0; {
		p := g.Pool.Packets.At(id)
		if timed && p.Ready > g.Events.Now {
			break
		}
		if v.leaves(port, p) {
			flits += int64(p.Flits & core.FlitMask)
		}
		if id == list.Last {
			break
		}
		id = p.Next
	}
	return flits
}

// leaves reports whether a packet will leave the active router through a port.
func (v *hookView) leaves(port uint16, p *stage.Packet) bool {
	g := v.d.g
	if !g.Adaptive && !g.Alloc.Chooses {
		return g.Port(uint32(p.Out)) == uint32(port)
	}
	to := v.d.b.Messages.At(p.Msg).Dst
	return v.d.b.Spec.Graph.NICPort[to] == int32(g.R.FirstPort+uint32(port))
}
