package fabric

// pull takes the credit of packets that have left the FIFO downstream (or its stand-in) and whose space is
// known to be free by now, of so many at most.
func (b *Block) pull(out, down *lane, most uint32) {
	pull, credit := down.pull, out.credit
	for last := pull + min(most, down.head-pull); pull != last; {
		p := b.nth(down, pull)
		if p.time > b.now {
			break
		}
		credit += int32(p.flits & flitMask)
		pull++
	}
	down.pull, out.credit = pull, credit
}

// credited tells whether an output lane has credit for that many flits, and takes as much of what has
// come back as that needs.
func (b *Block) credited(out *lane, flits int32) bool {
	credit := out.credit
	if credit >= flits {
		return true
	}
	down := b.lanes.at(out.down)
	pull := down.pull
	for pull != down.head {
		p := b.nth(down, pull)
		if p.time > b.now {
			break
		}
		pull++
		if credit += int32(p.flits & flitMask); credit >= flits {
			break
		}
	}
	down.pull, out.credit = pull, credit
	return credit >= flits
}

// creditTime is when the lane will have the credit for `flits`, if the departures
// that bring it are known; otherwise Forever, and the departure that brings it
// will wake the lane's holder. It must have been tried to pull before.
func (b *Block) creditTime(out *lane, flits int32) int64 {
	down := b.lanes.at(out.down)
	lacking := flits - out.credit
	for i := down.pull; i != down.head; i++ {
		p := b.nth(down, i)
		lacking -= int32(p.flits & flitMask)
		if lacking <= 0 {
			return p.time
		}
	}
	*b.lack.at(out.down) = lacking
	down.way |= wanted
	return Forever
}

// giveBack sees to the space of a packet that departs from a router's buffer whose
// upstream side waits for credit or lies in another block, and will know of it at the time at.
func (b *Block) giveBack(r *routerState, timer uint32, in *lane, at int64, flits uint16) {
	port := in.clock
	up := b.wiring.at(port)
	vc := timer - uint32(r.first) - (port-r.ports)*b.vcs
	if in.way&outside != 0 {
		b.sendCredit(uint32(up.router), up.down+vc, at, flits)
		in.pull++
		return
	}
	b.satisfy(b.lanes.at(up.down+vc), up, in, at, flits)
}

// satisfy wakes the holder of an output lane if a packet that has left the
// FIFO downstream (or its stand-in) brings the rest of the credit that it lacks.
// port is where the lane lies, seen from downstream.
func (b *Block) satisfy(out *lane, port *portLayout, down *lane, at int64, flits uint16) {
	lack := b.lack.at(out.down)
	if *lack -= int32(flits & flitMask); *lack > 0 {
		return
	}
	down.way &^= wanted
	if port.router < 0 {
		r := b.routers.at(b.hosts[port.nic()/int32(b.spec.Graph.NICsPerHost)])
		b.arm(r, uint32(r.wakes)+uint32(port.offset), at)
		return
	}
	r := b.routers.at(uint32(port.router))
	b.arm(r, uint32(r.first)+uint32(out.holder)-1, at)
}

// leaveBehind adds a packet that has left to the FIFO from which a lane pulls its
// credit, where no packets wait (a stand-in, or a NIC's receive buffer): credit
// that is known from the time at.
func (b *Block) leaveBehind(out *lane, at int64, flits uint16) {
	down := b.lanes.at(out.down)
	*b.pool.packets.at(b.add(out, down)) = packet{time: at, flits: flits}
	down.head = down.tail
}
