package fabric

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// TestRequestOrder lets slots ask and start at random, several of them at the same time, and holds
// the order of those that ask to a sorted list.
func TestRequestOrder(t *testing.T) {
	const slots, words = 70, 2
	random := rand.New(rand.NewPCG(1, 2))
	inlets, asks, free := make([]inlet, slots), newBitmap(words), newBitmap(words)
	free.setSpan(0, ^uint64(0))
	free.setSpan(64, ^uint64(0))
	in := inputVCs{here: partAt[inlet](unsafe.Pointer(&inlets[0]))}
	o := requestOrder{in: &in, asks: &asks, line: newBitmap(2 * words)}
	store := make([]uint64, orderWords(slots))
	o.enter(&generalRouter{slots: slots}, unsafe.Pointer(&store[0]))
	for now := range int64(2000) {
		for range random.IntN(4) { // in any order
			if slot := random.Uint32N(slots); !asks.has(slot) {
				inlets[slot].ask = now
				o.append(slot)
				asks.set(slot)
			}
		}
		var want, got []uint32
		for slot := range uint32(slots) {
			if asks.has(slot) {
				want = append(want, slot)
			}
		}
		slices.SortStableFunc(want, func(a, b uint32) int { return int(inlets[a].ask - inlets[b].ask) })
		o.lineUp(asks, free, words)
		for slot := o.next(); slot != anyOutput; slot = o.next() {
			got = append(got, slot)
			if random.IntN(20) == 0 {
				asks.clear(slot)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("at %d: got %v, want %v", now, got, want)
		}
	}
}
