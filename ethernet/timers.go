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

// timeout returns how long (ps) a packet may be without acknowledgement that was sent after so many
// timeouts in a row. It doubles with every timeout of a packet that was sent after the one before, until
// something new is acknowledged, as that of TCP (RFC 6298).
func (b *Block) timeout(late uint8) int64 {
	if b.net.NIC.Timeout < 0 { // of requests for credit
		return leastTimeout << late
	}
	return b.net.NIC.Timeout << late
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
	next, size, doubles := fabric.Forever, int64(0), false
	for psn := f.una; psn < f.next; psn++ {
		p := f.record(psn)
		if p.state != flying {
			continue
		}
		if due := p.at + b.timeout(p.late); due > b.now {
			next = min(next, due)
			continue
		}
		doubles = doubles || p.late >= f.late
		size += int64(p.size)
		f.lose(psn, p, b.now)
		b.net.NIC.Paths.Expired(f.choice, p.entropy, b.now)
	}
	f.expiry = next
	if size == 0 {
		return
	}
	if f.gaveUp = b.givesUp(f); f.gaveUp {
		f.expiry = fabric.Forever
		return
	}
	if doubles {
		f.late = min(f.late+1, mostDoublings)
	}
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
