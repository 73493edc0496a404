package fabric

import "testing"

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
