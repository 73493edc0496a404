package units

import (
	"strings"
	"testing"
)

// TestErrorRates are read and written without rounding.
func TestErrorRates(t *testing.T) {
	for text, want := range map[string]ErrorRate{
		"1e-12": 1_000_000, "2.5e-10": 250_000_000, "1e-18": 1, "5e-4": 500_000_000_000_000, "0": 0, "10e-9": 10_000_000_000,
	} {
		got, err := ParseErrorRate(text)
		if err != nil || got != want {
			t.Errorf("%s: got %d, %v, want %d", text, got, err, want)
		}
		if again, err := ParseErrorRate(got.String()); err != nil || again != got {
			t.Errorf("%s is written as %s", text, got)
		}
	}
	for _, text := range []string{"1", "-1e-9", "1e-19", "1.5e-18", "1e9", "0.5", "1e-9s", ""} {
		if got, err := ParseErrorRate(text); err == nil {
			t.Errorf("%q is read as %d", text, got)
		}
	}
	for _, text := range []string{"1", "0.5", "0.000001"} {
		if _, err := ParseErrorRate(text); err == nil || !strings.HasSuffix(err.Error(), "(it is written with an exponent, from e-18 to e-3)") {
			t.Errorf("%s: %v does not say how it is written", text, err)
		}
	}
	if got := ErrorRate(500_000_000_000_000).Binary(); got>>44 != 1<<20*5/10_000 {
		t.Errorf("5e-4 is %d / 2^64", got)
	}
}
