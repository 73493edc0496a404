package stage

import (
	"math/bits"

	"fabricast/fabric/model"
)

// Round is the state of a round robin among the packets with fixed routes that wait for a port that
// has become free. Under overload many packets wait. The round then finds the first one in order in
// the bitmap of waiting slots and looks at no other. A packet that holds an output of the port is a
// contender of its own.
type Round struct {
	Port    uint32
	Open    uint64 // outputs of the port, from its first one on, that nobody holds
	last    uint32 // slot at which it begins
	next    uint32 // slot to go on with
	wrapped bool   // the slots before `last` are being looked at
	slot    uint32 // being looked at
	// outputs of the port that this slot's packets wait for and have not tried; bit 0 is the port's
	// first output
	outs  uint64
	First Requester
}

// open begins a round for a port that has become free.
func (t *contest) open(port uint32) {
	last := uint32(t.crossbar.At(port).last) % t.crossbar.slots()
	t.Rounds = append(t.Rounds, Round{Port: port, last: last, next: last})
	t.InRounds.SetSpan(port*t.NumVCs, t.PortMask)
}

// Begin finds the outputs that no packet holds, and adds the holders of the others as contenders.
func (t *contest) Begin(r *Round) {
	base := r.Port * t.NumVCs
	for i := range t.NumVCs {
		holder := t.out.At(base + i).Owner
		if holder == 0 {
			r.Open |= 1 << i
			continue
		}
		slot := uint32(holder) - 1
		if t.crossbar.Inputs.Has(slot) {
			t.add(slot, base+i, t.in.head(slot, base+i))
		}
	}
}

// Find sets the round's first packet to the next one that may still start. It returns false if
// there is none.
func (t *contest) Find(r *Round) bool {
	base := r.Port * t.NumVCs
	for r.Open != 0 && t.crossbar.Outputs.Has(base) {
		if r.outs &= r.Open; r.outs != 0 && t.crossbar.Inputs.Has(r.slot) {
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
func (t *contest) turn(r *Round) bool {
	waiters := t.waits.WaitersFor(r.Port)
	for {
		end := t.crossbar.slots()
		if r.wrapped {
			end = r.last
		}
		for w := r.next >> 6; w < t.Words; w++ {
			m := *waiters.Word(w) & *t.crossbar.Inputs.Word(w)
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
	if t.VOQ {
		return t.waits.RequestsAt(slot).Span(base, t.PortMask)
	}
	id := t.in.At(slot).Here.First
	return 1 << (uint32(t.pool.Packets.At(id).Out) - base)
}

// oldest sets the round's first packet to that packet of the slot that has been ready longest.
func (t *contest) oldest(r *Round, base uint32) {
	for m := r.outs; m != 0; m &= m - 1 {
		out := base + uint32(bits.TrailingZeros64(m))
		id := t.in.head(r.slot, out)
		if ready := t.pool.Packets.At(id).Ready; m == r.outs || ready < r.First.ready {
			turn := (r.slot + t.crossbar.slots() - r.last) % t.crossbar.slots()
			r.First = Requester{
				key:   model.Rank{int64(turn), int64(r.Port)},
				ready: ready, Packet: id, Slot: uint16(r.slot), Out: uint16(out),
			}
		}
	}
}
