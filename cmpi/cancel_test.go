//go:build cgo && linux && amd64

package cmpi_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"fabricast"
	"fabricast/routing"
)

// TestCancel takes messages back on machines on which they travel in different ways. MPICH cannot
// be compared with: it does not cancel sends on all networks, and then waits for ever for
// synchronous ones.
func TestCancel(t *testing.T) {
	text, err := os.ReadFile("testdata/cancel/cancel.want")
	if err != nil {
		t.Fatal(err)
	}
	want := sorted(string(text))
	program := compile(t, "testdata/cancel/cancel.c")
	machines := map[string]func(e *fabricast.Experiment){
		"eager":      func(*fabricast.Experiment) {},
		"one copy":   func(e *fabricast.Experiment) { e.Node.Copies = "one" },
		"rendezvous": func(e *fabricast.Experiment) { e.Node.Protocol.Rendezvous = "write" },
		"reads":      func(e *fabricast.Experiment) { e.Node.Protocol.Rendezvous = "read" },
		"one host":   func(e *fabricast.Experiment) { e.Node.Ranks = 4 },
		"two hosts":  func(e *fabricast.Experiment) { e.Node.Ranks = 2 },
		"adaptive": func(e *fabricast.Experiment) {
			e.Network.Routing, e.Node.Protocol.Rendezvous = routing.AdaptiveOptions{}, "write"
		},
		"three NICs": func(e *fabricast.Experiment) { e.Node.NICs = 3 },
	}
	for name, change := range machines {
		t.Run(name, func(t *testing.T) {
			var first string
			for _, workers := range []int{1, 2} {
				e := torus(4)
				change(e)
				got, result, err := run(t, e, program, workers)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got, want) {
					t.Errorf(
						"%d workers: found\n%s\nexpected\n%s",
						workers, strings.Join(got, "\n"), strings.Join(want, "\n"),
					)
				}
				if hash := result.Hash; first != "" && hash != first {
					t.Errorf("found hash %s with %d workers, expected %s", hash, workers, first)
				} else {
					first = hash
				}
			}
		})
	}
}
