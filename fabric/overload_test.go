package fabric_test

import (
	"testing"

	"fabricast/fabric"
	"fabricast/internal/oracle/experiments"
	"fabricast/topology"
)

// TestOverloadAgainstOracle: where adaptive routing collapses, tornado on an 8-ary 2-cube
// (docs/routing.md), the engine does what the oracle does, packet by packet.
func TestOverloadAgainstOracle(t *testing.T) {
	link := fabric.Link{Bandwidth: 16e9, Latency: 1000}
	for seed, vcs := range []int{3, 8} {
		e := &experiments.Experiment{
			Shape: &experiments.Shape{
				Of:        topology.TorusSpec{Dims: []int{8, 8}, Hosts: 1},
				Algorithm: "adaptive",
				Links:     []fabric.Link{link},
			}, NICs: 1,
			Link: link, HostLink: link,
			Router: fabric.Router{
				VCAllocation: 1000, SwitchAllocation: 1000, SwitchTraversal: 1000, Bandwidth: 16e9,
				VCs: vcs, Buffer: 512, Arbiter: fabric.RoundRobin,
			},
			Packet: fabric.Packet{MTU: 128, Flit: 16}, DMA: 1e15,
		}
		for n := range int32(64 * 40) {
			src := n % 64
			dst := (src%8+3)%8 + (src/8+3)%8*8
			e.Messages = append(
				e.Messages,
				experiments.Message{
					Src:   src,
					Dst:   dst,
					Size:  128,
					Cause: experiments.AtStart,
					Delay: int64(n/64) * 16_000,
				},
			)
		}
		compare(t, uint64(seed)*5, e, fabric.New)
	}
}
