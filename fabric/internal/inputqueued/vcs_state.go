package inputqueued

import (
	"fabricast/fabric/internal/core"
	"fabricast/internal/offheap"
	"fabricast/internal/snapshot"
)

// Left returns the packets that have left a FIFO and stand for credit.
func (v *VCs) Left(in *core.VC) (list []core.Packet) {
	if in.Flags&core.Drained != 0 && in.Base != 0 {
		at := in.Timer + v.classes.At(uint32(in.Class)).Credit
		return append(list, core.Packet{Time: at, Flits: uint16(in.Base)})
	}
	for i := in.Pull; i != in.Head; i++ {
		list = append(list, *v.Nth(in, i))
	}
	return list
}

// Precede inserts packets that have left before those of a FIFO.
func (v *VCs) Precede(in *core.VC, list []core.Packet) {
	count := uint16(len(list))
	for in.Places() < uint32(in.Tail-in.Pull+count) {
		if in.Mask == 0 {
			v.makeRoom(nil, in)
		} else {
			v.Pool.grow(in)
		}
	}
	in.Pull -= count
	for i := range list {
		*v.Nth(in, in.Pull+uint16(i)) = list[i]
	}
}

// state visits the packets of a block on the fast path.
func (p *PacketPool) state(v *snapshot.Visitor) {
	used := p.Used
	snapshot.Value(v, &p.Used)
	snapshot.Value(v, &p.swept)
	snapshot.Value(v, &p.free)
	core.WalkRange(v, &p.Packets, p.Own.First, p.Used, used)
	if p.spans.First != nil {
		core.WalkRange(v, &p.spans, p.Own.First, p.Used, used)
	}
}

// StateAt visits the virtual channels of some routers and of their NICs.
func (v *VCs) StateAt(w *snapshot.Visitor, x core.Extent) {
	snapshot.Values(w, v.all.Slice(x.VCs, x.EndVCs-x.VCs))
	snapshot.Values(w, v.More.Slice(x.VCs, x.EndVCs-x.VCs))
	for _, run := range x.Hosts {
		snapshot.Values(w, v.all.Slice(v.FirstNICVC+run.NIC*v.NumVCs, run.NICs*v.NumVCs))
		snapshot.Values(w, v.More.Slice(v.FirstNICVC+run.NIC*v.NumVCs, run.NICs*v.NumVCs))
		snapshot.Values(w, v.ports.Slice(v.FirstNICPort+run.NIC, run.NICs))
	}
	snapshot.Values(w, v.all.Slice(x.Ghosts, x.CountGhost))
	snapshot.Values(w, v.More.Slice(x.Ghosts, x.CountGhost))
}

// packets visits the packets at some routers and NICs, after StateAt has visited their virtual
// channels. Packets keep their places.
func (v *VCs) packets(w *snapshot.Visitor, x core.Extent) {
	for number := x.VCs; number < x.EndVCs; number++ {
		v.fifo(w, number)
	}
	for _, run := range x.Hosts {
		number := v.FirstNICVC + run.NIC*v.NumVCs
		for end := number + run.NICs*v.NumVCs; number < end; number++ {
			v.fifo(w, number)
		}
	}
}

// fifo visits the packets of a FIFO.
func (v *VCs) fifo(w *snapshot.Visitor, number uint32) {
	in := v.At(number)
	for i := in.Pull; i != in.Tail; i++ {
		place := in.Base + uint32(i&in.Mask)
		snapshot.Value(w, v.Pool.Packets.At(place))
		if v.Pool.spans.First != nil {
			snapshot.Value(w, v.Pool.spans.At(place))
		}
	}
}

// discard releases the memory of routers that have moved to another process.
func (v *VCs) discard(x core.Extent) {
	offheap.Discard(v.all.Slice(x.VCs, x.EndVCs-x.VCs))
	offheap.Discard(v.More.Slice(x.VCs, x.EndVCs-x.VCs))
	for _, run := range x.Hosts {
		offheap.Discard(v.all.Slice(v.FirstNICVC+run.NIC*v.NumVCs, run.NICs*v.NumVCs))
		offheap.Discard(v.More.Slice(v.FirstNICVC+run.NIC*v.NumVCs, run.NICs*v.NumVCs))
		offheap.Discard(v.ports.Slice(v.FirstNICPort+run.NIC, run.NICs))
	}
}

// StateAt visits the ports of some routers.
func (o *OutputPorts) StateAt(v *snapshot.Visitor, x core.Extent) {
	snapshot.Values(v, o.Ports.Slice(x.Ports, x.EndPorts-x.Ports))
	snapshot.Values(v, o.more.Slice(x.Ports, x.EndPorts-x.Ports))
}

// discard releases the memory of routers that have moved to another process.
func (o *OutputPorts) discard(x core.Extent) {
	offheap.Discard(o.Ports.Slice(x.Ports, x.EndPorts-x.Ports))
	offheap.Discard(o.more.Slice(x.Ports, x.EndPorts-x.Ports))
}
