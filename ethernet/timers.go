package ethernet

import (
	"fabricast/fabric"
)

// setAlarm schedules the earliest timer of a flow. Events that are no longer due are ignored when
// they come.
func (b *Block) setAlarm(f *sender) {
	at := min(f.expiry, b.net.NIC.Control.Due(f.control), f.credit.retry)
	if f.after > b.now && !f.ready && f.nextSize(b.net) > 0 {
		at = min(at, f.after)
	}
	if at < f.alarm {
		f.alarm = max(at, b.now)
		b.push(f.alarm, flowEvent, place(f.nic, f.number), f.index)
	}
}

// alarm processes the timers of a flow that are due.
func (b *Block) alarm(index uint32) {
	f := b.senders[index]
	if f.alarm != b.now {
		return
	}
	f.alarm = fabric.Forever
	if f.expiry <= b.now {
		b.expire(f)
	}
	if b.net.NIC.Control.Due(f.control) <= b.now {
		b.net.NIC.Control.Timer(f.control, &f.path, b.state(f))
	}
	if f.credit.retry <= b.now {
		b.ask(f)
	}
	b.react(f)
}

// mostDoublings limits how often a timeout is doubled.
const mostDoublings = 10

// timeout returns how long (ps) a packet of a flow may be without acknowledgement. It doubles with
// every timeout after which nothing new has been acknowledged, as that of TCP (RFC 6298).
func (b *Block) timeout(f *sender) int64 {
	if b.net.NIC.Timeout < 0 { // of requests for credit
		return leastTimeout << f.late
	}
	return b.net.NIC.Timeout << f.late
}

// recalculate makes sure that no timeout is kept if nothing is under way.
func (b *Block) recalculate(f *sender) {
	if f.una == f.next {
		f.expiry = fabric.Forever
	}
}

// expire sends packets again that have not been acknowledged in time, and finds out when the next
// timeout is.
func (b *Block) expire(f *sender) {
	timeout := b.timeout(f)
	next, size := fabric.Forever, int64(0)
	for psn := f.una; psn < f.next; psn++ {
		p := f.record(psn)
		if p.state != flying {
			continue
		}
		if p.at+timeout > b.now {
			next = min(next, p.at+timeout)
			continue
		}
		size += int64(p.size)
		f.lose(psn, p, b.now)
		b.net.NIC.Paths.Expired(f.choice, p.entropy, b.now)
	}
	f.expiry = next
	if size == 0 {
		return
	}
	f.late = min(f.late+1, mostDoublings)
	b.counts.Timeouts++
	if s := b.sample(f); s != nil {
		s.Timeouts++
	}
	if b.net.NIC.Retransmission == GoBackN {
		for psn := f.una; psn < f.next; psn++ {
			if p := f.record(psn); p.state == flying {
				f.lose(psn, p, b.now)
			}
		}
		f.expiry = fabric.Forever
	}
	f.stopSpeculating()
	b.net.NIC.Control.Lost(f.control, &f.path, b.state(f), size)
	f.limits = b.net.NIC.Control.Limits(f.control, &f.path)
	if b.net.needs.Credit && f.credit.left <= 0 {
		b.ask(f)
	}
}
