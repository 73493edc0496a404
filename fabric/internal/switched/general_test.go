package switched

import (
	"testing"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
)

// TestDeepBuffersTakeTheGeneralPath: on the fast path, packets of a buffer are counted in 16 bits.
func TestDeepBuffersTakeTheGeneralPath(t *testing.T) {
	s := model.Spec{
		Router: model.Router{Queues: model.InputQueues, VCs: 1, Bandwidth: 1e9, Buffer: core.MaxPackets * 64},
		Packet: model.Packet{MTU: 64, Flit: 64},
	}
	if mostPackets(&s) != core.MaxPackets {
		t.Errorf("%d packets fit, not %d", mostPackets(&s), core.MaxPackets)
	}
	s.Router.Buffer += 64
	if !Needed(&s) {
		t.Error("a buffer of too many packets takes the fast path")
	}
}
