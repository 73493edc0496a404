package units

import (
	"testing"

	"pgregory.net/rapid"
)

// TestPerByte demands that a time for each byte may be written as a time or as a rate, and reads
// back as it was.
func TestPerByte(t *testing.T) {
	for text, want := range map[string]PerByte{
		"6ns": 6_000_000, "0.04ns": 40_000, "40ps": 40_000, "25GB/s": 40_000, "26.25ps": 26_250, "8GB/s": 125_000, "0": 0,
	} {
		if got, err := ParsePerByte(text); err != nil || got != want {
			t.Errorf("%s is %d fs, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "6", "6nanoseconds", "-1ns", "8GB"} {
		if got, err := ParsePerByte(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		p := PerByte(rapid.Int64Range(0, 1<<50).Draw(t, "fs"))
		if back, err := ParsePerByte(p.String()); err != nil || back != p {
			t.Fatalf("%d fs is written %s, which reads %d, %v", p, p, back, err)
		}
		n := rapid.Int64Range(0, 1<<12).Draw(t, "bytes")
		if got, want := p.Of(n), Time(int64(p)*n/1000); got != want {
			t.Fatalf("%d bytes at %v take %d ps, want %d", n, p, got, want)
		}
	})
}
