package recording

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fabricast"
	"fabricast/mpi"
)

// TestWhyAnswersUsers rebuilds what users of other simulators have asked: why is it slower than I expect? The
// first line must name the reason.
func TestWhyAnswersUsers(t *testing.T) {
	f := func(question, text string, program func(*mpi.Rank), want ...string) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "test.yaml")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		load := fabricast.Load
		if program != nil {
			load = fabricast.LoadMachine
		}
		e, err := load(file)
		if err != nil {
			t.Fatal(err)
		}
		e.Program = program
		p, _ := explained(t, e)
		for _, word := range want {
			if !strings.Contains(p.Why, word) {
				t.Errorf("%s\n%s\nis not explained by %q", question, p.Why, word)
			}
		}
	}
	f("sst-elements 1720: a node sends the messages of an all-to-all of 8 B in intervals of 1 us. Why?", `
network: {topology: {kind: dragonfly, p: 2, a: 4, h: 1}, link: {bandwidth: 4GB/s}, packet: {mtu: 2KiB, flit: 8B}}
node: {overhead: 500ns}
workload: {program: alltoall, algorithm: ring, size: 8B}
`, nil, "because of software of messages")
	f("sst-elements 2534: 8 MB take 217 us, 39 GB/s, whatever the bandwidth of the links (256 GB/s). Why?", `
network: {topology: {kind: torus, dims: [2]}, link: {bandwidth: 256GB/s}}
node: {dma: 39GB/s}
workload: {program: pingpong, size: 8MB}
`, nil, "because of messages in the network", "for reading from the sender's memory (node.dma)")
	f("simgrid 338: a ring allreduce takes the same time at any bandwidth. Why?", `
network: {topology: {kind: fully-connected, routers: 1, hosts: 4}, link: {bandwidth: 20MB/s}}
ranks: 4
`, func(r *mpi.Rank) {
		r.Compute(mpi.Second) // at a speed of 40 million operations a second
		for range 100 {
			r.Allreduce(mpi.Size(1000), mpi.Size(1000), nil, "")
		}
	}, "because of computation")
	f("astra-sim 155: in more pieces at once a collective takes longer. Why?", `
network: {topology: {kind: fully-connected, routers: 1, hosts: 4}, link: {bandwidth: 20GB/s}}
node: {dma: 20GB/s, overhead: 1ns}
ranks: 4
`, func(r *mpi.Rank) {
		var list []mpi.Request
		for piece := range 16 {
			for other := range 4 {
				if other != r.Rank() {
					list = append(list, r.Irecv(mpi.Size(200_000), other, piece), r.Isend(mpi.Size(200_000), other, piece))
				}
			}
		}
		r.WaitAll(list)
	}, "because of messages in the network", "waiting for others, most of it for other messages of the NIC")
	f("astra-sim 207: all topologies take the same time. Why?", `
network: {topology: {kind: torus, dims: [8]}}
workload: {program: allreduce, algorithm: ring, size: 1kB}
node: {overhead: 5us}
`, nil, "because of software of messages")
}
