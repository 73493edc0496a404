package networks

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"fabricast"
	"fabricast/internal/producttest"
)

// slowLink is a network whose link between routers limits what a host sends.
const slowLink = "topology: {kind: fully-connected, routers: 2, hosts: 1}, link: {bandwidth: 10GB/s, latency: 200ns}, " +
	"links: {0-1: {bandwidth: 1GB/s}}, packet: {mtu: 1024B, header: 24B, flit: 8B}"

// withErrors runs a message of a number of full packets over a link with bit errors.
func withErrors(t *testing.T, packets int, faults string, options ...fabricast.Option) *fabricast.Result {
	t.Helper()
	return producttest.Run(t, faulty(t, slowLink, faults, sends(0, 1, packets*1000)), options...)
}

// TestGoodputWithBitErrors: a link that is always busy sends a damaged packet again after a round trip, so each
// error costs the time of a packet and two latencies. In the mean p / (1 - p) errors hit a packet, where p =
// 1 - exp(-bits * rate), so the share of the time in which packets get through is t / (t + p / (1 - p) (t + 2 l)).
func TestGoodputWithBitErrors(t *testing.T) {
	const packets, each, latency = 4000, 1_024_000, 200_000
	whole := withErrors(t, packets, "").SimulatedTime
	for text, rate := range map[string]float64{"1e-6": 1e-6, "2e-5": 2e-5, "9e-5": 9e-5} {
		r := withErrors(t, packets, "bit_errors: {rate: "+text+"}")
		if want := whole + fabricast.Time(r.Faults.Retried*(each+2*latency)); r.SimulatedTime != want {
			t.Errorf("%s: %v with %d errors, want %v", text, r.SimulatedTime, r.Faults.Retried, want)
		}
		p := -math.Expm1(-8 * 1024 * rate)
		mean, deviation := packets*p/(1-p), math.Sqrt(packets*p)/(1-p)
		if math.Abs(float64(r.Faults.Retried)-mean) > 4*deviation {
			t.Errorf("%s: %d errors, want %.0f +- %.0f", text, r.Faults.Retried, mean, deviation)
		}
		for workers := 2; workers <= 3; workers++ {
			if other := withErrors(t, packets, "bit_errors: {rate: "+text+"}", fabricast.Workers(workers)); other.Hash != r.Hash {
				t.Errorf("%s: another result with %d workers", text, workers)
			}
		}
	}
	other := withErrors(t, packets, "bit_errors: {rate: 9e-5, links: [{link: 0-1, rate: 0}]}")
	if other.Faults != nil || other.SimulatedTime != whole {
		t.Errorf("a link without errors: %v and %+v, want %v", other.SimulatedTime, other.Faults, whole)
	}
	if back := withErrors(t, packets, "bit_errors: {links: [{link: 1>0, rate: 9e-5}]}"); back.SimulatedTime != whole {
		t.Errorf("errors of the other direction: %v, want %v", back.SimulatedTime, whole)
	}
}

// TestBitErrorsInLossyNetworks: packets that are damaged are lost, and senders send them again.
func TestBitErrorsInLossyNetworks(t *testing.T) {
	const network = slowLink + ", router: {buffers: lossy}"
	run := func(faults string, workers int) *fabricast.Result {
		e := faulty(t, network, faults, sends(0, 1, 1_000_000))
		return producttest.Run(t, e, fabricast.Workers(workers))
	}
	whole, lossy := run("", 1), run("bit_errors: {rate: 5e-6}", 1)
	if n := lossy.Faults.Lost; n < 15 || n > 100 || lossy.SimulatedTime <= whole.SimulatedTime || lossy.Congestion.Again < uint64(n)/2 {
		t.Errorf("%d of %d packets lost, %d sent again, %v for %v", n, lossy.Packets, lossy.Congestion.Again, lossy.SimulatedTime, whole.SimulatedTime)
	}
	if other := run("bit_errors: {rate: 5e-6}", 2); other.Hash != lossy.Hash || other.Faults.Lost != lossy.Faults.Lost {
		t.Error("another result with 2 workers")
	}
}

// TestWrongBitErrors: each is refused with its place, what was found and what was expected.
func TestWrongBitErrors(t *testing.T) {
	for _, c := range []struct{ network, faults, field, says string }{
		{slowLink, "bit_errors: {rate: 2e-4}", "faults.bit_errors.rate", "fewer than one wrong bit"},
		{slowLink, "bit_errors: {rate: 1e-2}", "faults.bit_errors.rate", "such as 1e-12"},
		{slowLink, "bit_errors: {rate: 2e-3}", "faults.bit_errors.rate", "at most 1e-3"},
		{slowLink, "bit_errors: {links: [{link: 0-2, rate: 1e-9}]}", "faults.bit_errors.links[0].link", "two routers"},
		{slowLink, "bit_errors: {links: [{link: 0-1, rate: 1e-9}, {link: 1>0, rate: 1e-8}]}", "faults.bit_errors.links[1].link", "one rate"},
		{slowLink + ", router: {output_buffer: 8KiB}", "bit_errors: {rate: 1e-9}", "faults.bit_errors", "output_buffer"},
		{slowLink + ", router: {buffers: pfc}", "bit_errors: {rate: 1e-9}", "faults.bit_errors", "network.router.buffers: pfc"},
	} {
		e, err := fabricast.Parse("faults.yaml", fmt.Sprintf("network: {%s}\nworkload: {program: barrier}\nfaults: {%s}\n", c.network, c.faults))
		if err == nil {
			_, err = e.Run(t.Context())
		}
		if err == nil || !strings.Contains(err.Error(), c.field+": ") || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v does not say %q of %s", c.faults, err, c.says, c.field)
		}
	}
}
