package ethernetoracle

import "fabricast/ethernet"

// receiver is a flow where it ends.
type receiver struct {
	flow     *sender
	nic      *nic
	messages []job
	arrived  map[int]bool // packets
	bytes    int64        // of those, on the wire
	since    int64        // of those, since the last acknowledgement
	answers  bool         // it is to acknowledge when no packet is missing
	known    int          // end of the messages of which some packet has come

	notified int64 // when the last notification of congestion was sent (ps)
	backTo   int   // packet that the sender was last told to go back to; -1: none
	backAt   int64 // when (ps)

	wanted, granted int64 // quanta
	mostCredit      int64 // bytes
	grants          int
	last            int // message of the last packet with payload, or that asked for credit
}

// first returns the first packet that is missing.
func (r *receiver) first() int {
	psn := 0
	for r.arrived[psn] {
		psn++
	}
	return psn
}

// done reports whether all messages have arrived of which any packet has come.
func (r *receiver) done() bool { return r.first() == r.known }

// receiveData takes a packet with payload, or one that has lost it.
func (n *network) receiveData(r *receiver, p *packet) {
	had := r.arrived[p.psn]
	if p.cut && had {
		n.acknowledge(r, p, false)
		return
	}
	n.wants(r, p)
	if !had {
		r.known = max(r.known, r.messageOf(p.psn).end)
	}
	if p.cut {
		if n.spec.NIC.Retransmission == ethernet.GoBackN {
			n.sendBack(r, p)
		} else {
			n.refuse(r, p)
		}
		if n.needs.Credit {
			n.activate(r)
		}
		return
	}
	n.notify(r, p)
	if had {
		n.counts.Duplicates++
		n.acknowledge(r, p, p.marked)
		return
	}
	n.accept(r, p)
}

// messageOf returns the message that a packet belongs to.
func (r *receiver) messageOf(psn int) job {
	for _, m := range r.messages {
		if psn < m.end {
			return m
		}
	}
	panic("ethernetoracle: a packet of no message")
}

// accept takes a packet that has not arrived before.
func (n *network) accept(r *receiver, p *packet) {
	if p.psn != r.first() {
		n.counts.OutOfOrder++
		if n.spec.NIC.Retransmission == ethernet.GoBackN {
			n.counts.Discarded++
			n.lose(p, n.lastFillers(r.flow.packets[r.first()]))
			n.sendBack(r, p)
			return
		}
	}
	first := len(r.arrived) == 0
	inOrder := p.psn == r.first()
	r.arrived[p.psn] = true
	r.bytes += p.size
	r.since += p.size
	n.counts.Delivered++
	n.counts.Latency += n.now - p.sent
	n.complete(r, p)
	r.answers = r.answers || p.answer
	force := first || p.answer || p.marked || r.since >= n.spec.NIC.AckEvery || n.spec.NIC.Timeout < 0
	if inOrder && r.answers && r.first() == len(r.arrived) { // none is missing before another
		force, r.answers = true, false
	}
	if force {
		n.acknowledge(r, p, p.marked || p.answer)
	}
}

// complete delivers the message of a packet if it was the last.
func (n *network) complete(r *receiver, p *packet) {
	begin, psn := 0, p.psn
	for _, m := range r.messages {
		if psn >= m.end {
			begin = m.end
			continue
		}
		for i := begin; i < m.end; i++ {
			if !r.arrived[i] {
				return
			}
		}
		n.got[m.message], n.last[m.message] = n.now, p
		n.counts.Bytes += uint64(n.messages[m.message].Size)
		return
	}
}

// reported is the number of packets after its base of which an acknowledgement tells.
const reported = 64

// acknowledge sends an acknowledgement caused by a packet. It tells of the packets from that one on,
// or otherwise of those up to it.
func (n *network) acknowledge(r *receiver, p *packet, from bool) {
	base := p.psn
	if !from {
		base = max(r.first()+1, p.psn-(reported-1))
	}
	a := n.back(r, p, acknowledgement)
	a.marked, a.hops = p.marked, p.hops
	for psn := base; psn < base+reported; psn++ {
		if r.arrived[psn] {
			a.report.arrived = append(a.report.arrived, psn)
		}
	}
	r.since = 0
	n.counts.Acks++
	n.reply(r.nic, a)
}

// back returns a packet that tells the sender of a packet of its own.
func (n *network) back(r *receiver, p *packet, kind packetKind) *packet {
	return &packet{
		kind: kind, message: p.message, dst: r.flow.nic.id, flow: r.flow.number, psn: p.psn, times: p.times, entropy: p.entropy,
		sent: p.sent, report: report{upTo: r.first(), bytes: r.bytes},
	}
}

// refuse tells the sender that a packet was cut, or is of no use.
func (n *network) refuse(r *receiver, p *packet) {
	a := n.back(r, p, refusal)
	a.marked, a.cutAtLastHop = p.marked, p.cutAtLastHop
	n.counts.Nacks++
	n.reply(r.nic, a)
}

// sendBack tells the sender to go back to the first packet that is missing.
func (n *network) sendBack(r *receiver, p *packet) {
	if r.backTo != r.first() || n.now-r.backAt >= n.spec.NIC.NackEvery {
		r.backTo, r.backAt = r.first(), n.now
		n.refuse(r, p)
	}
}

// notify notifies the sender of a mark.
func (n *network) notify(r *receiver, p *packet) {
	if every := n.needs.Notify; every > 0 && p.marked && n.now-r.notified >= every {
		r.notified = n.now
		n.counts.Notifications++
		n.reply(r.nic, &packet{
			kind: notification, message: p.message, dst: r.flow.nic.id, flow: r.flow.number, entropy: p.entropy,
		})
	}
}
