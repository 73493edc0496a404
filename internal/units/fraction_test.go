package units

import (
	"testing"

	"pgregory.net/rapid"
)

func TestFraction(t *testing.T) {
	f := func(text string, want Fraction) {
		t.Helper()
		if got, err := ParseFraction(text); err != nil || got != want {
			t.Errorf("%q: got %d, %v; want %d", text, got, err, want)
		}
	}
	f("0", 0)
	f("1", Whole)
	f("0.25", 25*Percent)
	f("25%", 25*Percent)
	f("12.5 %", 125*Percent/10)
	f("0.000000001", PartPerBillion)
	for _, text := range []string{"", "a", "-0.5", "0.0000000001", "5 percent", "1e-3", ".5"} {
		if got, err := ParseFraction(text); err == nil {
			t.Errorf("%q: got %d, want an error", text, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		want := Fraction(rapid.Int64Range(0, 1<<50).Draw(t, "fraction"))
		if got, err := ParseFraction(want.String()); err != nil || got != want {
			t.Errorf("%d as %s: got %d, %v", want, want, got, err)
		}
	})
}
