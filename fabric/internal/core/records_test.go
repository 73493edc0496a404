package core

import (
	"testing"
	"unsafe"
)

// TestRecordsFillHalfLines: a VC's record and a port's fill half a cache line each, and a division two lines.
func TestRecordsFillHalfLines(t *testing.T) {
	if size := unsafe.Sizeof(VC{}); size != 32 {
		t.Errorf("a virtual channel takes %d bytes, not 32", size)
	}
	if size := unsafe.Sizeof(Port{}); size != 32 {
		t.Errorf("a port takes %d bytes, not 32", size)
	}
	if size := unsafe.Sizeof(Division{}); size != 128 {
		t.Errorf("a division takes %d bytes, not 128", size)
	}
}
