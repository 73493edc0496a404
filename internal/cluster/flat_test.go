package cluster

import (
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// TestBring holds that values reach the processes that they are for, in their order, whatever the
// number of pieces.
func TestBring(t *testing.T) {
	type value struct {
		process int32
		at      int64
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "processes")
		to := rapid.SampledFrom([]func(int) bool{ToAll, ToFirst}).Draw(t, "to")
		own, got := make([][]value, n), make([][][]value, n)
		for p := range own {
			own[p] = make([]value, rapid.SampledFrom([]int{0, 1, piece - 1, piece, 2*piece + 1}).Draw(t, "values"))
			for i := range own[p] {
				own[p][i] = value{int32(p), int64(i)}
			}
			got[p] = make([][]value, n)
		}
		var wg sync.WaitGroup
		for p, g := range Local(n) {
			wg.Go(func() {
				Bring(g, slices.Values(own[p]), to, func(from int, v value) { got[p][from] = append(got[p][from], v) })
			})
		}
		wg.Wait()
		for p := range n {
			for from := range n {
				want := own[from]
				if p == from || !to(p) {
					want = nil
				}
				if !slices.Equal(got[p][from], want) {
					t.Fatalf("process %d got %d values of %d, expected %d", p, len(got[p][from]), from, len(want))
				}
			}
		}
	})
}
