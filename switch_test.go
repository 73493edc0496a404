package fabricast_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"fabricast"
)

// TestSwitches runs a program through every kind of switch with every kind of
// routing; the number of workers has no say.
func TestSwitches(t *testing.T) {
	seen := map[string]bool{}
	for _, routing := range []string{"dor", "valiant", "adaptive", "ugal-l", "ugal-g"} {
		for _, router := range []string{
			"{vcs: 4}",
			"{vcs: 4, queues: voq, arbiter: matrix}",
			"{vcs: 4, output_buffer: 1KiB, bandwidth: 16GB/s, arbiter: age}",
			"{vcs: 4, queues: voq, output_buffer: 1KiB, arbiter: priority}",
		} {
			text := fmt.Sprintf("network: {topology: {kind: hyperx, dims: [4, 4], hosts: 2}, routing: %s, router: %s}\nworkload: {program: alltoall, size: 3000B}", routing, router)
			hash := runText(t, text, 1)
			if again := runText(t, text, 2); again != hash {
				t.Errorf("%s\nhash %s with one worker, %s with two", text, hash, again)
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
		e, err := fabricast.Parse("x.yaml", "network: {topology: {dims: [4]}, router: "+router+"}\nworkload: {program: ring, size: 1B}")
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
	f("{output_buffer: 1KiB, routing: 0, vc_allocation: 0, switch_allocation: 0}, link: {latency: 0}", "network.link.latency", "output")
}
