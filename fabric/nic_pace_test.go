package fabric_test

import (
	"math/bits"
	"strings"
	"testing"

	"fabricast/internal/units"

	"pgregory.net/rapid"

	"fabricast/fabric"
	"fabricast/internal/oracle/experiments"
)

// neighbours are two hosts with fast memory, ample buffers and no delays but those of
// cables, joined at some rate in bytes/s.
func neighbours(rate int64) *experiments.Experiment {
	return &experiments.Experiment{
		Dims: []int{2}, Wrap: []bool{false}, NICs: 1,
		Link:     fabric.Link{Bandwidth: units.Rate(rate), Latency: 1000},
		HostLink: fabric.Link{Bandwidth: units.Rate(rate), Latency: 1000},
		Router:   fabric.Router{Bandwidth: units.Rate(rate), VCs: 1, Buffer: 1 << 20},
		Packet:   fabric.Packet{MTU: 96, Flit: 16},
		DMA:      1_000_000_000_000,
	}
}

// byteTime is how long n bytes take at a rate, rounded down, in ps.
func byteTime(n, rate int64) int64 {
	hi, lo := bits.Mul64(uint64(n), 1_000_000_000_000)
	quo, _ := bits.Div64(hi, lo, uint64(rate))
	return int64(quo)
}

// fates runs an experiment on a path of the engine.
func fates(t rapid.TB, e *experiments.Experiment, path newNetwork) []experiments.Fate {
	t.Helper()
	outcome, err := simulate(e, 1, 1, path)
	if err != nil {
		t.Fatal(err)
	}
	return outcome.Fates
}

// TestGapOfOneHalvesTheRate: with a gap of n, over any run of packets, one of them
// leaves in each 1+n packet times exactly, also where these are no whole number of ps. The
// pause comes after the tail, and the NIC fetches during it.
func TestGapOfOneHalvesTheRate(t *testing.T) {
	for name, path := range map[string]newNetwork{"fast": fabric.New, "general": fabric.NewGeneral} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				e := neighbours(rapid.Int64Range(300_000_000, 9_000_000_000).Draw(t, "rate"))
				gap := rapid.Int64Range(0, 9).Draw(t, "gap")
				packets := rapid.Int64Range(1, 50).Draw(t, "packets")
				for range packets {
					e.Messages = append(
						e.Messages,
						experiments.Message{Dst: 1, Size: 96, Cause: experiments.AtStart, Gap: gap},
					)
				}
				for k, fate := range fates(t, e, path) {
					k := int64(k)
					left := 96 + byteTime(((1+gap)*k+1)*96, int64(e.HostLink.Bandwidth))
					if want := left + 3000 + 96; fate.Delivered != want {
						t.Fatalf("packet %d is delivered at %d ps, want %d", k, fate.Delivered, want)
					}
					room := int64(96)
					if k >= 2 {
						room = 96 + byteTime(((1+gap)*(k-2)+1)*96, int64(e.HostLink.Bandwidth))
					}
					if want := room + 96; k > 0 && fate.Fetched != want {
						t.Fatalf("packet %d is fetched at %d ps, want %d", k, fate.Fetched, want)
					}
				}
			})
		})
	}
}

// TestPauseHoldsUpTheNextMessage: the pause after a paced message's last packet is
// before the next message's first, and no packet of that is followed by one.
func TestPauseHoldsUpTheNextMessage(t *testing.T) {
	e := neighbours(1_000_000_000) // 96,000 ps a packet
	e.Messages = []experiments.Message{
		{Dst: 1, Size: 2 * 96, Cause: experiments.AtStart, Gap: 3},
		{Dst: 1, Size: 2 * 96, Cause: experiments.AtStart},
		{Dst: 1, Size: 32, Cause: experiments.AtStart, Gap: 1},
		{Dst: 1, Size: 96, Cause: experiments.AtStart},
	}
	// of tails at the source
	ends := []int64{5 * 96_000, 10 * 96_000, 10*96_000 + 32_000, 11*96_000 + 64_000}
	moves := []int64{96, 96, 32, 96}
	for i, fate := range fates(t, e, fabric.New) {
		if want := 96 + ends[i] + 3000 + moves[i]; fate.Delivered != want {
			t.Errorf("message %d is delivered at %d ps, want %d", i, fate.Delivered, want)
		}
	}
}

// TestLongestGap: the largest gap is as exact as others, a larger one is refused.
func TestLongestGap(t *testing.T) {
	e := neighbours(999_999_937)
	e.Messages = []experiments.Message{
		{Dst: 1, Size: 2 * 96, Cause: experiments.AtStart, Gap: fabric.MaxGap},
	}
	want := 96 + byteTime((2+fabric.MaxGap)*96, int64(e.HostLink.Bandwidth)) + 3000 + 96
	if got := fates(t, e, fabric.New)[0].Delivered; got != want {
		t.Errorf("delivered at %d ps, want %d", got, want)
	}
	e.Messages[0].Gap++
	if _, err := simulate(e, 1, 1, fabric.New); err == nil ||
		!strings.Contains(err.Error(), "2^24 packet times") {
		t.Errorf("a gap beyond the largest: %v", err)
	}
}
