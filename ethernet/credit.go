package ethernet

import (
	"math"

	"fabricast/fabric"
)

// credit is what a flow may still send if its receiver grants credit. Credit is counted in quanta
// from the beginning of the flow.
type credit struct {
	left        int64 // bytes on the wire
	most        int64
	granted     int64 // the highest credit received (quanta)
	target      int64 // the highest credit asked for (quanta)
	speculating bool  // nothing has come back yet
	asked       int64 // when it was last asked for (ps)
	retry       int64 // when it is to be asked for again (ps)
}

// startCredit gives a flow what it may send before anything is granted.
func (f *sender) startCredit(n *Network) {
	f.credit.retry = fabric.Forever
	if !n.needs.Credit {
		return
	}
	f.credit.most = n.initialCredit(f.path.BDP())
	f.credit.left, f.credit.speculating, f.credit.asked = f.credit.most, true, math.MinInt64/2
}

// initialCredit returns what a flow may send before it is granted anything (bytes), by the
// bandwidth-delay product of its way.
func (l *layout) initialCredit(bdp int64) int64 {
	if c := l.NIC.Credit.Initial; c > 0 {
		return c
	}
	return max(1, int64(initialCredit*float64(bdp))) // with none, nothing is ever sent
}

// stopSpeculating takes back what was given before the receiver had said anything.
func (f *sender) stopSpeculating() {
	if f.credit.speculating {
		f.credit.speculating = false
		f.credit.left = min(f.credit.left, 0)
	}
}

// spend takes credit for a packet, which tells the receiver how much more is wanted.
func (b *Block) spend(f *sender, k *packet) {
	if !b.net.needs.Credit {
		return
	}
	f.credit.left -= int64(k.size)
	b.want(f)
	k.wanted = uint64(f.credit.target)
}

// want computes how much credit a flow asks for: what it has to send, at most a window, divided
// among the flows of its NIC.
func (b *Block) want(f *sender) {
	c := &b.net.NIC.Credit
	bytes := f.backlog + f.lostSize
	if w := f.limits.Window; w < math.MaxInt64/2 {
		bytes = min(bytes, w+b.net.Packet.MTU)
	}
	bytes = min(bytes, f.credit.most) - f.credit.left
	if f.credit.speculating && bytes < b.net.Packet.MTU && f.backlog > 0 {
		bytes = b.net.Packet.MTU
	}
	if active := int64(b.net.nics[f.nic].wanting()) + 1; active > 1 {
		bytes /= active
	}
	bytes += f.credit.granted * c.Quantum
	f.credit.target = (bytes + c.Quantum - 1) / c.Quantum
}

// granted processes credit from the receiver.
func (b *Block) granted(f *sender, k *packet) {
	f.stopSpeculating()
	if credit := int64(k.received); credit > f.credit.granted {
		f.credit.left = min(f.credit.left+(credit-f.credit.granted)*b.net.NIC.Credit.Quantum, f.credit.most)
		f.credit.granted = credit
		f.credit.retry = fabric.Forever
		f.asks, f.gaveUp = 0, false
	}
	b.react(f)
}

// starves reports whether a flow waits for credit of which its receiver may not know.
func (b *Block) starves(f *sender) bool {
	return b.net.needs.Credit && !f.gaveUp && f.credit.left <= 0 && f.flying <= 0 && f.credit.retry == fabric.Forever &&
		f.backlog+f.lostSize > 0
}

// insist asks for credit. If the receiver has been told of more than it has granted, that is likely to
// come, and the flow asks only if it does not.
func (b *Block) insist(f *sender) {
	if f.credit.target > f.credit.granted {
		f.credit.retry = b.now + b.timeout(f.late)
		return
	}
	b.ask(f)
}

// ask sends a packet that asks for credit, at most one in a round trip, and one more if nothing comes
// back.
func (b *Block) ask(f *sender) {
	f.credit.retry = fabric.Forever
	if f.backlog+f.lostSize == 0 {
		return
	}
	if wait := f.credit.asked + f.path.NetworkRTT; wait > b.now {
		f.credit.retry = wait
		return
	}
	if f.gaveUp = b.givesUp(f); f.gaveUp {
		return
	}
	f.asks = min(f.asks+1, mostAsks)
	f.credit.asked, f.credit.retry = b.now, b.now+b.timeout(f.late)
	b.want(f)
	id, k := b.packets.take()
	*k = packet{
		src: f.nic, dst: f.dst, flow: f.number, kind: request, size: uint32(b.net.Packet.Control),
		wanted: uint64(f.credit.target), entropy: b.net.NIC.Paths.Next(f.choice, b.now), sent: b.now,
	}
	if b.follows {
		b.about(id, b.asksFor(f))
	}
	b.counts.Requests++
	b.queueControl(f.nic, id)
}

// asksFor returns the trail of the message for which a flow asks for credit.
func (b *Block) asksFor(f *sender) *trail {
	psn := f.next
	if f.lost > 0 {
		psn = f.firstLost()
	}
	t := f.messageOf(psn)
	return &t
}

// grants is how a NIC divides its link among the flows that it receives: those that want credit get
// it in turn, others get some in advance, at most a window.
type grants struct {
	active, idle ring[uint32] // indexes of receivers
	running      bool         // the next grant is scheduled
}

// wants records the credit that a flow asks for.
func (b *Block) wants(r *receiver, target int64) {
	if !b.net.needs.Credit || target <= r.target {
		return
	}
	r.target = target
	b.enlist(r)
}

// enlist puts a flow into the list of those that get credit in turn.
func (b *Block) enlist(r *receiver) {
	if r.active {
		return
	}
	r.active = true
	g := &b.net.nics[r.nic].grants
	g.active.push(r.index)
	if !g.running {
		g.running = true
		b.push(b.now, grantEvent, uint64(uint32(r.nic)), 0)
	}
}

// grant gives credit to the next flow of a NIC.
func (b *Block) grant(at int32) {
	g := &b.net.nics[at].grants
	c := &b.net.NIC.Credit
	each := max(1, c.Grant/c.Quantum)
	quanta := int64(0)
	switch {
	case g.active.count > 0:
		r := b.receivers[g.active.pop()]
		before := r.granted
		r.granted = max(before, min(before+each, r.target))
		quanta = r.granted - before
		b.sendGrant(r)
		if r.target > r.granted {
			g.active.push(r.index)
		} else {
			r.active = false
			if !r.idle {
				r.idle = true
				g.idle.push(r.index)
			}
		}
	case g.idle.count > 0:
		r := b.receivers[g.idle.pop()]
		r.granted += each
		quanta = each
		b.sendGrant(r)
		if r.target <= r.granted && r.granted-r.target < r.mostCredit/c.Quantum && !r.done() {
			g.idle.push(r.index)
		} else {
			r.idle = false
		}
	default:
		g.running = false
		return
	}
	if quanta == 0 { // some time passes between grants that bring nothing
		quanta = max(1, leastGrant/c.Quantum)
	}
	rate := float64(b.net.rateOf(at)) * c.Share
	b.push(b.now+int64(float64(quanta*c.Quantum)/rate*1e12), grantEvent, uint64(uint32(at)), 0)
}

// leastGrant is the credit (bytes) whose time passes after a grant that brings nothing.
const leastGrant = 1024

// sendGrant sends the credit of a flow to its sender.
func (b *Block) sendGrant(r *receiver) {
	r.entropy++
	id, k := b.packets.take()
	*k = packet{
		src: r.nic, dst: r.src, flow: r.flow, kind: pull, size: uint32(b.net.Packet.Control),
		received: uint64(r.granted), entropy: r.entropy,
	}
	b.about(id, &r.last)
	b.counts.Grants++
	b.queueControl(r.nic, id)
}
