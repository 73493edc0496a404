package fabric

import (
	"math/bits"
	"unsafe"
)

// requestOrder holds the order in which the packets of the visited router have begun to ask, with
// adaptive routing, input queues and an arbiter that goes by it. Each slot whose packet asks has a
// place; earlier places come first. A place is left empty when its packet starts. Contenders are put
// in order by a bit for each place, so none is compared with another.
type requestOrder struct {
	kept bool // there is such an order
	in   *inputVCs
	asks *bitmap // see waitLists

	// the visited router
	router *generalRouter
	places part[uint16] // of each slot, if it asks
	slots  part[uint16] // by place; the slot may have left the place

	line    bitmap // places of the contenders
	turn    uint32 // word of the bitmap; those before it are empty
	lineEnd uint32 // words
}

func newRequestOrder(g *stages, words int) requestOrder {
	return requestOrder{
		kept: keepsOrder(&g.b.spec), in: &g.in, asks: &g.waits.asks, line: newBitmap(2 * words),
	}
}

// keepsOrder reports whether routers record the order in which packets ask.
func keepsOrder(s *Spec) bool {
	return s.Adaptive != nil && s.Router.Allocation != SeparateAllocation &&
		s.Router.Queues == InputQueues && s.Router.arbiterKind().byAsking()
}

// orderWords returns how many 64-bit words the order takes at a router of so many slots: 16 bits for
// each slot, and for each of twice as many places.
func orderWords(slots uint32) uint32 { return (3*slots + 3) / 4 }

// enter makes a router the visited one. Its order begins at the pointer.
func (o *requestOrder) enter(x *generalRouter, first unsafe.Pointer) {
	o.router = x
	o.places = partAt[uint16](first)
	o.slots = partAt[uint16](unsafe.Pointer(o.places.at(uint32(x.slots))))
}

// left reports whether the slot at a place has left it.
func (o *requestOrder) left(place uint32) bool {
	slot := uint32(*o.slots.at(place))
	return !o.asks.has(slot) || uint32(*o.places.at(slot)) != place
}

// append gives the last place to a slot whose packet begins to ask now. Packets that ask at the same
// time are in the order of their slots.
func (o *requestOrder) append(slot uint32) {
	end := o.router.places
	for end > 0 && o.left(end-1) {
		end--
	}
	if end == 2*uint32(o.router.slots) {
		end = o.renumber()
	}
	ask, place := o.in.at(slot).ask, end
	for place > 0 {
		before := uint32(*o.slots.at(place - 1))
		if !o.left(place-1) && (before < slot || o.in.at(before).ask != ask) {
			break
		}
		place--
	}
	for p := end; p > place; p-- {
		moved := uint32(*o.slots.at(p - 1))
		if !o.left(p - 1) {
			*o.places.at(moved) = uint16(p)
		}
		*o.slots.at(p) = uint16(moved)
	}
	*o.slots.at(place), *o.places.at(slot) = uint16(slot), uint16(place)
	o.router.places = end + 1
}

// renumber removes the empty places. It returns how many are left.
func (o *requestOrder) renumber() (end uint32) {
	for place := range o.router.places {
		if o.left(place) {
			continue
		}
		slot := *o.slots.at(place)
		*o.slots.at(end), *o.places.at(uint32(slot)) = slot, uint16(end)
		end++
	}
	return end
}

// lineUp puts the slots in a bitmap in order.
func (o *requestOrder) lineUp(slots, inputs bitmap, words uint32) {
	o.turn, o.lineEnd = 0, min(2*words, o.router.places>>6+1)
	for w := range words {
		for m := *slots.word(w) & *inputs.word(w); m != 0; m &= m - 1 {
			o.line.set(uint32(*o.places.at(w<<6 + uint32(bits.TrailingZeros64(m)))))
		}
	}
}

// next removes the first slot from the line, and returns it; anyOutput if none is left.
func (o *requestOrder) next() uint32 {
	for ; o.turn < o.lineEnd; o.turn++ {
		if w := o.line.word(o.turn); *w != 0 {
			place := o.turn<<6 + uint32(bits.TrailingZeros64(*w))
			*w &= *w - 1
			return uint32(*o.slots.at(place))
		}
	}
	return anyOutput
}
