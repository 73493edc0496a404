package fabric

// pull takes the credit that has come back by now, as far as it is needed, and
// tells whether the channel then has at least `flits`.
func (b *Block) pull(vc *output, flits int32) bool {
	in := &b.in[vc.down]
	for vc.credit < flits && b.pullOne(vc, in) {
	}
	return vc.credit >= flits
}

// pullOne takes the credit of the oldest packet that has left the FIFO, if it is known by now.
func (b *Block) pullOne(vc *output, in *fifo) bool {
	if in.gone == 0 {
		return false
	}
	p := &b.pool.packets[in.pull]
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
	in := &b.in[vc.down]
	lacking := flits - vc.credit
	for n := in.pull; n != in.head; n = b.pool.after(n) {
		p := &b.pool.packets[n]
		lacking -= int32(p.flits & flitMask)
		if lacking <= 0 {
			return p.time
		}
	}
	in.want = lacking
	return Forever
}

// credit gives the space of packet n, whose tail leaves at the time leave, back to
// the upstream side `up` of its link; vc is the virtual channel.
func (b *Block) credit(up *portLayout, vc uint32, in *fifo, n uint32, leave int64) {
	p := &b.pool.packets[n]
	p.time = leave + b.classes[up.class].credit
	if up.router >= 0 && uint32(up.router)-b.first >= b.count {
		b.sendCredit(uint32(up.router), up.down+vc, p)
		b.pool.drop(in)
		return
	}
	in.gone++
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
	b.pool.packets[n] = packet{time: at, flits: flits}
	in.head = in.tail
	in.gone++
}

// wakeHolder arms the timer of the packet that waits for credit on virtual
// channel vc of the port or NIC at the other end of the link.
func (b *Block) wakeHolder(up *portLayout, vc uint32, at int64) {
	holder := uint32(b.out[up.down+vc].holder)
	if up.nic >= 0 {
		router := b.hosts[up.nic/int32(b.spec.Graph.NICsPerHost)]
		b.arm(router, uint32(b.routers[router].nHosts)+uint32(up.offset), at)
		return
	}
	router := uint32(up.router)
	b.arm(router, uint32(b.routers[router].first)+holder-1, at)
}
