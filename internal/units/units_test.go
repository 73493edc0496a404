package units

import (
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseTime(t *testing.T) {
	f := func(text string, want Time) {
		t.Helper()
		got, err := ParseTime(text)
		if err != nil || got != want {
			t.Errorf("ParseTime(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
	f("0", 0)
	f("0ns", 0)
	f("0.0", 0)
	f("1ps", 1)
	f("100ns", 100*Nanosecond)
	f("100 ns", 100*Nanosecond)
	f("0.6ns", 600)
	f("2us", 2*Microsecond)
	f("2µs", 2*Microsecond)
	f("2μs", 2*Microsecond)
	f("1.5ms", 1500*Microsecond)
	f("1s", Second)
	f("0.000000000001s", 1)
	f("9223372036854775807ps", math.MaxInt64)
}

func TestParseBytes(t *testing.T) {
	f := func(text string, want Bytes) {
		t.Helper()
		got, err := ParseBytes(text)
		if err != nil || got != want {
			t.Errorf("ParseBytes(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
	f("0", 0)
	f("4B", 4)
	f("8KiB", 8192)
	f("1kB", 1000)
	f("0.5KiB", 512)
	f("16b", 2)
	f("1.5MiB", 3<<19)
	f("1TB", 1e12)
}

func TestParseRate(t *testing.T) {
	f := func(text string, want Rate) {
		t.Helper()
		got, err := ParseRate(text)
		if err != nil || got != want {
			t.Errorf("ParseRate(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
	f("8GB/s", 8e9)
	f("8GBps", 8e9)
	f("64Gb/s", 8e9)
	f("64Gbps", 8e9)
	f("1GiB/s", 1<<30)
	f("0.001kB/s", 1)
	f("100Mb/s", 12_500_000)
}

func TestRefused(t *testing.T) {
	f := func(parse func(string) error, text string, words ...string) {
		t.Helper()
		err := parse(text)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%q: got %v, want *Error", text, err)
			return
		}
		if e.Found != text {
			t.Errorf("%q: found is %q", text, e.Found)
		}
		for _, w := range words {
			if !strings.Contains(e.Error(), w) {
				t.Errorf("%q: message %q lacks %q", text, e, w)
			}
		}
	}
	timeErr := func(s string) error { _, err := ParseTime(s); return err }
	sizeErr := func(s string) error { _, err := ParseBytes(s); return err }
	rateErr := func(s string) error { _, err := ParseRate(s); return err }
	f(rateErr, "8gb/s", "expected a rate such as 8GB/s", "did you mean 8GB/s or 8Gb/s?")
	f(rateErr, "8GB", "did you mean 8GB/s?")
	f(rateErr, "8GB/S", "did you mean 8GB/s or 8Gb/s?")
	f(rateErr, "8gbps", "8GB/s")
	f(rateErr, "8KB/s", "8kB/s or 8kb/s")
	f(rateErr, "1b/s", "whole number of bytes per second")
	f(timeErr, "5", "the unit is missing")
	f(timeErr, "100NS", "did you mean 100ns?")
	f(timeErr, "0.3ps", "whole number of picoseconds")
	f(timeErr, "-5ns", "cannot be negative")
	f(timeErr, "10nsec", "did you mean 10ns?")
	f(timeErr, "9223372036854775808ps", "64 bits")
	f(timeErr, "1e3ns", "a time such as 100ns")
	f(timeErr, "")
	f(timeErr, ".5ns")
	f(timeErr, "5.ns")
	f(timeErr, "1.2.3ns")
	f(timeErr, strings.Repeat("1", 100)+"ns")
	f(sizeErr, "128KB", "did you mean 128kB or 128KiB?")
	f(sizeErr, "3b", "whole number of bytes")
	f(sizeErr, "8kib", "did you mean 8KiB?")
}

func TestString(t *testing.T) {
	f := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	f(Time(0).String(), "0ps")
	f((100 * Nanosecond).String(), "100ns")
	f(Time(600).String(), "600ps")
	f((1500 * Microsecond).String(), "1.5ms")
	f((8 * KiB).String(), "8KiB")
	f(Bytes(256).String(), "256B")
	f((128 * KB).String(), "128kB")
	f((8 * GBPerSecond).String(), "8GB/s")
	f((12_500_000 * BytePerSecond).String(), "12.5MB/s")
	f(Time(-1500).String(), "-1.5ns")
	f(Time(math.MinInt64).String(), "-9223372036854775808ps")
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Round figures are what people write; the shift makes them frequent.
		v := rapid.Int64Range(0, math.MaxInt64).Draw(t, "v") >> rapid.IntRange(0, 62).Draw(t, "shift")
		if rapid.Bool().Draw(t, "round") {
			v -= v % 1_000_000
		}
		if got, err := ParseTime(Time(v).String()); err != nil || got != Time(v) {
			t.Fatalf("time %d written as %s is read as %d, %v", v, Time(v), got, err)
		}
		if got, err := ParseBytes(Bytes(v).String()); err != nil || got != Bytes(v) {
			t.Fatalf("size %d written as %s is read as %d, %v", v, Bytes(v), got, err)
		}
		if got, err := ParseRate(Rate(v).String()); err != nil || got != Rate(v) {
			t.Fatalf("rate %d written as %s is read as %d, %v", v, Rate(v), got, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"8GB/s", "64Gbps", "8KiB", "0.6ns", "0", "8gb/s", "1.2.3s", "-1B", "9223372036854775808B"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkParsed(t, text, ParseTime)
		checkParsed(t, text, ParseBytes)
		checkParsed(t, text, ParseRate)
	})
}

// checkParsed demands that whatever is accepted is not negative and survives being written and read
// again.
func checkParsed[T interface {
	~int64
	String() string
}](t *testing.T, text string, parse func(string) (T, error)) {
	t.Helper()
	v, err := parse(text)
	if err != nil {
		return
	}
	if v < 0 {
		t.Fatalf("%q is read as %d", text, int64(v))
	}
	if again, err := parse(v.String()); err != nil || again != v {
		t.Fatalf("%q is read as %s, and that as %s, %v", text, v, again, err)
	}
}
