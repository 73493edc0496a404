package networks

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fabricast"
	"fabricast/internal/producttest"
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
	for from, want := range map[fabricast.Time]int64{started + 50_000: 1, 1000: 0} {
		e := faulty(t, ring, fmt.Sprintf("events: [{link: 0-1, from: %dps, to: 50us}], packets: retry", from), sends(0, 1, 64))
		if got := producttest.Run(t, e).Faults.Retried; got != want {
			t.Errorf("from %v: %d packets sent again, want %d", from, got, want)
		}
	}
	// 2 ns of the routers' decisions are left at the other end, then software; the tail is there by then.
	if late := down(whole-100_000, "retry"); late != whole {
		t.Errorf("a packet that has arrived: %v, want %v", late, whole)
	}
}

// TestRetryBeforeTheTail: a link that is down for 1 ns while a packet comes slowly over the one before sends
// it again before its tail has come, and does not end before that.
func TestRetryBeforeTheTail(t *testing.T) {
	const ring = "topology: {dims: [4]}, link: {latency: 1ns, bandwidth: 100GB/s}"
	const up, tail = 50 * fabricast.Microsecond, fabricast.Microsecond
	with := func(more string) fabricast.Time {
		return timeWith(t, ring, "packets: retry, events: [{link: 0>1, from: 0ps, rate: 1%}"+more+"]", sends(0, 2, 1024))
	}
	whole := with("")
	ends := whole + up - with(", {link: 1-2, from: 0ps, to: 50us}") // about when the tail leaves the second router
	if ends <= tail || ends >= whole {
		t.Fatalf("a packet leaves at %v of %v", ends, whole)
	}
	from := ends - tail/2
	again := with(fmt.Sprintf(", {link: 1-2, from: %dps, to: %dps}", from, from+fabricast.Nanosecond))
	if again < whole || again > whole+tail/2 {
		t.Errorf("%v, want at least %v, and half a packet more at most", again, whole)
	}
}

// TestWrongRetriesInFiles: files of faults are held to the same.
func TestWrongRetriesInFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "faults.txt")
	for line, says := range map[string]string{
		"link 0-1 1us -": "sent again then", "nic 1 1us 2us": "between routers",
	} {
		if err := os.WriteFile(file, []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := faulty(t, "topology: {dims: [4]}", "packets: retry, file: "+file, sends(0, 1, 1)).Run(t.Context())
		if err == nil || !strings.Contains(err.Error(), file+":1") || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v does not say %q", line, err, says)
		}
	}
}

// TestWrongRetries: each is refused with its place, what was found and what was expected.
func TestWrongRetries(t *testing.T) {
	const ring = "topology: {dims: [4]}"
	for _, c := range []struct{ network, faults, field, says string }{
		{ring, "packets: loose, events: [{link: 0-1, from: 1us}]", "faults.packets", "one of drain, retry, lose"},
		{ring, "timeout: 1us, events: [{link: 0-1, from: 1us}]", "faults.timeout", "packets: lose"},
		{ring, "packets: lose, timeout: 1ps, events: [{link: 0-1, from: 1us}]", "faults.timeout", "from 1ns to 1000s"},
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
