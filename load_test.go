package fabricast_test

import (
	"errors"
	"testing"

	"fabricast"
)

// FuzzExperiment demands of any text either an experiment that can be written
// and read again, or an error of its own.
func FuzzExperiment(f *testing.F) {
	f.Add("network: {topology: {dims: [4, 4]}}\nworkload: {program: ring, size: 1kB}\n", "seed=7")
	f.Add(
		"network: {topology: {kind: mesh, dims: [2], wrap: [false]}, routing: {tie: up}}\nmapping: random\n",
		"workload={program: barrier}",
	)
	f.Add(
		"network: {topology: {dims: [4]}}\ntraffic: {load: 5%, pattern: {name: mix, parts: [{share: 1, block: 2}]}, arrivals: {process: bursts}}",
		"traffic.sizes=[{from: 1B, to: 9B, share: 100%}]",
	)
	f.Add(
		"network: {topology: {dims: [4]}}\ntraffic: {window: 4, reply: 8B, pattern: tornado, measure: {longest: 1ms}}",
		"traffic.pattern=uniform",
	)
	f.Add("network: {topology: {dims: [3]}, packet: {mtu: 0}}\nmapping: file:x\n", "network.router.buffer=1B")
	f.Add(
		"network: {topology: {kind: dragonfly, p: 2, a: 4, h: 2}, links: {global: {latency: 1us}}}\nworkload: {program: barrier}\n",
		"network.topology.g=3",
	)
	f.Add(
		"network: {topology: {kind: hierarchy, block: {kind: xgft, m: [2, 2], w: [1, 2]}, outer: {kind: slim-fly, q: 5}}}\nworkload: {program: barrier}\n",
		"network.topology.external=[1]",
	)
	f.Add(
		"network: {topology: {kind: fat-tree, radix: 4, levels: 2}}\nworkload: {program: barrier}\n",
		"network.topology={kind: hyperx, dims: [3], width: [2]}",
	)
	f.Fuzz(func(t *testing.T, text, assignment string) {
		e, err := fabricast.Parse("x.yaml", text, assignment)
		if err != nil {
			var config *fabricast.ConfigError
			if !errors.As(err, &config) || err.Error() == "" {
				t.Fatalf("got %v, want a ConfigError", err)
			}
			return
		}
		resolved, err := e.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fabricast.Parse("resolved.yaml", string(resolved)); err != nil {
			t.Fatalf("the resolved experiment is refused: %v\n%s", err, resolved)
		}
	})
}
