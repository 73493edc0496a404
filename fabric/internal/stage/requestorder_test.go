package stage

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"fabricast/fabric/internal/core"
)

// TestRequestOrder lets slots ask and start at random, several of them at the same time, and holds
// the order of those that ask to a sorted list.
func TestRequestOrder(t *testing.T) {
	const slots, words = 70, 2
	random := rand.New(rand.NewPCG(1, 2))
	inlets, asks, free := make([]InputVC, slots), core.NewBitmap(words), core.NewBitmap(words)
	free.SetSpan(0, ^uint64(0))
	free.SetSpan(64, ^uint64(0))
	in := InputVCs{here: core.PartAt[InputVC](unsafe.Pointer(&inlets[0]))}
	o := requestOrder{in: &in, asks: &asks, line: core.NewBitmap(2 * words)}
	store := make([]uint64, OrderWords(slots))
	o.enter(&Router{NumVCs: slots}, unsafe.Pointer(&store[0]))
	for now := range int64(2000) {
		for range random.IntN(4) { // in any order
			if slot := random.Uint32N(slots); !asks.Has(slot) {
				inlets[slot].Ask = now
				o.Append(slot)
				asks.Set(slot)
			}
		}
		var want, got []uint32
		for slot := range uint32(slots) {
			if asks.Has(slot) {
				want = append(want, slot)
			}
		}
		slices.SortStableFunc(want, func(a, b uint32) int { return int(inlets[a].Ask - inlets[b].Ask) })
		o.LineUp(asks, free, words)
		for slot := o.Next(); slot != AnyOutput; slot = o.Next() {
			got = append(got, slot)
			if random.IntN(20) == 0 {
				asks.Clear(slot)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("at %d: got %v, want %v", now, got, want)
		}
	}
}
