package networks

import (
	"fmt"
	"strings"
	"testing"

	"fabricast"
)

// TestPacketsUnderWay: a packet under way when its link goes down arrives as without a fault if the link
// drains. With retries it arrives a round trip on the link later than if it had waited from the beginning.
func TestPacketsUnderWay(t *testing.T) {
	const ring = "topology: {dims: [4]}, link: {latency: 100ns}"
	const latency, up = 100 * fabricast.Nanosecond, 50 * fabricast.Microsecond
	whole := timeWith(t, ring, "", sends(0, 1, 64))
	down := func(from fabricast.Time, packets string) fabricast.Time {
		return timeWith(t, ring, fmt.Sprintf("events: [{link: 0-1, from: %dps, to: 50us}], packets: %s", from, packets), sends(0, 1, 64))
	}
	waits := down(1000, "drain")
	started := whole + up - waits // at the first router
	if retried := down(1000, "retry"); retried != waits || started <= 0 || started >= whole {
		t.Fatalf("a packet that waits from the start: %v, want %v; it starts at %v", retried, waits, started)
	}
	for _, after := range []fabricast.Time{1, 50_000, 200_000} {
		if drained := down(started+after, "drain"); drained != whole {
			t.Errorf("%d ps after the start: %v, want %v", after, drained, whole)
		}
		if retried := down(started+after, "retry"); retried != waits+2*latency {
			t.Errorf("%d ps after the start, retried: %v, want %v more than %v", after, retried, 2*latency, waits)
		}
	}
	// 2 ns of the routers' decisions are left at the other end, then software; the tail is there by then.
	if late := down(whole-100_000, "retry"); late != whole {
		t.Errorf("a packet that has arrived: %v, want %v", late, whole)
	}
}

// TestWrongRetries: each is refused with its place, what was found and what was expected.
func TestWrongRetries(t *testing.T) {
	const ring = "topology: {dims: [4]}"
	for _, c := range []struct{ network, faults, field, says string }{
		{ring, "packets: lose, events: [{link: 0-1, from: 1us}]", "faults.packets", "one of drain, retry"},
		{ring, "packets: retry, events: [{link: 0-1, from: 1us}]", "faults.events[0].to", "sent again then"},
		{ring, "packets: retry, events: [{nic: 1, from: 1us, to: 2us}]", "faults.events[0].nic", "between routers"},
		{ring + ", router: {output_buffer: 8KiB}", "packets: retry, events: [{link: 0-1, from: 1us, to: 2us}]", "faults.packets", "output_buffer"},
	} {
		e, err := fabricast.Parse("faults.yaml", "network: {"+c.network+"}\nworkload: {program: barrier}\nfaults: {"+c.faults+"}\n")
		if err == nil {
			_, err = e.Run(t.Context())
		}
		if err == nil || !strings.Contains(err.Error(), c.field+": ") || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v does not say %q of %s", c.faults, err, c.says, c.field)
		}
	}
}
