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
	down.lack = uint16(lacking)
	down.way |= wanted
	return Forever
}

// giveBack sees to the space of a packet that departs from a router's buffer whose
// upstream side waits for credit or lies in another block, and will know of it at the time at.
func (b *Block) giveBack(r *routerState, timer uint32, in *lane, at int64, flits uint16) {
	if in.way&outside != 0 {
		port := in.clock
		up := b.wiring.at(port)
		vc := timer - uint32(r.first) - (port-r.ports)*b.vcs
		b.sendCredit(uint32(up.router), up.down+vc, at, flits)
		in.pull++
		return
	}
	if !in.enough(flits) {
		return
	}
	if in.way&host != 0 {
		b.arm(r, uint32(r.wakes)+uint32(^in.router)-r.nics, at)
		return
	}
	b.rouse(uint32(in.router), in.down, at) // a port leads both ways to the same one
}

// enough tells whether a packet that has left a lane's FIFO (or a stand-in's) brings the rest of the
// credit that the holder upstream lacks, who then does not wait for it any more.
func (l *lane) enough(flits uint16) bool {
	if flits &= flitMask; flits < l.lack {
		l.lack -= flits
		return false
	}
	l.way &^= wanted
	return true
}

// rouse lets the holder of an output lane, given by its number and its router, try again at the time at.
func (b *Block) rouse(router, number uint32, at int64) {
	out := b.lanes.at(number)
	timer := uint32(out.holder) - 1
	ahead := b.calendar.ahead(at)
	if ahead == 0 || ahead >= wheel || !b.plain {
		b.arm(b.routers.at(router), timer, at)
		return
	}
	b.lanes.at(number - uint32(out.number) + timer).timer = at
	b.noteNear(router, timer, ahead) // without the router's record, which is not at hand
}

// leaveBehind adds a packet that has left to the FIFO from which a lane pulls its
// credit, where no packets wait (a stand-in, or a NIC's receive buffer): credit
// that is known from the time at.
func (b *Block) leaveBehind(out *lane, at int64, flits uint16) {
	down := b.lanes.at(out.down)
	*b.pool.packets.at(b.add(out, down)) = packet{time: at, flits: flits}
	down.head = down.tail
}
