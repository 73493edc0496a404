package networks

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"fabricast"
	"fabricast/internal/producttest"
)

// TestSwitches runs a program through every kind of switch with every kind of
// routing; the number of workers has no say, which a quarter of them shows for each commit.
func TestSwitches(t *testing.T) {
	seen := map[string]bool{}
	for i, routing := range []string{"dor", "valiant", "adaptive", "ugal-l", "ugal-g"} {
		for j, router := range []string{
			"{vcs: 4}",
			"{vcs: 4, queues: voq, arbiter: matrix}",
			"{vcs: 4, output_buffer: 1KiB, bandwidth: 16GB/s, arbiter: age}",
			"{vcs: 4, queues: voq, output_buffer: 1KiB, arbiter: priority}",
		} {
			text := fmt.Sprintf(
				"network: {topology: {kind: hyperx, dims: [4, 4], hosts: 2}, routing: %s, router: %s}\nworkload: {program: alltoall, size: 3000B}",
				routing,
				router,
			)
			hash := runText(t, text, 1)
			if producttest.Turn(t, i+j, 4) {
				if again := runText(t, text, 2); again != hash {
					t.Errorf("%s\nhash %s with one worker, %s with two", text, hash, again)
				}
			}
			seen[hash] = true
		}
	}
	if len(seen) < 10 {
		t.Errorf("only %d different results", len(seen))
	}
}

func runText(t *testing.T, text string, workers int) string {
	t.Helper()
	e, err := fabricast.Parse("switch.yaml", text)
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	r, err := e.Run(context.Background(), fabricast.Workers(workers))
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return r.Hash
}

func TestWrongSwitches(t *testing.T) {
	f := func(router string, words ...string) {
		t.Helper()
		e, err := fabricast.Parse(
			"x.yaml",
			"network: {topology: {dims: [4]}, router: "+router+"}\nworkload: {program: ring, size: 1B}",
		)
		if err == nil {
			_, err = e.Preview()
		}
		var bad *fabricast.ConfigError
		if !errors.As(err, &bad) {
			t.Fatalf("%s: %v", router, err)
		}
		for _, w := range words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q is not in\n%v", router, w, err)
			}
		}
	}
	f("{queues: output}", "network.router.queues", "input", "voq")
	f("{output_buffer: 255}", "network.router.output_buffer", "B")
	f("{output_buffer: 255B}", "network.router.output_buffer", "255B", "256B")
	f("{output_buffer: 2GiB}", "network.router.output_buffer", "1GiB")
	f("{arbiter: matrics}", "network.router.arbiter", "matrix")
	f(
		"{output_buffer: 1KiB, routing: 0, vc_allocation: 0, switch_allocation: 0}, link: {latency: 0}",
		"network.link.latency",
		"output",
	)
}

// TestAllocation runs a program with virtual channels allocated in each way, with pauses of queues,
// and with NICs that inject by all channels; each changes the prediction. The number of workers has no
// say, which a quarter of them shows for each commit.
func TestAllocation(t *testing.T) {
	seen := map[string]string{}
	for i, router := range []string{
		"allocation: combined", "allocation: separate", "turnaround: 1us", "allocation: separate, turnaround: 1us", "allocation: separate, output_buffer: 1KiB, arbiter: matrix", "allocation: separate, allocator: separable",
		"allocation: separate}, routing: {algorithm: adaptive", "allocation: separate, allocator: separable}, routing: {algorithm: adaptive, escape: stay",
		"allocation: separate, allocator: separable}, routing: {algorithm: dor, choice: queue, shared_vcs: 1",
	} {
		for _, injection := range []string{"routed", "all"} {
			text := fmt.Sprintf(
				"network: {topology: {dims: [4, 4]}, router: {vcs: 4, %s}}\nnode: {injection: %s}\nworkload: {program: alltoall, size: 3000B}",
				router,
				injection,
			)
			hash := runText(t, text, 1)
			if producttest.Turn(t, i, 4) {
				if again := runText(t, text, 3); again != hash {
					t.Errorf("%s\nhash %s with one worker, %s with three", text, hash, again)
				}
			}
			if before := seen[hash]; before != "" {
				t.Errorf("%s\nand\n%s\nhave the same result", before, text)
			}
			seen[hash] = text
		}
	}
}

func TestWrongAllocation(t *testing.T) {
	f := func(network, field string) {
		t.Helper()
		e, err := fabricast.Parse(
			"x.yaml",
			"network: {topology: {dims: [4]}, "+network+"}\nworkload: {program: ring, size: 1B}",
		)
		if err == nil {
			_, err = e.Run(context.Background())
		}
		var bad *fabricast.ConfigError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", network, err)
		}
	}
	f("router: {allocation: late}", "network.router.allocation")
	f("router: {allocation: separate, queues: voq}", "network.router.allocation")
	f("router: {turnaround: 1ns, queues: voq}", "network.router.turnaround")
	f("router: {turnaround: -1ns}", "network.router.turnaround")
	f("router: {allocation: separate, allocator: greedy}", "network.router.allocator")
	f("router: {allocator: separable}", "network.router.allocator")
	f(
		"router: {allocation: separate, allocator: separable, vc_allocation: 0}",
		"network.router.vc_allocation",
	)
	f(
		"router: {allocation: separate, allocator: separable, switch_allocation: 0}",
		"network.router.switch_allocation",
	)
	f("router: {vcs: 3}, routing: {algorithm: dor, shared_vcs: 1}", "choice queue")
	f("router: {vcs: 3}, routing: {algorithm: dor, choice: queue, shared_vcs: 2}", "class 0")
	f(
		"router: {vcs: 3}, routing: {algorithm: dor, choice: queue, shared_vcs: -1}",
		"network.routing.shared_vcs",
	)
	f("router: {vcs: 3}, routing: {algorithm: adaptive, escape: hide}", "network.routing.escape")
}
