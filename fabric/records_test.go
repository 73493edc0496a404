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
