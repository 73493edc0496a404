package units

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSpan(t *testing.T) {
	for text, want := range map[string]Span{
		"0": {}, "0%": {}, "4%": {Share: 4 * Percent}, "2.5 %": {Share: 25 * Percent / 10}, "5us": {Time: 5 * Microsecond},
	} {
		if got, err := ParseSpan(text); err != nil || got != want {
			t.Errorf("%q: got %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-4%", "-5us", "4", "0.04", "5 percent", "%", "0.5ps"} {
		if got, err := ParseSpan(text); err == nil ||
			!strings.Contains(err.Error(), "expected a time such as 5us or a share such as 4%") {
			t.Errorf("%q: got %+v, %v", text, got, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		want := Span{Time: Time(rapid.Int64Range(0, 1<<50).Draw(t, "time"))}
		if rapid.Bool().Draw(t, "relative") {
			want = Span{Share: Fraction(want.Time)}
		}
		if got, err := ParseSpan(want.String()); err != nil || got != want {
			t.Errorf("%+v as %s: got %+v, %v", want, want, got, err)
		}
	})
}
