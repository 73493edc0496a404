package stage

import "math/bits"

// Reconsider adds the adaptively routed packets that wait for the VCs in the mask `channels`,
// counted from the slot `first`, of a free port, if there is space for them. Otherwise it requests
// a notification of returned space.
func (t *contest) Reconsider(port, first uint32, channels uint64) {
	if !t.VOQ {
		t.contendSlots(port, first, channels)
		return
	}
	here := newcomers{t: t, known: len(t.Requesters), first: first, channels: channels}
	waiters := t.waits.WaitersFor(port)
	for w := range t.Words {
		for m := *waiters.Word(w) & *t.crossbar.Inputs.Word(w); m != 0; m &= m - 1 {
			slot := w<<6 + uint32(bits.TrailingZeros64(m))
			for id := t.in.At(slot).Here.First; id != 0; id = t.pool.Packets.At(id).Next {
				here.consider(slot, id, t.waits.RequestsOf(slot, id).Span(first, channels))
			}
		}
	}
	t.out.wantAmong(first, here.lacking&^t.out.dried.Span(first, channels))
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
		n.looked, n.room = true, t.out.roomFor(n.first, n.channels, t.out.Largest)
	}
	room := n.room
	if flits := t.in.flitsOf(slot, id); flits != t.out.Largest {
		room = t.out.roomFor(n.first, n.channels, flits)
	}
	n.lacking |= wishes &^ room
	if wishes &= room; wishes != 0 {
		t.contendOnce(n.known, slot, n.first+uint32(bits.TrailingZeros64(wishes)), id)
	}
}

// AnyOutput means "no output", or, for a contender, that several outputs are possible.
const AnyOutput = 1<<16 - 1

// ReconsiderFrom adds the adaptively routed packets at an input port that has become free, if the
// algorithm has not been called for them yet or if there is space for them.
func (t *contest) ReconsiderFrom(port uint32) {
	if !t.VOQ {
		t.contendSlotsFrom(port)
		return
	}
	first, known := port*t.NumVCs, len(t.Requesters)
	for m := t.waits.Asks.Span(first, t.PortMask); m != 0; m &= m - 1 {
		slot := first + uint32(bits.TrailingZeros64(m))
		for id := t.in.At(slot).Here.First; id != 0; id = t.pool.Packets.At(id).Next {
			if t.MayStart(slot, id) {
				t.contendOnce(known, slot, AnyOutput, id)
			}
		}
	}
}

// contendOnce adds an adaptively routed packet, unless it is among the first `known` contenders.
// `out` is its only possible output, or anyOutput.
func (t *contest) contendOnce(known int, slot, out, id uint32) {
	if t.Contending.Has(slot) {
		for i := range known {
			if c := &t.Requesters[i]; c.Packet == id {
				c.Out = AnyOutput
				return
			}
		}
	}
	t.Contend(slot, out, id)
}

// Contend adds an adaptively routed packet.
func (t *contest) Contend(slot, out, id uint32) {
	t.Contending.Set(slot)
	if t.VOQ {
		t.add(slot, out, id)
	} else {
		t.Contended = true
	}
}

// SiftAdaptive returns the contenders of a list that may still start after the last start.
func (t *contest) SiftAdaptive(list []Requester) []Requester {
	n := 0
	for i := range list {
		c := &list[i]
		slot := uint32(c.Slot)
		switch {
		case !t.crossbar.Inputs.Has(slot):
			continue
		case c.Out != AnyOutput:
			if !t.crossbar.Outputs.Has(uint32(c.Out)) {
				continue
			}
		case t.waits.RequestsOf(slot, c.Packet).Span(t.crossbar.Taken, t.PortMask) != 0 &&
			!t.MayStart(slot, c.Packet):
			continue
		}
		if n != i {
			list[n] = *c
		}
		n++
	}
	return list[:n]
}

// MayStart reports whether the algorithm has not been called for a packet yet, or whether the
// packet could start at one of its candidate outputs. Where space is missing it requests a
// notification of returned space.
func (t *contest) MayStart(slot, id uint32) bool {
	if !t.VOQ && !t.waits.recorded.Has(slot) {
		return true
	}
	wishes := t.waits.RequestsOf(slot, id)
	asked := uint64(0)
	for w := range t.Words {
		wish := *wishes.Word(w)
		asked |= wish
		if wish &= *t.crossbar.Outputs.Word(w); wish == 0 {
			continue
		}
		if wish&*t.out.room.Word(w) != 0 || t.out.spaceAmong(w, wish, t.in.flitsOf(slot, id)) {
			return true
		}
	}
	return asked == 0
}
