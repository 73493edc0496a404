package record

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSorter sorts lists of any length, over periods of any length, with many equal times and numbers and
// without.
func TestSorter(t *testing.T) {
	var s sorter[int32]
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		s.reset()
		first := r.Int64N(1<<62) - 1<<61
		span := int64(1) << r.IntN(62)
		numbers := rand.New(rand.NewPCG(seed, 2))
		most := int32(1) << numbers.IntN(31)
		type entry = sorted[int32]
		var want []entry
		for i := range int32(r.IntN(3 * digits)) {
			e := entry{first + r.Int64N(span), numbers.Int32N(most), i}
			if len(want) > 0 && r.IntN(3) == 0 {
				e.time = want[r.IntN(len(want))].time
			}
			s.add(e.time, e.number, e.of)
			want = append(want, e)
		}
		slices.SortFunc(want, func(a, b entry) int {
			return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.number, b.number), cmp.Compare(b.of, a.of))
		})
		if got := s.sort(func(a, b int32) int { return cmp.Compare(b, a) }); !slices.Equal(got, want) {
			t.Fatalf("seed %d: %d entries over %d ps in the wrong order", seed, len(want), span)
		}
	}
}
