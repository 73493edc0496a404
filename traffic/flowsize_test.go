package traffic

import (
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/fabric"
)

// TestWireBetween compares the sum of sizes on the wire with a loop.
func TestWireBetween(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		header := rapid.Int64Range(0, 70).Draw(t, "header")
		p := fabric.Packet{
			MTU: header + rapid.Int64Range(1, 300).Draw(t, "payload"), Header: header,
			Flit: rapid.Int64Range(1, 64).Draw(t, "flit"),
		}
		from := rapid.Int64Range(0, 2000).Draw(t, "from")
		to := from + rapid.Int64Range(0, 3000).Draw(t, "more")
		want := int64(0)
		for size := from; size <= to; size++ {
			want += p.WireOf(size)
		}
		if got := wireBetween(p, from, to); got.Cmp(big.NewInt(want)) != 0 {
			t.Errorf("%d to %d: %s bytes, want %d", from, to, got, want)
		}
	})
}

// TestFlowSizes: the distributions have the means that HPCC's generator computes of their points,
// and draws agree with these.
func TestFlowSizes(t *testing.T) {
	for name, mean := range map[string]float64{"websearch": 1_711_250, "hadoop": 120_420.75, "storage": 40_869.8} {
		classes := FlowSizesOf(name)
		exact := 0.0
		for _, c := range classes {
			exact += float64(c.From+c.To) / 2 * float64(c.Share) / LoadUnit
		}
		if d := exact - mean; d > 0.51 || d < -0.51 { // a class begins a byte above the point before
			t.Errorf("%s: mean %f, want %f", name, exact, mean)
		}
		s, err := newSizes(classes)
		if err != nil {
			t.Fatal(err)
		}
		below := 0
		const draws = 20_000
		limit := classes[len(classes)/2].To
		share := 0.0
		for _, c := range classes[:len(classes)/2+1] {
			share += float64(c.Share) / LoadUnit
		}
		for i := range uint64(draws) {
			d := drawsOf(1, 0, i)
			if s.draw(&d) <= limit {
				below++
			}
		}
		if got := float64(below) / draws; got < share-0.015 || got > share+0.015 {
			t.Errorf("%s: %f of the draws are up to %d, want %f", name, got, limit, share)
		}
	}
	if len(FlowSizeNames()) != 3 || FlowSizesOf("none") != nil {
		t.Error(FlowSizeNames())
	}
}

// TestWrongFlowSizes refuses points that are no distribution.
func TestWrongFlowSizes(t *testing.T) {
	for _, wrong := range []struct {
		points []SizePoint
		entry  int
		want   string
	}{
		{[]SizePoint{{5, LoadUnit / 2}, {5, LoadUnit}}, 2, "found 5 bytes, expected more than 5"},
		{
			[]SizePoint{{5, LoadUnit / 2}, {6, LoadUnit / 4}},
			2,
			"found 25 %, expected a share from 50 % to 100 %",
		},
		{[]SizePoint{{5, LoadUnit / 2}}, 1, "found 50 %, expected 100 % at the last size"},
		{nil, 0, "found no size, expected at least one"},
	} {
		if _, err := SizesBetween(wrong.points); err == nil || err.Entry != wrong.entry ||
			!strings.Contains(err.Error(), wrong.want) {
			t.Errorf("%v: %v lacks %q", wrong.points, err, wrong.want)
		}
	}
	classes, err := SizesBetween([]SizePoint{{100, 0}, {200, LoadUnit}})
	if err != nil || len(classes) != 1 || classes[0] != (SizeClass{101, 200, LoadUnit}) {
		t.Errorf("%v %v", classes, err)
	}
}
