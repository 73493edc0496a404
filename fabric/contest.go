package fabric

import (
	"math/bits"
	"unsafe"

	"fabricast/internal/prefetch"
)

// contender is a packet that may start at this instant, with its rank in the arbitration order.
type contender struct {
	key    Rank
	ready  int64
	parcel uint32
	slot   uint16
	out    uint16 // the only output that is possible; anyOutput if it is not known
}

// contest holds the packets of the visited router that may start at this instant.
type contest struct {
	shape
	pool     *parcelPool
	arbiter  *arbiter
	in       *inputVCs
	waits    *waitLists
	crossbar *crossbar
	out      *outputVCs
	order    requestOrder

	contenders []contender
	// slots of the contenders, with adaptive routing; with input queues no list holds them
	contending bitmap
	contended  bool    // there are some in the bitmap that are not in the list, see contendSlots
	usable     bitmap  // outputs that are free and may have space, see siftSlots
	rounds     []round // of ports that have become free, with round robin and fixed routes
	inRounds   bitmap  // outputs of these ports

	words uint32 // of a bitmap of the visited router's slots
}

func newContest(g *stages, words int) contest {
	return contest{
		shape: g.shape, pool: &g.pool, arbiter: &g.arbiter, in: &g.in, waits: &g.waits,
		crossbar: &g.crossbar, out: &g.out, order: newRequestOrder(g, words),
		contending: newBitmap(words), usable: newBitmap(words), inRounds: newBitmap(words),
	}
}

// anyContends reports whether any packet may start at this instant.
func (t *contest) anyContends() bool { return len(t.contenders)+len(t.rounds) > 0 || t.contended }

// sift returns the contenders of a list that may still start. All have fixed routes.
func (t *contest) sift(list []contender) []contender {
	n := 0
	inputs, outputs := t.crossbar.inputs, t.crossbar.outputs
	for i := range list {
		c := &list[i]
		slot, out := uint32(c.slot), uint32(c.out)
		if inputs.has(slot) && outputs.has(out) && !t.out.outOfReach(slot, out) {
			if n != i {
				list[n] = *c
			}
			n++
		}
	}
	return list[:n]
}

// free reports whether the input of a slot and an output are both free and no round is open at the
// output's port.
func (t *contest) free(slot, out uint32) bool {
	return t.crossbar.inputs.has(slot) && t.crossbar.outputs.has(out) && !t.inRounds.has(out)
}

// contendAt adds a requesting packet with a fixed route, if its input and output are free and no
// other packet waits for space at that output.
func (t *contest) contendAt(slot, out, id uint32) {
	if t.free(slot, out) && !t.out.holds.has(out) {
		t.add(slot, out, id)
	}
}

// add appends a contender. It writes the fields in place, because a copy of the record would stall
// until all its parts are stored.
func (t *contest) add(slot, out, id uint32) {
	n := len(t.contenders)
	if n == cap(t.contenders) {
		t.contenders = append(t.contenders, contender{})
	}
	t.contenders = t.contenders[:n+1]
	if t.voq && !t.adaptive { // else it is the first of its slot, and loaded already
		prefetch.Line(unsafe.Pointer(t.pool.parcels.at(id)))
	}
	c := &t.contenders[n]
	c.slot, c.out, c.parcel = uint16(slot), uint16(out), id
}

// contendForPort adds the packets with fixed routes that wait for a port that has become free.
func (t *contest) contendForPort(port uint32) {
	if t.arbiter.byTurn {
		t.open(port)
		return
	}
	first := port * t.vcs
	held := t.out.holds.span(first, t.portMask)
	waiters := t.waits.waitersFor(port)
	for w := range t.words {
		for m := *waiters.word(w) & *t.crossbar.inputs.word(w); m != 0; m &= m - 1 {
			slot := w<<6 + uint32(bits.TrailingZeros64(m))
			for outs := t.asksAt(slot, first) &^ held; outs != 0; outs &= outs - 1 {
				out := first + uint32(bits.TrailingZeros64(outs))
				t.add(slot, out, t.in.head(slot, out))
			}
		}
	}
	for ; held != 0; held &= held - 1 {
		t.contendHolder(first + uint32(bits.TrailingZeros64(held)))
	}
}

// contendFrom adds the packets with fixed routes at an input port that has become free.
func (t *contest) contendFrom(port uint32) {
	first := port * t.vcs
	for m := t.waits.asks.span(first, t.portMask); m != 0; m &= m - 1 {
		slot := first + uint32(bits.TrailingZeros64(m))
		if !t.voq {
			id := t.in.at(slot).here.first
			t.contendNow(slot, uint32(t.pool.parcels.at(id).out), id)
			continue
		}
		t.contendWishes(slot)
	}
}

// contendWishes adds the packets of a slot whose outputs are free; its input is. The sets are read
// once, because the compiler cannot know that adding a contender does not change them.
func (t *contest) contendWishes(slot uint32) {
	wishes, outputs := t.waits.wishesAt(slot), t.crossbar.outputs
	rounds, holds := t.inRounds, t.out.holds
	for w := range t.words {
		outs := *wishes.word(w) & *outputs.word(w) &^ *rounds.word(w)
		held := outs & *holds.word(w)
		for outs &^= held; outs != 0; outs &= outs - 1 {
			out := w<<6 + uint32(bits.TrailingZeros64(outs))
			t.add(slot, out, t.in.firstOf(slot, out))
		}
		for ; held != 0; held &= held - 1 {
			out := w<<6 + uint32(bits.TrailingZeros64(held))
			if uint32(t.out.at(out).holder) == slot+1 {
				t.contendHolder(out)
			}
		}
	}
}

// contendNow implements contendAt for a packet that may itself be the one that waits for space at
// the output.
func (t *contest) contendNow(slot, out, id uint32) {
	switch {
	case !t.out.holds.has(out):
		t.contendAt(slot, out, id)
	case uint32(t.out.at(out).holder) == slot+1:
		t.contendHolder(out)
	}
}

// contendHolder adds the packet that holds an output. It does nothing if no space has returned
// there since the packet's last attempt.
func (t *contest) contendHolder(out uint32) {
	o := t.out.at(out)
	slot := uint32(o.holder) - 1
	if t.out.awaitsSpace(out) || !t.free(slot, out) {
		return
	}
	id := t.in.head(slot, out)
	for i := range t.contenders {
		if t.contenders[i].parcel == id {
			return
		}
	}
	t.add(slot, out, id)
}

// rank computes the rank of each contender in a list of several.
func (t *contest) rank(list []contender) {
	for i := range list {
		c := &list[i]
		if t.arbiter.byAsking && !t.voq { // the only packet of its slot
			c.key, c.ready = Rank{t.in.at(uint32(c.slot)).ask}, 0
			continue
		}
		p := t.pool.parcels.at(c.parcel)
		c.ready = p.ready
		ask := p.ready
		if !t.voq {
			ask = t.in.at(uint32(c.slot)).ask
		}
		if t.arbiter.byAsking {
			c.key = Rank{ask}
		} else {
			c.key = t.crossbar.key(uint32(c.slot), p, ask)
		}
	}
}

// before reports whether c comes before d in the arbitration order.
func (c *contender) before(d *contender) bool {
	switch {
	case c.key != d.key:
		return c.key.before(d.key)
	case c.slot != d.slot:
		return c.slot < d.slot
	}
	return c.ready < d.ready
}
