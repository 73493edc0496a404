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
	if in.gone == 0 {
		return false
	}
	p := b.pool.packets.at(in.pull)
	if p.time > b.now {
		return false
	}
	vc.credit += int32(p.flits & flitMask)
	in.gone--
	b.pool.drop(in)
	return true
}

// gonePackets is how many packets that have left may stay in a FIFO before the
// upstream side takes their credit unasked, to reuse their memory.
const gonePackets = 8

// reclaim keeps the list of packets that have left a FIFO short: those whose
// credit is still under way, and a few more.
func (b *Block) reclaim(vc *output, in *fifo) {
	for b.pullOne(vc, in) {
	}
}

// creditTime is when the channel will have the credit for `flits`, if the departures
// that bring it are known; otherwise Forever, and the departure that brings it
// will wake the channel's holder. It must have been tried to pull before.
func (b *Block) creditTime(vc *output, flits int32) int64 {
	in := b.in.at(vc.down)
	lacking := flits - vc.credit
	for n := in.pull; n != in.head; n = b.pool.after(n) {
		p := b.pool.packets.at(n)
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
		in.gone--
		b.pool.drop(in)
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

// leaveBehind adds to a FIFO in which no packets wait (a stand-in, or a NIC's
// receive buffer) one that has left: credit to be pulled from the time at.
func (b *Block) leaveBehind(in *fifo, at int64, flits uint16) {
	n := b.pool.place(in)
	*b.pool.packets.at(n) = packet{time: at, flits: flits}
	in.head = in.tail
	in.gone++
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
