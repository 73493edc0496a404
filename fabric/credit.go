package fabric

// pull takes the credit that has come back by now, and tells whether the
// channel then has at least `flits`.
func (b *Block) pull(vc *output, flits int32) bool {
	b.pullFrom(vc, b.in.at(vc.down), vc.down)
	return vc.credit >= flits
}

// pullFrom takes the credit of the packets that have left the FIFO and whose
// space is known to be free by now.
func (b *Block) pullFrom(vc *output, in *fifo, channel uint32) {
	pull, credit := in.pull, vc.credit
	mask := b.extras.at(channel).size() - 1
	for pull != in.head {
		p := b.pool.packets.at(in.base + pull&mask)
		if p.time > b.now {
			break
		}
		credit += int32(p.flits & flitMask)
		pull++
	}
	in.pull, vc.credit = pull, credit
}

// creditTime is when the channel will have the credit for `flits`, if the departures
// that bring it are known; otherwise Forever, and the departure that brings it
// will wake the channel's holder. It must have been tried to pull before.
func (b *Block) creditTime(vc *output, flits int32) int64 {
	in := b.in.at(vc.down)
	lacking := flits - vc.credit
	for i := in.pull; i != in.head; i++ {
		p := b.nth(in, vc.down, i)
		lacking -= int32(p.flits & flitMask)
		if lacking <= 0 {
			return p.time
		}
	}
	vc.lack = lacking
	*b.extras.at(vc.down) |= extraWanted
	return Forever
}

// credit sees to a packet p that has departed from a FIFO (given by its number) whose upstream
// side “up“, virtual channel vc, waits for credit or lies in another block.
func (b *Block) credit(up *portLayout, vc, channel uint32, p *packet) {
	if up.router >= 0 && uint32(up.router)-b.first >= b.count {
		b.sendCredit(uint32(up.router), up.down+vc, p)
		b.in.at(channel).pull++
		return
	}
	if *b.extras.at(channel)&extraWanted != 0 {
		b.satisfy(b.out.at(up.down+vc), up, channel, p)
	}
}

// satisfy wakes the holder of an output channel if a packet that has left the
// FIFO downstream (or its stand-in) brings the rest of the credit that it lacks.
func (b *Block) satisfy(vc *output, up *portLayout, channel uint32, p *packet) {
	vc.lack -= int32(p.flits & flitMask)
	if vc.lack > 0 {
		return
	}
	*b.extras.at(channel) &^= extraWanted
	if up.router < 0 {
		router := b.hosts[up.nic()/int32(b.spec.Graph.NICsPerHost)]
		b.arm(router, uint32(b.routers.at(router).nHosts)+uint32(up.offset), p.time)
		return
	}
	b.armSlot(uint32(up.router), b.routers.at(uint32(up.router)).channels+uint32(vc.holder)-1, p.time)
}

// leaveBehind adds a packet that has left to the FIFO from which vc pulls its
// credit, where no packets wait (a stand-in, or a NIC's receive buffer): credit
// that is known from the time at.
func (b *Block) leaveBehind(vc *output, at int64, flits uint16) {
	in := b.in.at(vc.down)
	*b.pool.packets.at(b.add(vc, in, vc.down)) = packet{time: at, flits: flits}
	in.head = in.tail
}
