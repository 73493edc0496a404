package histogram

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestHistogramIsCloseAndMergesExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(0, 1<<rapid.IntRange(1, 62).Draw(t, "bits")), 1, 200).
			Draw(t, "values")
		cut := rapid.IntRange(0, len(values)).Draw(t, "cut")
		var whole, part, rest Histogram
		for i, v := range values {
			whole.Record(v)
			if i < cut {
				part.Record(v)
			} else {
				rest.Record(v)
			}
		}
		part.Add(&rest)
		sorted := slices.Sorted(slices.Values(values))
		for _, q := range []float64{0, 0.5, 0.99, 1} {
			got := whole.Quantile(q)
			if part.Quantile(q) != got {
				t.Fatal("merging changes a quantile")
			}
			want := sorted[max(1, int(q*float64(len(values))+0.5))-1]
			if got > want || float64(got) < float64(want)*(1-1.0/256) {
				t.Fatalf("quantile %v = %d, want about %d", q, got, want)
			}
		}
		if whole.Max() != sorted[len(sorted)-1] || part.Max() != whole.Max() ||
			part.Count() != int64(len(values)) ||
			part.Mean() != whole.Mean() {
			t.Fatal("maximum, count or mean are wrong")
		}
	})
}

func TestHistogramMeanDoesNotOverflow(t *testing.T) {
	var h Histogram
	for range 5 {
		h.Record(math.MaxInt64)
	}
	if h.Mean() != math.MaxInt64 {
		t.Error(h.Mean())
	}
}

func TestEmptyHistogram(t *testing.T) {
	var h Histogram
	if h.Mean() != 0 || h.Quantile(0.5) != 0 || h.Max() != 0 {
		t.Error("an empty histogram has values")
	}
}
