package ways

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"fabricast/internal/producttest"
)

// drawInNetwork describes a network whose switches carry out collectives, and what runs on it.
func drawInNetwork(d *rand.Rand) string {
	one := producttest.One
	kind, program := one(d, "sharp-llt", "sharp-sat", "nvls"), one(d, "allreduce", "barrier", "reduce", "reduce-scatter")
	if d.IntN(2) == 0 {
		kind, program = one(d, kind, "multicast"), one(d, "broadcast", "allgather")
	}
	size := fmt.Sprintf(", size: %dB", 1+d.IntN(3000))
	if program == "barrier" {
		size = ""
	}
	algorithm := "in-network"
	if program == "allreduce" && d.IntN(2) == 0 {
		algorithm = one(d, "nccl", "nccl-nvls", "nccl-nvls-tree", "nccl-collnet-direct", "nccl-collnet-chain") +
			fmt.Sprintf("/gpus=2/channels=%d", 1+d.IntN(4))
	}
	work := fmt.Sprintf("workload: {program: %s, algorithm: %s, iterations: %d%s}", program, algorithm, 1+d.IntN(3), size)
	text := fmt.Sprintf(
		"network: {topology: %s, packet: {mtu: 512B, header: %s}, in_network: {kind: %s, trees: 8, payload: %dB, window: %d, "+
			"lanes: %s, latency: %dns, groups: %s}}\nseed: %d\nnode: {nics: %s, ranks: %s}\n",
		one(
			d, "{dims: [4, 3]}", "{kind: fat-tree, radix: 4, levels: 2}", "{kind: fully-connected, routers: 4, hosts: 2}",
			"{kind: mesh, dims: [3, 4], hosts: 2}",
		),
		one(d, "0B", "16B"), kind, 1+d.IntN(400), 1+d.IntN(4), one(d, "1", "2"), d.IntN(300),
		one(d, "[all]", "[block/2, all]", "[block/2, stride/2, all]"), d.IntN(1000), one(d, "1", "2"), one(d, "1", "2"),
	)
	if d.IntN(2) == 0 {
		text += fmt.Sprintf(
			"jobs:\n- {ranks: %d, placement: %s, %s}\n- {ranks: 3, start: %s, %s}\n", 1+d.IntN(5), one(d, "linear", "random-nodes"), work,
			one(d, "0ps", "700ns"), one(d, work, "workload: {program: alltoall, algorithm: ring, size: 700B}"),
		)
	} else {
		text += work + "\n"
	}
	if d.IntN(2) == 0 {
		text += "record: {bins: {interval: 500ns, buffers: true}, messages: true, timeline: true}\n"
	}
	return text
}

// eachInNetwork calls f with experiments on networks whose switches carry out collectives.
func eachInNetwork(t *testing.T, f func(t *testing.T, d *rand.Rand, x *drawn)) {
	t.Run("in-network", func(t *testing.T) {
		t.Parallel()
		d := producttest.Draws(t)
		for range times(3) {
			call(f, t, d, refer(t, drawInNetwork(d), false))
		}
	})
}
