package data

import (
	"fmt"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
)

// TestNoRunBeatsItsBounds draws programs, protocols and networks, and checks that no lower bound in
// a report exceeds the time of the run.
func TestNoRunBeatsItsBounds(t *testing.T) {
	dir := t.TempDir()
	runs := 0
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string, words ...string) string { return rapid.SampledFrom(words).Draw(t, name) }
		text := fmt.Sprintf(
			"network: {topology: %s, packet: {mtu: 256B, header: %s}, link: {bandwidth: %s, latency: %s}, "+
				"host_link: {bandwidth: %s, latency: %s}, router: {vcs: 8, latency: %s}%s}\n"+
				"node: {ranks: %s, nics: %s, dma: %s, overhead: %s, copies: %s%s}\nworkload: %s\nimbalance: {width: %s}\n",
			draw(
				"topology", "{kind: fully-connected, routers: 1, hosts: 4}", "{dims: [3, 2]}",
				"{kind: dragonfly, p: 1, a: 2, h: 1}", "{kind: k-ary-n-tree, k: 2, n: 2}", "{kind: mesh, dims: [2], hosts: 2}",
			),
			draw("header", "0B", "64B"),
			draw("link", "1GB/s", "8GB/s", "100GB/s"), draw("cable", "0ps", "100ns", "5us"),
			draw("host link", "1GB/s", "8GB/s", "100GB/s"), draw("host cable", "0ps", "100ns", "5us"),
			draw("router", "0ps", "140ns"),
			draw("routing", "", ", routing: {algorithm: valiant}", ", routing: {algorithm: shortest, choice: packet}"),
			draw("ranks", "1", "2"), draw("NICs", "1", "2"), draw("DMA", "2GB/s", "200GB/s"),
			draw("overhead", "0ps", "200ns"), draw("copies", "zero", "one"),
			draw("protocol", "", ", protocol: {eager: 1KiB}", ", protocol: {rendezvous: read, setup: 3us}"),
			draw(
				"program", "{program: allreduce, algorithm: ring, size: 100KiB}", "{program: barrier}",
				"{program: alltoall, size: 64B}", "{program: broadcast, size: 20KiB}",
				"{program: uniform, size: 2KiB, messages: 3}", "{program: uniform, size: 1KiB, messages: 2, by: put}",
				"{program: reduce-scatter, size: 10KiB}", "{program: ring, size: 0B}", "{program: ring, size: 9KiB, by: put}",
			),
			draw("imbalance", "0", "1us"),
		)
		e, err := fabricast.Parse("x.yaml", text)
		if err != nil {
			t.Skip("the drawn settings are not compatible") // the test fails if nine of ten are not
		}
		folder := filepath.Join(dir, fmt.Sprint(runs))
		r, err := e.Run(t.Context(), fabricast.Record(folder), fabricast.Workers(1))
		if err != nil {
			t.Skip(err)
		}
		runs++
		report, err := Make(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range report.Manifest.Runs[0].Summary.Bounds {
			if b.Time > int64(r.SimulatedTime) {
				t.Fatalf("%s: a bound of %d ps for a run of %d ps\n%s", b.What, b.Time, r.SimulatedTime, text)
			}
		}
	})
}
