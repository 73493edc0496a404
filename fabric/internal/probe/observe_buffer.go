package probe

import (
	"fabricast/fabric/model"
	"fabricast/internal/units"
)

// BufferTally is the occupancy of a buffer in the current bin, up to the time last (ps).
type BufferTally struct {
	last int64 // time of the last update (ps)
	held int64 // integral of the occupancy (flit·ps)
	peak int64 // maximum occupancy (flits)
}

// laterBuffer is the occupancy of a buffer in a later bin, from the time last (ps) on.
type laterBuffer struct {
	number uint32
	BufferTally
}

// piled is a packet in a buffer: its size in flits, and its time of arrival (ps).
type piled struct{ flits, since int64 }

// take adds the occupancy by the packets of pile up to the time `to` (ps). A packet that leaves
// exactly at the start of a bin is not in that bin, whether or not a window starts at the same
// time.
func (t *BufferTally) take(pile []piled, to int64) {
	if to == t.last {
		return
	}
	var there int64
	for _, p := range pile {
		if p.since < to {
			t.held += p.flits * (to - max(p.since, t.last))
			there += p.flits
		}
	}
	t.peak = max(t.peak, there)
	t.last = to
}

// measure updates the tally of a buffer up to now. x.pile holds the packets in the buffer.
func (x *Observer) measure(number uint32) {
	t, now := &x.buffers[number], x.events.Now
	if t.last < x.until {
		t.take(x.pile, min(now, x.until))
	}
	for t.last < now {
		l := laterBuffer{number, BufferTally{last: t.last}}
		next := x.until + (t.last-x.until)/x.interval*x.interval + x.interval
		l.take(x.pile, min(now, next))
		t.last, l.last = l.last, t.last
		x.laterBuffers = append(x.laterBuffers, l)
	}
}

// takeLaterBuffers adds the counts that belong to the bin that has just started.
func (x *Observer) takeLaterBuffers() {
	left := x.laterBuffers[:0]
	for _, l := range x.laterBuffers {
		if l.last >= x.until {
			left = append(left, l)
			continue
		}
		t := &x.buffers[l.number]
		t.held += l.held
		t.peak = max(t.peak, l.peak)
	}
	x.laterBuffers = left
}

// bufferRows appends the rows of the buffers that held packets, up to the end of the bin.
func (x *Observer) bufferRows(rows []model.BufferBin) []model.BufferBin {
	x.filled = false
	for i := range x.buffers {
		t, number := &x.buffers[i], uint32(i)
		if t.last < x.until && x.pileOf(number) {
			x.filled = true
			t.take(x.pile, x.until)
		}
		if t.peak > 0 && x.LinkOf[x.firstPort+number/x.numVCs] >= 0 {
			flit := x.spec.Packet.Flit
			rows = append(rows, model.BufferBin{
				Port: x.PortOf[x.firstPort+number/x.numVCs], VC: int32(number % x.numVCs),
				Held: t.held * flit, Peak: units.Bytes(t.peak * flit),
			})
		}
		*t = BufferTally{last: max(t.last, x.until)}
	}
	return rows
}

// pileOf lists the packets in the buffer of a VC, and reports whether there are any.
func (x *Observer) pileOf(number uint32) bool {
	if x.general != nil {
		x.pileUpGeneral(x.firstVC + number)
	} else {
		x.pileUp(number, x.vcs.At(x.firstVC+number))
	}
	return len(x.pile) > 0
}
