package stage

import (
	"math/bits"
	"unsafe"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
)

// requestOrder holds the order in which the packets of the active router made their first requests.
// It is used with adaptive routing, input queues and an arbiter that grants in this order. Each VC
// with a requesting packet has a place; earlier places come first. A place becomes empty when its
// packet starts. Contenders are sorted by setting one bit per place, without comparisons.
type requestOrder struct {
	Kept bool // whether the order is maintained
	in   *InputVCs
	asks *core.Bitmap // see WaitLists.Asks

	// The following fields belong to the active router.
	router *Router
	places core.ArrayPart[uint16] // by VC: its place, if it has a request
	vcs    core.ArrayPart[uint16] // by place: its VC, whose packet may have started since

	line    core.Bitmap // bitmap of the contenders' places
	turn    uint32      // current word of line; the words before it are empty
	lineEnd uint32      // number of words of line in use
}

func newRequestOrder(g *Stages, words int) requestOrder {
	return requestOrder{
		Kept: keepsOrder(&g.B.Spec), in: &g.In, asks: &g.Waits.Asks, line: core.NewBitmap(2 * words),
	}
}

// keepsOrder reports whether routers record the order in which packets make their first requests.
func keepsOrder(s *model.Spec) bool {
	return s.Adaptive != nil && s.Router.Allocation != model.SeparateAllocation &&
		s.Router.Queues == model.InputQueues && s.Router.ArbiterKind().ByAsking() && len(s.Router.Classes) == 0
}

// OrderWords returns the number of 64-bit words that the order takes at a router of the given
// number of VCs: 16 bits for each VC, and for each of twice as many places.
func OrderWords(vcs uint32) uint32 { return (3*vcs + 3) / 4 }

// enter makes a router the active one. Its order is stored at first.
func (o *requestOrder) enter(x *Router, first unsafe.Pointer) {
	o.router = x
	o.places = core.PartAt[uint16](first)
	o.vcs = core.PartAt[uint16](unsafe.Pointer(o.places.At(uint32(x.NumVCs))))
}

// left reports whether the VC that was assigned a place has left it.
func (o *requestOrder) left(place uint32) bool {
	index := uint32(*o.vcs.At(place))
	return !o.asks.Has(index) || uint32(*o.places.At(index)) != place
}

// Append assigns the last place to a VC whose packet makes its first request now. Packets that make
// requests at the same time are ordered by VC.
func (o *requestOrder) Append(index uint32) {
	end := o.router.places
	for end > 0 && o.left(end-1) {
		end--
	}
	if end == 2*uint32(o.router.NumVCs) {
		end = o.renumber()
	}
	ask, place := o.in.At(index).Ask, end
	for place > 0 {
		before := uint32(*o.vcs.At(place - 1))
		if !o.left(place-1) && (before < index || o.in.At(before).Ask != ask) {
			break
		}
		place--
	}
	for p := end; p > place; p-- {
		moved := uint32(*o.vcs.At(p - 1))
		if !o.left(p - 1) {
			*o.places.At(moved) = uint16(p)
		}
		*o.vcs.At(p) = uint16(moved)
	}
	*o.vcs.At(place), *o.places.At(index) = uint16(index), uint16(place)
	o.router.places = end + 1
}

// renumber removes the empty places. It returns the number of remaining places.
func (o *requestOrder) renumber() (end uint32) {
	for place := range o.router.places {
		if o.left(place) {
			continue
		}
		index := *o.vcs.At(place)
		*o.vcs.At(end), *o.places.At(uint32(index)) = index, uint16(end)
		end++
	}
	return end
}

// LineUp sets the places of the VCs in a bitmap in line.
func (o *requestOrder) LineUp(vcs, inputs core.Bitmap, words uint32) {
	o.turn, o.lineEnd = 0, min(2*words, o.router.places>>6+1)
	for w := range words {
		for m := *vcs.Word(w) & *inputs.Word(w); m != 0; m &= m - 1 {
			o.line.Set(uint32(*o.places.At(w<<6 + uint32(bits.TrailingZeros64(m)))))
		}
	}
}

// Next removes the first VC from the line and returns it, or AnyOutput if none is left.
func (o *requestOrder) Next() uint32 {
	for ; o.turn < o.lineEnd; o.turn++ {
		if w := o.line.Word(o.turn); *w != 0 {
			place := o.turn<<6 + uint32(bits.TrailingZeros64(*w))
			*w &= *w - 1
			return uint32(*o.vcs.At(place))
		}
	}
	return AnyOutput
}
