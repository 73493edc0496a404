package fabric

import (
	"math"
	"math/bits"
)

// With adaptive routing and input queues only the first packet of a slot asks. So those that contend are a bitmap of slots, general.contending:
// of a port that becomes free all that wait are added in one operation for each 64, and which of them may start is found out once for all
// events of an instant.

// firstIn is the first packet of a slot at input queues.
func (g *general) firstIn(slot uint32) uint32 { return g.inlets.at(g.lanes + slot).here.first }

// contendSlots adds those that wait for some channels (a mask), from `first` on, of a free port, if there is space for
// them. Otherwise that is wanted.
func (g *general) contendSlots(port, first uint32, channels uint64) {
	room, known, lacking := uint64(0), false, uint64(0)
	waiters := g.waitersFor(port)
	for w := range g.words {
		all := *waiters.word(w) & *g.inputs.word(w)
		may := all & *g.small.word(w) // is found out later
		for m := all; m != 0; m &= m - 1 {
			if !known {
				known, room = true, g.roomFor(first, channels, g.largest)
			}
			wish := g.wishesAt(w<<6+uint32(bits.TrailingZeros64(m))).span(first, channels)
			lacking |= wish &^ room
			if wish&room != 0 {
				may |= m & -m
			}
		}
		*g.contending.word(w) |= may
		g.contended = g.contended || may != 0
	}
	g.wantAmong(first, lacking&^g.dried.span(first, channels))
}

// contendSlotsFrom adds those that ask at an input port.
func (g *general) contendSlotsFrom(port uint32) {
	first := port * g.vcs
	g.contending.setSpan(first, g.asks.span(first, g.portMask))
	g.contended = true
}

// passSlots is pass with adaptive routing and input queues.
func (g *general) passSlots() {
	g.contended = false
	for {
		slot := g.firstSlot()
		if slot == anyOutput {
			break
		}
		g.contending.clear(slot)
		if g.mayStart(slot, firstParcel) && g.choose(slot, g.firstIn(slot)) {
			g.siftSlots(g.waitersFor(uint32(*g.portOf.at(g.taken))))
		}
	}
	g.contending.empty(g.words)
}

// siftSlots leaves of the contenders in a bitmap only those that may find space. That the outputs of the others are dry
// says that they will be told of it.
func (g *general) siftSlots(among bitmap) {
	for w := range g.words {
		*g.usable.word(w) = *g.outputs.word(w) & (*g.room.word(w) | ^*g.dried.word(w))
	}
	for w := range g.words {
		left := *g.contending.word(w) & *g.inputs.word(w)
		for m := left & *among.word(w) &^ *g.small.word(w); m != 0; m &= m - 1 {
			if g.hopeless(w<<6 + uint32(bits.TrailingZeros64(m))) {
				left &^= m & -m
			}
		}
		*g.contending.word(w) = left
	}
}

// hopeless tells whether none of the outputs that a slot's packet waits for is usable.
func (g *general) hopeless(slot uint32) bool {
	wishes := g.wishesAt(slot)
	for w := range g.words {
		if *wishes.word(w)&*g.usable.word(w) != 0 {
			return false
		}
	}
	return true
}

// firstSlot is the contender that is first in the order of arbitration; anyOutput if there is none.
func (g *general) firstSlot() uint32 {
	if g.arbiter != FCFS {
		return g.firstByKey()
	}
	first, least := uint32(anyOutput), int64(math.MaxInt64)
	for w := range g.words {
		for m := *g.contending.word(w) & *g.inputs.word(w); m != 0; m &= m - 1 {
			slot := w<<6 + uint32(bits.TrailingZeros64(m))
			if ask := g.inlets.at(g.lanes + slot).ask; ask < least {
				first, least = slot, ask
			}
		}
	}
	return first
}

// firstByKey is firstSlot with any arbiter.
func (g *general) firstByKey() uint32 {
	first, least := uint32(anyOutput), [2]int64{}
	for w := range g.words {
		for m := *g.contending.word(w) & *g.inputs.word(w); m != 0; m &= m - 1 {
			slot := w<<6 + uint32(bits.TrailingZeros64(m))
			key := g.key(slot, g.pool.parcels.at(g.firstIn(slot)), g.inlets.at(g.lanes+slot).ask)
			if first == anyOutput || key[0] < least[0] || key[0] == least[0] && key[1] < least[1] {
				first, least = slot, key
			}
		}
	}
	return first
}
