package stage

import "math/bits"

// Reconsider adds the adaptively routed packets that wait for VCs of a free port, if there is space
// for them. The VCs are given as the mask `channels`, whose lowest bit is the VC `first`. If there
// is no space, it requests a notification of returned space.
func (t *contest) Reconsider(port, first uint32, channels uint64) {
	if !t.VOQ {
		t.contendVCs(port, first, channels)
		return
	}
	here := newcomers{t: t, known: len(t.Requesters), first: first, channels: channels}
	waiters := t.waits.WaitersFor(port)
	for w := range t.Words {
		for m := *waiters.Word(w) & *t.crossbar.Inputs.Word(w); m != 0; m &= m - 1 {
			index := w<<6 + uint32(bits.TrailingZeros64(m))
			for id := t.in.At(index).Here.First; id != 0; id = t.pool.Packets.At(id).Next {
				here.consider(index, id, t.waits.RequestsOf(index, id).Span(first, channels))
			}
		}
	}
	t.out.wantAmong(first, here.lacking&^t.out.dried.Span(first, channels))
}

// newcomers is the state of adding contenders that wait for some VCs of one port.
type newcomers struct {
	t        *contest
	known    int // number of contenders before the newcomers
	first    uint32
	channels uint64 // mask of the VCs that the newcomers wait for; its lowest bit is the VC `first`
	looked   bool   // `room` has been computed
	room     uint64 // bitmap of channels that have space for the largest packet
	lacking  uint64 // bitmap of channels that do not have enough space for some packet
}

// consider adds a packet if one of the VCs that it waits for has space.
func (n *newcomers) consider(index, id uint32, requests uint64) {
	if requests == 0 {
		return
	}
	t := n.t
	if !n.looked {
		n.looked, n.room = true, t.out.roomFor(n.first, n.channels, t.out.Largest)
	}
	room := n.room
	if flits := t.in.flitsOf(index, id); flits != t.out.Largest {
		room = t.out.roomFor(n.first, n.channels, flits)
	}
	n.lacking |= requests &^ room
	if requests &= room; requests != 0 {
		t.contendOnce(n.known, index, n.first+uint32(bits.TrailingZeros64(requests)), id)
	}
}

// AnyOutput means "no output", or, for a contender, that several outputs are possible.
const AnyOutput = 1<<16 - 1

// ReconsiderFrom adds the adaptively routed packets at an input port that has become free, if the
// algorithm has not been called for them yet or if there is space for them.
func (t *contest) ReconsiderFrom(port uint32) {
	if !t.VOQ {
		t.contendVCsFrom(port)
		return
	}
	first, known := port*t.NumVCs, len(t.Requesters)
	for m := t.waits.Asks.Span(first, t.PortMask); m != 0; m &= m - 1 {
		index := first + uint32(bits.TrailingZeros64(m))
		for id := t.in.At(index).Here.First; id != 0; id = t.pool.Packets.At(id).Next {
			if t.MayStart(index, id) {
				t.contendOnce(known, index, AnyOutput, id)
			}
		}
	}
}

// contendOnce adds an adaptively routed packet, unless it is among the first `known` contenders.
// `out` is its only possible output, or AnyOutput.
func (t *contest) contendOnce(known int, index, out, id uint32) {
	if t.Contending.Has(index) {
		for i := range known {
			if c := &t.Requesters[i]; c.Packet == id {
				c.Out = AnyOutput
				return
			}
		}
	}
	t.Contend(index, out, id)
}

// Contend adds an adaptively routed packet.
func (t *contest) Contend(index, out, id uint32) {
	t.Contending.Set(index)
	if t.VOQ {
		t.add(index, out, id)
	} else {
		t.Contended = true
	}
}

// SiftAdaptive returns the contenders of a list that can still start after the last start.
func (t *contest) SiftAdaptive(list []Requester) []Requester {
	n := 0
	for i := range list {
		c := &list[i]
		index := uint32(c.Input)
		switch {
		case !t.crossbar.Inputs.Has(index):
			continue
		case c.Out != AnyOutput:
			if !t.crossbar.Outputs.Has(uint32(c.Out)) {
				continue
			}
		case t.waits.RequestsOf(index, c.Packet).Span(t.crossbar.Taken, t.PortMask) != 0 &&
			!t.MayStart(index, c.Packet):
			continue
		}
		if n != i {
			list[n] = *c
		}
		n++
	}
	return list[:n]
}

// MayStart reports whether the algorithm has not been called for a packet yet, or the packet could
// start at one of its candidate outputs. Where space is missing, it requests a notification of
// returned space.
func (t *contest) MayStart(index, id uint32) bool {
	if !t.VOQ && !t.waits.recorded.Has(index) {
		return true
	}
	requests := t.waits.RequestsOf(index, id)
	asked := uint64(0)
	for w := range t.Words {
		request := *requests.Word(w)
		asked |= request
		if request &= *t.crossbar.Outputs.Word(w); request == 0 {
			continue
		}
		if request&*t.out.room.Word(w) != 0 || t.out.spaceAmong(w, request, t.in.flitsOf(index, id)) {
			return true
		}
	}
	return asked == 0
}
