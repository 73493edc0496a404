package fabric

// A FIFO keeps its ring when it becomes empty while the credit of several of its packets is on the
// way, as after every message of many packets. Many of these FIFOs get no packet for a long time.
// So before the pool of packets grows, a part of its block is searched for such rings: it grows
// only as fast as they are found to be in use.

// sweptLanes is about how many lanes are examined each time that the pool grows by a ring.
const sweptLanes = 16

// makeFree sweeps one of the routers if no smallest ring is free. It is called while a router is
// visited: between windows a block may not yet know when the next one begins.
func (v *vcLanes) makeFree() {
	if v.pool.free[smallestClass] != 0 || v.sweepEvery == 0 {
		return
	}
	if v.pool.swept++; v.pool.swept%v.sweepEvery == 0 {
		v.sweep(&v.routers[v.events.first+v.pool.swept/v.sweepEvery%v.count])
	}
}

// sweep takes the rings of a router's empty FIFOs back, if all of their credit is known upstream:
// so not that of a FIFO which has no place for another packet.
func (v *vcLanes) sweep(r *routerState) {
	for i := range uint32(r.slots) {
		in := v.at(r.lanes + i)
		if in.mask != 0 && in.head == in.tail && v.allKnown(in) {
			v.takeBack(in)
			in.way |= drained
		}
	}
	for i := range uint32(r.nNICs) * v.vcs {
		v.sweepNIC(v.nicLanes + r.nics*v.vcs + i)
	}
}

// allKnown reports whether all credit of an empty FIFO was known upstream before the window began.
// It is not if the last packet is just leaving.
func (v *vcLanes) allKnown(in *lane) bool {
	return in.timer+v.classes.at(uint32(in.class)).credit < v.events.calendar.start
}

// sweepNIC takes the ring of a NIC's receive buffer back, if its credit was known before the window
// began. The output that leads to the NIC takes all of that credit.
func (v *vcLanes) sweepNIC(number uint32) {
	in := v.at(number)
	if in.mask == 0 || in.pull != in.head && v.nth(in, in.head-1).time >= v.events.calendar.start {
		return
	}
	out := v.at(v.below(number))
	for i := in.pull; i != in.head; i++ {
		out.credit += int32(v.nth(in, i).flits & flitMask)
	}
	v.takeBack(in)
}

// takeBack takes the ring of an empty FIFO, without any credit in it.
func (v *vcLanes) takeBack(in *lane) {
	v.pool.drop(in)
	in.base, in.mask, in.pull, in.head, in.tail = 0, 0, 0, 0, 0
}

// sweeps prepares sweeping for the routers that the block has now.
func (v *vcLanes) sweeps(count uint32) {
	first, last := &v.routers[v.events.first], &v.routers[v.events.first+count-1]
	lanes := last.lanes + uint32(last.slots) - first.lanes
	v.count, v.sweepEvery = count, max(1, lanes/count/sweptLanes)
}
