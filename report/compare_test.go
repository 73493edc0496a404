package report

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestChange checks that ratios have the same form as on the page: 20x, 0.24x.
func TestChange(t *testing.T) {
	for ratio, want := range map[float64]string{20.13: "20.1x", 20: "20x", 0.2401: "0.24x", 1: "=", 1.004: "1.004x", 0.996: "0.996x", 1234: "1234x", 0.00877: "0.00877x"} {
		if got := change(&ratio); got != want {
			t.Errorf("%g is written %s, want %s", ratio, got, want)
		}
	}
	if got := change(nil); got != "" {
		t.Errorf("no ratio is written %s", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		ratio := rapid.Float64Range(1e-3, 1e6).Draw(t, "ratio")
		text := change(&ratio)
		back, err := strconv.ParseFloat(strings.TrimSuffix(text, "x"), 64)
		if ratio != 1 && (err != nil || math.Abs(back/ratio-1) > 0.006 || len(text) >= compareChange) {
			t.Fatalf("%g is written %s", ratio, text)
		}
	})
}
