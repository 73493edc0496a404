package report

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"fabricast"
)

// TestTextFits demands that results of any size fit a terminal of 100 columns.
func TestTextFits(t *testing.T) {
	f := func(r *fabricast.Result) {
		t.Helper()
		var b strings.Builder
		if err := Text(&b, r); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 100 {
				t.Errorf("%d columns: %s", n, line)
			}
		}
	}
	f(&fabricast.Result{})
	links := fabricast.LinkUsage{
		Count: 9_999_999, MeanBandwidth: 8_888_888_888, MaxBandwidth: 8_888_888_888,
		MeanEfficiency: 0.99999, MaxEfficiency: 0.99999, Busiest: "nic10 of (127,127,127,1,2,1)",
	}
	f(&fabricast.Result{
		Hash: strings.Repeat("f", 32), SimulatedTime: 9_999_999_999_999,
		Ranks: 1_048_576, RankEnd: fabricast.RankEnd{Mean: 9_999_999_999_999, Max: 9_999_999_999_999}, SlowestRank: 1_048_575,
		Messages: 9_999_999_999, Unreceived: 9_999_999_999, PayloadBytes: math.MaxInt64,
		Packets: 999_999_999_999, PacketHops: 999_999_999_999,
		Latency: fabricast.Latency{Mean: 9_999_999_999, P50: 9_999_999_999, P99: 9_999_999_999, Max: 9_999_999_999},
		Links:   links, HostLinks: links, Workers: 128,
		Host: fabricast.Host{User: 99999, Sys: 99999, Wall: 99999, PeakRSS: 1 << 42},
	})
}

func TestScales(t *testing.T) {
	f := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	f(Time(int64(0)), "0 ps")
	f(Time(int64(57_269_200)), "57.27 us")
	f(Time(int64(-1500)), "-1.500 ns")
	f(Seconds(0.25), "250 ms")
	f(Rate(8e9), "8 GB/s")
	f(Rate(123_456), "123.5 kB/s")
	f(Memory(int64(1536)), "1.500 KiB")
	f(Size(int64(1536)), "1.536 kB")
	f(Percent(0.12345), "12.35 %")
	f(Count(int64(1_234_567)), "1,234,567")
	f(Count(-1000), "-1,000")
	f(Count(12), "12")
}
