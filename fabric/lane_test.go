package fabric

import (
	"testing"
	"unsafe"
)

// TestRecordsFillHalfLines: a VC's record and a port's fill half a cache line each.
func TestRecordsFillHalfLines(t *testing.T) {
	if size := unsafe.Sizeof(lane{}); size != 32 {
		t.Errorf("a virtual channel takes %d bytes, not 32", size)
	}
	if size := unsafe.Sizeof(portState{}); size != 32 {
		t.Errorf("a port takes %d bytes, not 32", size)
	}
}

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

// TestPortsOfSlots: the port of a slot is exact for all numbers of VCs.
func TestPortsOfSlots(t *testing.T) {
	for vcs := uint32(1); vcs <= 16; vcs++ {
		o := outputPorts{share: 1<<32/uint64(vcs) + 1}
		for slot := range uint32(maxTimers) {
			if port := o.portOf(slot); port != slot/vcs {
				t.Fatalf("slot %d of %d a port is at port %d", slot, vcs, port)
			}
		}
	}
}
