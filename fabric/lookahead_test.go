package fabric_test

import (
	"sync/atomic"
	"testing"

	"fabricast/engine"
	"fabricast/fabric"
)

// TestWindowsGrowAgain holds that a few small messages make windows short only
// as long as they are under way, also if they go from one block to another.
func TestWindowsGrowAgain(t *testing.T) {
	for _, blocks := range []int{1, 2} {
		always := windowsOf(t, blocks, func(int) int64 { return 1 << 16 })
		first := windowsOf(t, blocks, func(step int) int64 {
			if step == 0 {
				return 8
			}
			return 1 << 16
		})
		if most := always + always/20 + 200; first > most {
			t.Errorf(
				"%d blocks: %d windows with small messages at the beginning, %d without; at most %d expected",
				blocks, first, always, most,
			)
		}
	}
}

// windowsOf runs some steps of neighbours' messages of a size that depends on
// the step, and returns the number of windows.
func windowsOf(t *testing.T, blocks int, size func(step int) int64) uint64 {
	spec := extreme(t, 4, 4, 4)
	spec.Packet.MTU = 2048
	n, err := fabric.New(spec, blocks)
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	var parts []engine.Block
	step := make([]int, spec.Graph.Hosts)
	for _, b := range n.Blocks() {
		b.SetEndpoint(&steps{shifts{b, int32(spec.Graph.Hosts), 0, bruck, 6, step}, size})
		for h := range b.Hosts() {
			b.SetTimer(h, 0)
		}
		parts = append(parts, b)
	}
	windows, err := engine.Run(parts, blocks, new(atomic.Bool))
	if err != nil {
		t.Fatal(err)
	}
	return windows
}

// steps is shifts with sizes by step.
type steps struct {
	shifts
	sizeOf func(step int) int64
}

func (s *steps) Wake(host int32, now int64) {
	s.size = s.sizeOf(s.step[host])
	s.shifts.Wake(host, now)
}
