package nodes

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/internal/producttest"
)

// TestEmptyMessages: a size of 0 that is written is one, also in the resolved experiment that a
// result has; one that is not written is missing.
func TestEmptyMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		program := rapid.SampledFrom([]string{
			"pingpong", "ring", "random-ring", "halo2d", "halo3d", "uniform", "alltoall, algorithm: bruck", "alltoall, pacing: mod", "gather", "allgather", "ring, pacing: 2",
		}).Draw(t, "program")
		network := rapid.SampledFrom([]string{"", ", packet: {header: 8B}", ", router: {queues: voq}"}).
			Draw(t, "network")
		by := rapid.SampledFrom([]string{"send", "put"}).Draw(t, "by")
		node := rapid.SampledFrom([]string{"", "node: {protocol: {rendezvous: write}}\n", "node: {copies: one, nics: 2}\n"}).
			Draw(t, "node")
		text := "network: {topology: {dims: [3, 3]}" + network + "}\n" + node + "workload: {program: " + program + ", by: " + by + ", size: 0}\n"
		e, err := fabricast.Parse("empty.yaml", text)
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.Run(t.Context(), fabricast.Workers(1))
		if err != nil {
			t.Fatal(err)
		}
		if r.Messages == 0 || r.PayloadBytes != 0 || r.Packets < r.Messages {
			t.Errorf("%d messages of %d bytes, %d packets", r.Messages, r.PayloadBytes, r.Packets)
		}
		if err := e.Resolve(); err != nil {
			t.Fatal(err)
		}
		resolved, err := e.YAML()
		if err != nil || !strings.Contains(string(resolved), "  size: 0B\n") {
			t.Fatalf("%v\n%s", err, resolved)
		}
		again, err := fabricast.Parse("resolved.yaml", string(resolved))
		if err != nil {
			t.Fatalf("%v\n%s", err, resolved)
		}
		other, err := again.Run(t.Context(), fabricast.Workers(3))
		if err != nil || other.Hash != r.Hash {
			t.Fatalf("repeated: %v, %v, want %v\n%s", err, other, r.Hash, resolved)
		}
		missing := producttest.Torus(3, 3)
		missing.Workload.Program = "ring"
		if err := missing.Resolve(); err == nil ||
			!strings.Contains(err.Error(), "or 0B for messages without payload") {
			t.Fatalf("without a size: %v", err)
		}
	})
}
