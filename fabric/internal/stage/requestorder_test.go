package stage

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"fabricast/fabric/internal/core"
)

// TestRequestOrder lets VCs ask and start at random, several of them at the same time, and holds
// the order of those that ask to a sorted list.
func TestRequestOrder(t *testing.T) {
	const vcs, words = 70, 2
	random := rand.New(rand.NewPCG(1, 2))
	inputVCs, asks, free := make([]InputVC, vcs), core.NewBitmap(words), core.NewBitmap(words)
	free.SetSpan(0, ^uint64(0))
	free.SetSpan(64, ^uint64(0))
	in := InputVCs{here: core.PartAt[InputVC](unsafe.Pointer(&inputVCs[0]))}
	o := requestOrder{in: &in, asks: &asks, line: core.NewBitmap(2 * words)}
	store := make([]uint64, OrderWords(vcs))
	o.enter(&Router{NumVCs: vcs}, unsafe.Pointer(&store[0]))
	for now := range int64(2000) {
		for range random.IntN(4) { // in any order
			if index := random.Uint32N(vcs); !asks.Has(index) {
				inputVCs[index].Ask = now
				o.Append(index)
				asks.Set(index)
			}
		}
		var want, got []uint32
		for index := range uint32(vcs) {
			if asks.Has(index) {
				want = append(want, index)
			}
		}
		slices.SortStableFunc(want, func(a, b uint32) int { return int(inputVCs[a].Ask - inputVCs[b].Ask) })
		o.LineUp(asks, free, words)
		for index := o.Next(); index != AnyOutput; index = o.Next() {
			got = append(got, index)
			if random.IntN(20) == 0 {
				asks.Clear(index)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("at %d: got %v, want %v", now, got, want)
		}
	}
}
