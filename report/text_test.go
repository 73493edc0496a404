package report

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/experiment"
)

// TestTextFits checks that results of any size fit a terminal of 100 columns.
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
	endless := strings.Repeat("rack-", 30)
	for _, name := range []string{"z+ of (15,15,15,15,15,15)", endless, "port 3 of " + endless + " " + endless, strings.Repeat("größer", 30)} {
		u := fabricast.LinkUsage{Count: 1, MaxUtilization: 1, Busiest: name}
		var classes []fabricast.ClassUsage
		for range 20 {
			classes = append(
				classes,
				fabricast.ClassUsage{
					Class:          name,
					Count:          9_999_999,
					MinUtilization: 0.11111,
					MaxUtilization: 0.99999,
				},
			)
		}
		f(&fabricast.Result{
			Links: u, HostLinks: u, LinkClasses: classes, PacketHops: math.MaxInt64, Events: math.MaxInt64, Host: fabricast.Host{Wall: 1e-9},
			Imbalance: &fabricast.ImbalanceResult{
				Mean:     123456,
				First:    123456,
				Last:     1 << 60,
				Balanced: 1 << 62,
				Slowdown: 1e9,
			},
			CongestionControl: &fabricast.ControlResult{
				Marked: math.MaxInt64, Notifications: math.MaxInt64, Throttled: math.MaxInt64,
			},
			Pacing: &fabricast.PacingResult{
				Mean:  12345.678,
				Least: 1 << 30,
				Most:  1 << 30,
				Steps: 1 << 60,
			},
			Compute: &experiment.Compute{Mode: name, Factor: 1e6},
		})
		f(&fabricast.Result{Links: u, LinkClasses: classes, Traffic: &fabricast.TrafficResult{
			Pattern: name, Offered: 1, Growth: 0.12345, Hops: 12345.678, Measured: 1 << 60, WarmUp: 1 << 60, Messages: math.MaxInt64,
			Latency: fabricast.TrafficLatency{
				Mean: 1e15,
				Half: 1e15,
				P50:  1 << 60,
				P95:  1 << 60,
				P99:  1 << 60,
				Max:  1 << 60,
			},
		}})
	}
	links := fabricast.LinkUsage{
		Count: 9_999_999, MeanBandwidth: 8_888_888_888, MaxBandwidth: 8_888_888_888,
		MeanUtilization: 0.99999, MaxUtilization: 0.99999, Busiest: "nic10 of (127,127,127,1,2,1)",
	}
	f(&fabricast.Result{
		Hash: strings.Repeat("f", 32), SimulatedTime: 9_999_999_999_999,
		Ranks: 1_048_576, RankEnd: fabricast.RankEnd{Mean: 9_999_999_999_999, Max: 9_999_999_999_999}, SlowestRank: 1_048_575,
		Messages: 9_999_999_999, Unreceived: 9_999_999_999, PayloadBytes: math.MaxInt64,
		Packets: 999_999_999_999, PacketHops: 999_999_999_999, Events: 9_999_999_999_999,
		Latency: fabricast.Latency{
			Mean: 9_999_999_999,
			P50:  9_999_999_999,
			P99:  9_999_999_999,
			Max:  9_999_999_999,
		},
		Links: links, HostLinks: links, Workers: 128,
		Host: fabricast.Host{User: 99999, Sys: 99999, Wall: 99999, PeakRSS: 1 << 42},
	})
}

func TestTableWraps(t *testing.T) {
	table := &table{}
	table.add(
		"router links",
		"mean 1 GB/s",
		"12 % of their bandwidth, over 128 links, of which one is much busier than all of the others",
	)
	table.add("", "a figure without remarks may be longer", "")
	const want = `router links  mean 1 GB/s  12 % of their bandwidth, over 128 links, of which one is much busier than
                           all of the others
              a figure without remarks may be longer
`
	if got := table.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
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

// TestTrafficVerdict checks that the text explains why a network is saturated or a result is not
// precise.
func TestTrafficVerdict(t *testing.T) {
	f := func(x fabricast.TrafficResult, want string) {
		t.Helper()
		var b strings.Builder
		if err := Text(&b, &fabricast.Result{Traffic: &x}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	f(
		fabricast.TrafficResult{Converged: true, SaturatedBy: "sources", Growth: 0.03},
		"saturated: 3 % of what is offered piles up at the sources",
	)
	f(
		fabricast.TrafficResult{Converged: true, SaturatedBy: "source", Growth: 0.001, WorstGrowth: 0.07},
		"saturated: 7.000 % of what one source offers piles up there, and 0.100 % of what all offer",
	)
	f(
		fabricast.TrafficResult{Converged: true, SaturatedBy: "drain"},
		"saturated: measured messages had not all arrived",
	)
	f(fabricast.TrafficResult{Stable: true}, "(not precise: the run was too short for its load)")
	f(
		fabricast.TrafficResult{Stable: true, Longest: 20 * fabricast.Microsecond},
		"(not precise: measure.longest, 20us, ended",
	)
}

// TestInterruptedPredictsNothing checks the text of an interrupted run: it does not call its time a
// prediction, names no slowest rank, and shows how many ranks had ended.
func TestInterruptedPredictsNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &fabricast.Result{
			SimulatedTime: fabricast.Time(rapid.Int64Range(0, 1<<60).Draw(t, "time")),
			Ranks:         rapid.IntRange(1, 1<<30).Draw(t, "ranks"),
			Unreceived:    rapid.Int64Range(0, 9).Draw(t, "unreceived"),
		}
		r.RanksEnded = rapid.IntRange(0, r.Ranks-1).Draw(t, "ended")
		r.SlowestRank = rapid.IntRange(0, r.Ranks-1).Draw(t, "slowest")
		if rapid.Bool().Draw(t, "interrupted") {
			r.State = "interrupted"
		}
		var b strings.Builder
		if err := Text(&b, r); err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"predicted", "slowest", "mean end"} {
			if strings.Contains(b.String(), word) != (r.State == "") {
				t.Fatalf("state %q: %q\n%s", r.State, word, b.String())
			}
		}
		if r.State != "" && !strings.Contains(b.String(), Count(r.RanksEnded)+" had ended") {
			t.Fatal(b.String())
		}
	})
}

// TestTextOfControl: the text says what the control of a network of credits has done.
func TestTextOfControl(t *testing.T) {
	var with, without strings.Builder
	r := &fabricast.Result{}
	if err := Text(&without, r); err != nil {
		t.Fatal(err)
	}
	r.CongestionControl = &fabricast.ControlResult{Marked: 1234, Notifications: 1, Throttled: 2_500_000}
	if err := Text(&with, r); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(without.String(), "congestion") {
		t.Errorf("without control:\n%s", &without)
	}
	for _, words := range []string{"congestion", "1,234 marked", "1 notification, NICs held back packets for 2.500 us in all"} {
		if !strings.Contains(with.String(), words) {
			t.Errorf("no %q in\n%s", words, &with)
		}
	}
}
