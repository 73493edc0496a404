package fabric

import "math/bits"

// reconsider adds the adaptively routed packets that wait for the VCs in the mask `channels`,
// counted from the slot `first`, of a free port, if there is space for them. Otherwise it requests
// a notification of returned space.
func (t *contest) reconsider(port, first uint32, channels uint64) {
	if !t.voq {
		t.contendSlots(port, first, channels)
		return
	}
	here := newcomers{t: t, known: len(t.contenders), first: first, channels: channels}
	waiters := t.waits.waitersFor(port)
	for w := range t.words {
		for m := *waiters.word(w) & *t.crossbar.inputs.word(w); m != 0; m &= m - 1 {
			slot := w<<6 + uint32(bits.TrailingZeros64(m))
			for id := t.in.at(slot).here.first; id != 0; id = t.pool.parcels.at(id).next {
				here.consider(slot, id, t.waits.wishesOf(slot, id).span(first, channels))
			}
		}
	}
	t.out.wantAmong(first, here.lacking&^t.out.dried.span(first, channels))
}

// newcomers is the state of adding contenders that wait for some VCs of one port.
type newcomers struct {
	t        *contest
	known    int // contenders before
	first    uint32
	channels uint64 // mask
	looked   bool   // room is known
	room     uint64 // bitmap of channels that have space for the largest packet
	lacking  uint64 // bitmap of channels that have not enough for some packet
}

// consider adds a packet if one of the VCs that it waits for has space.
func (n *newcomers) consider(slot, id uint32, wishes uint64) {
	if wishes == 0 {
		return
	}
	t := n.t
	if !n.looked {
		n.looked, n.room = true, t.out.roomFor(n.first, n.channels, t.out.largest)
	}
	room := n.room
	if flits := t.in.flitsOf(slot, id); flits != t.out.largest {
		room = t.out.roomFor(n.first, n.channels, flits)
	}
	n.lacking |= wishes &^ room
	if wishes &= room; wishes != 0 {
		t.contendOnce(n.known, slot, n.first+uint32(bits.TrailingZeros64(wishes)), id)
	}
}

// anyOutput means "no output", or, for a contender, that several outputs are possible.
const anyOutput = 1<<16 - 1

// reconsiderFrom adds the adaptively routed packets at an input port that has become free, if the
// algorithm has not been called for them yet or if there is space for them.
func (t *contest) reconsiderFrom(port uint32) {
	if !t.voq {
		t.contendSlotsFrom(port)
		return
	}
	first, known := port*t.vcs, len(t.contenders)
	for m := t.waits.asks.span(first, t.portMask); m != 0; m &= m - 1 {
		slot := first + uint32(bits.TrailingZeros64(m))
		for id := t.in.at(slot).here.first; id != 0; id = t.pool.parcels.at(id).next {
			if t.mayStart(slot, id) {
				t.contendOnce(known, slot, anyOutput, id)
			}
		}
	}
}

// contendOnce adds an adaptively routed packet, unless it is among the first `known` contenders.
// `out` is its only possible output, or anyOutput.
func (t *contest) contendOnce(known int, slot, out, id uint32) {
	if t.contending.has(slot) {
		for i := range known {
			if c := &t.contenders[i]; c.parcel == id {
				c.out = anyOutput
				return
			}
		}
	}
	t.contend(slot, out, id)
}

// contend adds an adaptively routed packet.
func (t *contest) contend(slot, out, id uint32) {
	t.contending.set(slot)
	if t.voq {
		t.add(slot, out, id)
	} else {
		t.contended = true
	}
}

// siftAdaptive returns the contenders of a list that may still start after the last start.
func (t *contest) siftAdaptive(list []contender) []contender {
	n := 0
	for i := range list {
		c := &list[i]
		slot := uint32(c.slot)
		switch {
		case !t.crossbar.inputs.has(slot):
			continue
		case c.out != anyOutput:
			if !t.crossbar.outputs.has(uint32(c.out)) {
				continue
			}
		case t.waits.wishesOf(slot, c.parcel).span(t.crossbar.taken, t.portMask) != 0 &&
			!t.mayStart(slot, c.parcel):
			continue
		}
		if n != i {
			list[n] = *c
		}
		n++
	}
	return list[:n]
}

// mayStart reports whether the algorithm has not been called for a packet yet, or whether the
// packet could start at one of its candidate outputs. Where space is missing it requests a
// notification of returned space.
func (t *contest) mayStart(slot, id uint32) bool {
	if !t.voq && !t.waits.recorded.has(slot) {
		return true
	}
	wishes := t.waits.wishesOf(slot, id)
	asked := uint64(0)
	for w := range t.words {
		wish := *wishes.word(w)
		asked |= wish
		if wish &= *t.crossbar.outputs.word(w); wish == 0 {
			continue
		}
		if wish&*t.out.room.word(w) != 0 || t.out.spaceAmong(w, wish, t.in.flitsOf(slot, id)) {
			return true
		}
	}
	return asked == 0
}
