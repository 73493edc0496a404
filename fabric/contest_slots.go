package fabric

import "math/bits"

// With adaptive routing and input queues only the first packet of a slot asks. The contenders are
// therefore a bitmap of slots, general.contending. When a port becomes free, all slots that wait
// for it are added, 64 in one operation. Which of them may start is computed once for all events of
// an instant.

// contendSlots adds the slots that wait for the VCs in the mask `channels`, counted from the slot
// `first`, of a free port, if there is space for them. Otherwise it requests a notification of
// returned space.
func (t *contest) contendSlots(port, first uint32, channels uint64) {
	room, known, lacking := uint64(0), false, uint64(0)
	waiters := t.waits.waitersFor(port)
	for w := range t.words {
		all := *waiters.word(w) & *t.crossbar.inputs.word(w)
		if all != 0 && !known {
			known, room = true, t.out.roomFor(first, channels, t.out.largest)
		}
		if room == t.portMask { // each of them waits for some VC of the port
			*t.contending.word(w) |= all
			t.contended = t.contended || all != 0
			continue
		}
		may := all & *t.in.small.word(w) // is found out later
		for m := all; m != 0; m &= m - 1 {
			wish := t.waits.wishesAt(w<<6+uint32(bits.TrailingZeros64(m))).span(first, channels)
			lacking |= wish &^ room
			if wish&room != 0 {
				may |= m & -m
			}
		}
		*t.contending.word(w) |= may
		t.contended = t.contended || may != 0
	}
	t.out.wantAmong(first, lacking&^t.out.dried.span(first, channels))
}

// contendSlotsFrom adds the requesting slots of an input port.
func (t *contest) contendSlotsFrom(port uint32) {
	first := port * t.vcs
	t.contending.setSpan(first, t.waits.asks.span(first, t.portMask))
	t.contended = true
}

// siftSlots removes from a bitmap of contenders those that find no space. Their outputs are marked
// dry, so that the return of space will add them again.
func (t *contest) siftSlots(among bitmap) {
	for w := range t.words {
		*t.usable.word(w) = *t.crossbar.outputs.word(w) & (*t.out.room.word(w) | ^*t.out.dried.word(w))
	}
	for w := range t.words {
		left := *t.contending.word(w) & *t.crossbar.inputs.word(w)
		for m := left & *among.word(w) &^ *t.in.small.word(w); m != 0; m &= m - 1 {
			if t.hopeless(w<<6 + uint32(bits.TrailingZeros64(m))) {
				left &^= m & -m
			}
		}
		*t.contending.word(w) = left
	}
}

// hopeless reports whether none of the outputs that a slot's packet waits for is usable.
func (t *contest) hopeless(slot uint32) bool {
	wishes := t.waits.wishesAt(slot)
	for w := range t.words {
		if *wishes.word(w)&*t.usable.word(w) != 0 {
			return false
		}
	}
	return true
}

// firstByKey returns the contender that is first in the arbitration order; anyOutput if there is
// none.
func (t *contest) firstByKey() uint32 {
	first, least := uint32(anyOutput), Rank{}
	for w := range t.words {
		for m := *t.contending.word(w) & *t.crossbar.inputs.word(w); m != 0; m &= m - 1 {
			slot := w<<6 + uint32(bits.TrailingZeros64(m))
			key := t.crossbar.key(slot, t.pool.parcels.at(t.in.firstIn(slot)), t.in.at(slot).ask)
			if first == anyOutput || key.before(least) {
				first, least = slot, key
			}
		}
	}
	return first
}
