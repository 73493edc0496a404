package fabric

import "testing"

// TestDeepBuffersTakeTheGeneralPath: on the fast path, packets of a buffer are counted in 16 bits.
func TestDeepBuffersTakeTheGeneralPath(t *testing.T) {
	s := Spec{
		Router: Router{Queues: InputQueues, VCs: 1, Bandwidth: 1e9, Buffer: maxPackets * 64},
		Packet: Packet{MTU: 64, Flit: 64},
	}
	if mostPackets(&s) != maxPackets {
		t.Errorf("%d packets fit, not %d", mostPackets(&s), maxPackets)
	}
	s.Router.Buffer += 64
	if !needsGeneral(&s) {
		t.Error("a buffer of too many packets takes the fast path")
	}
}
