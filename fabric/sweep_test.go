package fabric_test

import (
	"sync/atomic"
	"testing"

	"fabricast/engine"
	"fabricast/fabric"
)

// TestEmptyRingsAreSwept: buffers that have passed on the packets of long messages give their
// places back to others, without any effect on the results.
func TestEmptyRingsAreSwept(t *testing.T) {
	spec := extreme(t, 4, 4, 4)
	spec.Packet.MTU = 2048
	around := []int32{1, 63, 4, 60, 16, 48}
	run := func(workers int, prepare func(*fabric.Network)) (fabric.Totals, uint32) {
		n, err := fabric.New(spec, workers)
		if err != nil {
			t.Fatal(err)
		}
		defer n.Close()
		prepare(n)
		var blocks []engine.Block
		n.SetStreams(false)
		step := make([]int, spec.Graph.Hosts)
		for _, b := range n.Blocks() {
			b.SetEndpoint(&shifts{
				b, int32(spec.Graph.Hosts), 64 << 10, func(_ int32, step int) int32 { return around[step] },
				len(around), step,
			})
			for h := range b.Hosts() {
				b.SetTimer(h, 0)
			}
			blocks = append(blocks, b)
		}
		if _, err := engine.Run(blocks, workers, new(atomic.Bool)); err != nil {
			t.Fatal(err)
		}
		if err := n.Verify(); err != nil {
			t.Fatal(err)
		}
		return n.Totals(), n.Places()
	}
	totals, places := run(1, func(*fabric.Network) {})
	if others, most := run(1, (*fabric.Network).NeverSweep); others != totals || 3*places > 2*most {
		t.Errorf("%d places and %+v with sweeping, %d and %+v without", places, totals, most, others)
	}
	if others, _ := run(2, func(*fabric.Network) {}); others != totals {
		t.Errorf("%+v with one worker, %+v with two", totals, others)
	}
}
