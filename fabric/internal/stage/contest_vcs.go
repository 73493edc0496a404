package stage

import (
	"math/bits"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
)

// With adaptive routing and input queues, only the first packet of a VC makes requests. The
// contenders are therefore a bitmap of VCs, contest.Contending. When a port becomes free, all VCs
// that wait for it are added, 64 in one operation. Which of them can start is computed once for all
// events of an instant.

// contendVCs adds the VCs that wait for VCs of a free port, if there is space for them. The latter
// are given as the mask `channels`, whose lowest bit is the VC `first`. If there is no space, it
// requests a notification of returned space.
func (t *contest) contendVCs(port, first uint32, channels uint64) {
	room, known, lacking := uint64(0), false, uint64(0)
	waiters := t.waits.WaitersFor(port)
	for w := range t.Words {
		all := *waiters.Word(w) & *t.crossbar.Inputs.Word(w)
		if all != 0 && !known {
			known, room = true, t.out.roomFor(first, channels, t.out.Largest)
		}
		if room == t.PortMask { // each of them waits for some VC of the port
			*t.Contending.Word(w) |= all
			t.Contended = t.Contended || all != 0
			continue
		}
		may := all & *t.in.Small.Word(w) // decided later
		for m := all; m != 0; m &= m - 1 {
			request := t.waits.RequestsAt(w<<6+uint32(bits.TrailingZeros64(m))).Span(first, channels)
			lacking |= request &^ room
			if request&room != 0 {
				may |= m & -m
			}
		}
		*t.Contending.Word(w) |= may
		t.Contended = t.Contended || may != 0
	}
	t.out.wantAmong(first, lacking&^t.out.dried.Span(first, channels))
}

// contendVCsFrom adds the requesting VCs of an input port.
func (t *contest) contendVCsFrom(port uint32) {
	first := port * t.NumVCs
	t.Contending.SetSpan(first, t.waits.Asks.Span(first, t.PortMask))
	t.Contended = true
}

// SiftVCs removes from a bitmap of contenders those that find no space. It marks their outputs as
// dried, so that the return of space will add them again.
func (t *contest) SiftVCs(among core.Bitmap) {
	for w := range t.Words {
		*t.usable.Word(w) = *t.crossbar.Outputs.Word(w) & (*t.out.room.Word(w) | ^*t.out.dried.Word(w))
	}
	for w := range t.Words {
		left := *t.Contending.Word(w) & *t.crossbar.Inputs.Word(w)
		for m := left & *among.Word(w) &^ *t.in.Small.Word(w); m != 0; m &= m - 1 {
			if t.hopeless(w<<6 + uint32(bits.TrailingZeros64(m))) {
				left &^= m & -m
			}
		}
		*t.Contending.Word(w) = left
	}
}

// hopeless reports whether none of the outputs that a VC's packet waits for is usable.
func (t *contest) hopeless(index uint32) bool {
	requests := t.waits.RequestsAt(index)
	for w := range t.Words {
		if *requests.Word(w)&*t.usable.Word(w) != 0 {
			return false
		}
	}
	return true
}

// FirstByKey returns the first contender in arbitration order, or AnyOutput if there is none.
func (t *contest) FirstByKey() uint32 {
	first, least := uint32(AnyOutput), model.Rank{}
	for w := range t.Words {
		for m := *t.Contending.Word(w) & *t.crossbar.Inputs.Word(w); m != 0; m &= m - 1 {
			index := w<<6 + uint32(bits.TrailingZeros64(m))
			key := t.crossbar.key(index, t.pool.Packets.At(t.in.FirstIn(index)), t.in.At(index).Ask)
			if first == AnyOutput || key.Before(least) {
				first, least = index, key
			}
		}
	}
	return first
}
