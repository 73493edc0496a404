package fabric

// pull takes the credit that has come back by now, as far as it is needed, and
// tells whether the channel then has at least `flits`.
func (b *Block) pull(vc *output, flits int32) bool {
	in := b.in.at(vc.down)
	for vc.credit < flits && b.pullOne(vc, in) {
	}
	return vc.credit >= flits
}

// pullOne takes the credit of the oldest packet that has left the FIFO, if it is known by now.
func (b *Block) pullOne(vc *output, in *fifo) bool {
	if in.pull == in.head {
		return false
	}
	p := b.pool.packets.at(in.at(in.pull))
	if p.time > b.now {
		return false
	}
	vc.credit += int32(p.flits & flitMask)
	in.pull++
	return true
}

// creditTime is when the channel will have the credit for `flits`, if the departures
// that bring it are known; otherwise Forever, and the departure that brings it
// will wake the channel's holder. It must have been tried to pull before.
func (b *Block) creditTime(vc *output, flits int32) int64 {
	in := b.in.at(vc.down)
	lacking := flits - vc.credit
	for i := in.pull; i != in.head; i++ {
		p := b.pool.packets.at(in.at(i))
		lacking -= int32(p.flits & flitMask)
		if lacking <= 0 {
			return p.time
		}
	}
	in.want = lacking
	return Forever
}

// credit sees to a departed packet p of a FIFO whose upstream side `up`, virtual
// channel vc, waits for credit or lies in another block.
func (b *Block) credit(up *portLayout, vc uint32, in *fifo, p *packet) {
	if up.router >= 0 && uint32(up.router)-b.first >= b.count {
		b.sendCredit(uint32(up.router), up.down+vc, p)
		in.pull++
		return
	}
	if in.want > 0 {
		in.want -= int32(p.flits & flitMask)
		if in.want <= 0 {
			in.want = 0
			b.wakeHolder(up, vc, p.time)
		}
	}
}

// leaveBehind adds a packet that has left to the FIFO from which vc pulls its
// credit, where no packets wait (a stand-in, or a NIC's receive buffer): credit
// that is known from the time at.
func (b *Block) leaveBehind(vc *output, at int64, flits uint16) {
	in := b.in.at(vc.down)
	*b.pool.packets.at(b.add(vc, in)) = packet{time: at, flits: flits}
	in.head = in.tail
}

// wakeHolder arms the timer of the packet that waits for credit on virtual
// channel vc of the port or NIC at the other end of the link.
func (b *Block) wakeHolder(up *portLayout, vc uint32, at int64) {
	holder := uint32(b.out.at(up.down + vc).holder)
	if up.nic >= 0 {
		router := b.hosts[up.nic/int32(b.spec.Graph.NICsPerHost)]
		b.arm(router, uint32(b.routers.at(router).nHosts)+uint32(up.offset), at)
		return
	}
	router := uint32(up.router)
	b.arm(router, uint32(b.routers.at(router).first)+holder-1, at)
}
