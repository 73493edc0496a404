package fabric

import "math/bits"

// round is the state of a round robin among the packets with fixed routes that wait for a port that
// has become free. Under overload many packets wait. The round then finds the first one in order in
// the bitmap of waiting slots and looks at no other. A packet that holds an output of the port is a
// contender of its own.
type round struct {
	port    uint32
	open    uint64 // outputs of the port, from its first one on, that nobody holds
	last    uint32 // slot at which it begins
	next    uint32 // slot to go on with
	wrapped bool   // the slots before `last` are being looked at
	slot    uint32 // being looked at
	// outputs of the port that this slot's packets wait for and have not tried; bit 0 is the port's
	// first output
	outs  uint64
	first contender
}

// open begins a round for a port that has become free.
func (t *contest) open(port uint32) {
	last := uint32(t.crossbar.at(port).last) % t.crossbar.slots()
	t.rounds = append(t.rounds, round{port: port, last: last, next: last})
	t.inRounds.setSpan(port*t.vcs, t.portMask)
}

// begin finds the outputs that no packet holds, and adds the holders of the others as contenders.
func (t *contest) begin(r *round) {
	base := r.port * t.vcs
	for i := range t.vcs {
		holder := t.out.at(base + i).holder
		if holder == 0 {
			r.open |= 1 << i
			continue
		}
		slot := uint32(holder) - 1
		if t.crossbar.inputs.has(slot) {
			t.add(slot, base+i, t.in.head(slot, base+i))
		}
	}
}

// find sets the round's first packet to the next one that may still start. It returns false if
// there is none.
func (t *contest) find(r *round) bool {
	base := r.port * t.vcs
	for r.open != 0 && t.crossbar.outputs.has(base) {
		if r.outs &= r.open; r.outs != 0 && t.crossbar.inputs.has(r.slot) {
			t.oldest(r, base)
			return true
		}
		if !t.turn(r) {
			return false
		}
		r.outs = t.asksAt(r.slot, base)
	}
	return false
}

// turn advances the round to the next slot with packets that wait for the port. It returns false if
// there is none.
func (t *contest) turn(r *round) bool {
	waiters := t.waits.waitersFor(r.port)
	for {
		end := t.crossbar.slots()
		if r.wrapped {
			end = r.last
		}
		for w := r.next >> 6; w < t.words; w++ {
			m := *waiters.word(w) & *t.crossbar.inputs.word(w)
			if w == r.next>>6 {
				m &= ^uint64(0) << (r.next & 63)
			}
			if m == 0 {
				continue
			}
			if slot := w<<6 + uint32(bits.TrailingZeros64(m)); slot < end {
				r.slot, r.next = slot, slot+1
				return true
			}
			break
		}
		if r.wrapped {
			return false
		}
		r.wrapped, r.next = true, 0
	}
}

// asksAt returns the outputs of a port for which a slot's packets wait. Bit 0 is the port's first
// output.
func (t *contest) asksAt(slot, base uint32) uint64 {
	if t.voq {
		return t.waits.wishesAt(slot).span(base, t.portMask)
	}
	id := t.in.at(slot).here.first
	return 1 << (uint32(t.pool.parcels.at(id).out) - base)
}

// oldest sets the round's first packet to that packet of the slot that has been ready longest.
func (t *contest) oldest(r *round, base uint32) {
	for m := r.outs; m != 0; m &= m - 1 {
		out := base + uint32(bits.TrailingZeros64(m))
		id := t.in.head(r.slot, out)
		if ready := t.pool.parcels.at(id).ready; m == r.outs || ready < r.first.ready {
			turn := (r.slot + t.crossbar.slots() - r.last) % t.crossbar.slots()
			r.first = contender{
				key:   Rank{int64(turn), int64(r.port)},
				ready: ready, parcel: id, slot: uint16(r.slot), out: uint16(out),
			}
		}
	}
}
