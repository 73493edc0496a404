package inputqueued

import (
	"testing"

	"fabricast/fabric/internal/core"
)

// TestPortsOfVCs: the port of a VC is exact for all numbers of VCs.
func TestPortsOfVCs(t *testing.T) {
	for vcs := uint32(1); vcs <= 16; vcs++ {
		o := OutputPorts{share: 1<<32/uint64(vcs) + 1}
		for index := range uint32(core.MaxTimers) {
			if port := o.PortOf(index); port != index/vcs {
				t.Fatalf("VC %d of %d a port is at port %d", index, vcs, port)
			}
		}
	}
}
