package inputqueued

import (
	"testing"

	"fabricast/fabric/internal/core"
)

// TestPortsOfSlots: the port of a slot is exact for all numbers of VCs.
func TestPortsOfSlots(t *testing.T) {
	for vcs := uint32(1); vcs <= 16; vcs++ {
		o := OutputPorts{share: 1<<32/uint64(vcs) + 1}
		for slot := range uint32(core.MaxTimers) {
			if port := o.PortOf(slot); port != slot/vcs {
				t.Fatalf("slot %d of %d a port is at port %d", slot, vcs, port)
			}
		}
	}
}
