package ethernetoracle

import (
	"slices"

	"fabricast/ethernet/control"
)

// initialCredit returns what a flow may send before it is granted anything, and the most that it may
// have (bytes).
func (n *network) initialCredit(path *control.Path) int64 {
	if given := n.spec.NIC.Credit.Initial; given != 0 {
		return given
	}
	return max(1, path.BDP()*3/2)
}

// stopSpeculating takes back what is left of the initial credit when something has come back.
func (f *sender) stopSpeculating() {
	if f.speculates {
		f.speculates = false
		f.credit = min(f.credit, 0)
	}
}

// wantedBy returns the credit that a flow asks for (quanta, from the begin of the flow).
func (n *network) wantedBy(f *sender) int64 {
	more := min(f.backlog()+f.missing(), f.mostCredit)
	if window := n.limitsOf(f).Window; window != control.Unlimited {
		more = min(more, window+n.spec.Packet.MTU)
	}
	more -= f.credit
	if f.speculates && f.backlog() > 0 {
		more = max(more, n.spec.Packet.MTU)
	}
	more /= int64(len(f.nic.ready) + 1)
	quantum := n.spec.NIC.Credit.Quantum
	return (f.granted*quantum + more + quantum - 1) / quantum
}

// ask asks for credit, or does so later.
func (n *network) ask(f *sender) {
	f.nextRequest = never
	if f.backlog()+f.missing() == 0 {
		return
	}
	if again := f.lastRequest + f.path.NetworkRTT; again > n.now {
		f.nextRequest = again
		return
	}
	if f.stopped = n.givesUp(f); f.stopped {
		return
	}
	f.asks++
	f.lastRequest, f.nextRequest = n.now, n.now+n.timeoutOf(f.late)
	n.counts.Requests++
	f.asked = n.wantedBy(f)
	n.reply(f.nic, &packet{
		kind: request, message: f.packets[f.nextOf()].message, dst: f.dst, flow: f.number, wanted: f.asked, sent: n.now,
		entropy: n.spec.NIC.Paths.Next(f.choice, n.now),
	})
}

// granted processes credit from the receiver.
func (n *network) granted(f *sender, p *packet) {
	f.stopSpeculating()
	if p.credit > f.granted {
		f.credit = min(f.credit+(p.credit-f.granted)*n.spec.NIC.Credit.Quantum, f.mostCredit)
		f.granted = p.credit
		f.nextRequest = never
		f.asks, f.stopped = 0, false
	}
	n.changedThenStart(f)
}

// wants records the credit that a packet with payload asks for.
func (n *network) wants(r *receiver, p *packet) {
	if n.needs.Credit && p.wanted > r.wanted {
		r.wanted = p.wanted
		n.activate(r)
	}
}

// activate puts a flow into the list of those that get credit in turn.
func (n *network) activate(r *receiver) {
	if slices.Contains(r.nic.active, r) {
		return
	}
	r.nic.active = append(r.nic.active, r)
	if !r.nic.granting {
		r.nic.granting = true
		n.at(n.now, grantIsDue, r.nic.id, 0, func() { n.grant(r.nic) })
	}
}

// leastGrant is the credit (bytes) whose time passes after a grant of nothing.
const leastGrant = 1024

// grant grants credit to the next flow of a NIC.
func (n *network) grant(to *nic) {
	quantum := n.spec.NIC.Credit.Quantum
	each := max(1, n.spec.NIC.Credit.Grant/quantum)
	var r *receiver
	more := each
	switch {
	case len(to.active) > 0:
		r, to.active = to.active[0], to.active[1:]
		more = max(0, min(each, r.wanted-r.granted))
		r.granted += more
		if r.wanted > r.granted {
			to.active = append(to.active, r)
		} else if !slices.Contains(to.idle, r) {
			to.idle = append(to.idle, r)
		}
	case len(to.idle) > 0:
		r, to.idle = to.idle[0], to.idle[1:]
		r.granted += more
		ahead := r.granted - r.wanted
		if ahead >= 0 && ahead < r.mostCredit/quantum && !r.done() {
			to.idle = append(to.idle, r)
		}
	default:
		to.granting = false
		return
	}
	r.grants++
	n.counts.Grants++
	n.reply(to, &packet{
		kind: grant, message: r.last, dst: r.flow.nic.id, flow: r.flow.number, credit: r.granted, entropy: uint16(r.grants),
	})
	if more == 0 {
		more = max(1, leastGrant/quantum)
	}
	rate := float64(n.rateOf(to.id)) * n.spec.NIC.Credit.Share
	pause := int64(float64(more*quantum) / rate * 1e12)
	n.at(n.now+pause, grantIsDue, to.id, 0, func() { n.grant(to) })
}
