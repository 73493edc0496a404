package fabric

import (
	"fabricast/internal/offheap"
	"fabricast/internal/snapshot"
)

// left returns the packets that have left a FIFO and stand for credit.
func (v *vcLanes) left(in *lane) (list []packet) {
	if in.way&drained != 0 && in.base != 0 {
		at := in.timer + v.classes.at(uint32(in.class)).credit
		return append(list, packet{time: at, flits: uint16(in.base)})
	}
	for i := in.pull; i != in.head; i++ {
		list = append(list, *v.nth(in, i))
	}
	return list
}

// precede puts packets that have left before those of a FIFO.
func (v *vcLanes) precede(in *lane, list []packet) {
	count := uint16(len(list))
	for in.places() < uint32(in.tail-in.pull+count) {
		if in.mask == 0 {
			v.makeRoom(nil, in)
		} else {
			v.pool.grow(in)
		}
	}
	in.pull -= count
	for i := range list {
		*v.nth(in, in.pull+uint16(i)) = list[i]
	}
}

// state goes over the packets of a block on the fast path.
func (p *packetPool) state(v *snapshot.Visitor) {
	used := p.used
	snapshot.Value(v, &p.used)
	snapshot.Value(v, &p.swept)
	snapshot.Value(v, &p.free)
	within(v, &p.packets, p.own.first, p.used, used)
	if p.spans.first != nil {
		within(v, &p.spans, p.own.first, p.used, used)
	}
}

// stateAt goes over the virtual channels of some routers and of their NICs.
func (v *vcLanes) stateAt(w *snapshot.Visitor, x extent) {
	snapshot.Values(w, v.all.slice(x.lanes, x.endLanes-x.lanes))
	snapshot.Values(w, v.more.slice(x.lanes, x.endLanes-x.lanes))
	for _, run := range x.hosts {
		snapshot.Values(w, v.all.slice(v.nicLanes+run.nic*v.vcs, run.nics*v.vcs))
		snapshot.Values(w, v.more.slice(v.nicLanes+run.nic*v.vcs, run.nics*v.vcs))
		snapshot.Values(w, v.ports.slice(v.nicPorts+run.nic, run.nics))
	}
	snapshot.Values(w, v.all.slice(x.ghosts, x.countGhost))
	snapshot.Values(w, v.more.slice(x.ghosts, x.countGhost))
}

// packets goes over the packets at some routers and NICs, whose virtual channels stateAt has gone over.
// They keep their places.
func (v *vcLanes) packets(w *snapshot.Visitor, x extent) {
	for number := x.lanes; number < x.endLanes; number++ {
		v.fifo(w, number)
	}
	for _, run := range x.hosts {
		number := v.nicLanes + run.nic*v.vcs
		for end := number + run.nics*v.vcs; number < end; number++ {
			v.fifo(w, number)
		}
	}
}

// fifo goes over the packets of a FIFO.
func (v *vcLanes) fifo(w *snapshot.Visitor, number uint32) {
	in := v.at(number)
	for i := in.pull; i != in.tail; i++ {
		place := in.base + uint32(i&in.mask)
		snapshot.Value(w, v.pool.packets.at(place))
		if v.pool.spans.first != nil {
			snapshot.Value(w, v.pool.spans.at(place))
		}
	}
}

// discard gives the memory back of routers that another process has got.
func (v *vcLanes) discard(x extent) {
	offheap.Discard(v.all.slice(x.lanes, x.endLanes-x.lanes))
	offheap.Discard(v.more.slice(x.lanes, x.endLanes-x.lanes))
	for _, run := range x.hosts {
		offheap.Discard(v.all.slice(v.nicLanes+run.nic*v.vcs, run.nics*v.vcs))
		offheap.Discard(v.more.slice(v.nicLanes+run.nic*v.vcs, run.nics*v.vcs))
		offheap.Discard(v.ports.slice(v.nicPorts+run.nic, run.nics))
	}
}

// stateAt goes over the ports of some routers.
func (o *outputPorts) stateAt(v *snapshot.Visitor, x extent) {
	snapshot.Values(v, o.ports.slice(x.ports, x.endPorts-x.ports))
	snapshot.Values(v, o.more.slice(x.ports, x.endPorts-x.ports))
}

// discard gives the memory back of routers that another process has got.
func (o *outputPorts) discard(x extent) {
	offheap.Discard(o.ports.slice(x.ports, x.endPorts-x.ports))
	offheap.Discard(o.more.slice(x.ports, x.endPorts-x.ports))
}
