package offheap

import "unsafe"

// HugePages asks the kernel for huge pages for a large slice on the Go heap, which remains under
// the garbage collector's control. This saves TLB misses of random access. It has no effect for
// small slices, or if the kernel has no huge pages.
func HugePages[T any](s []T) {
	if size := uintptr(len(s)) * unsafe.Sizeof(*new(T)); size >= 2*hugePage {
		adviseHuge(unsafe.Pointer(unsafe.SliceData(s)), size)
	}
}

// Discard returns the whole pages within a part of an Arena's array to the operating system.
// Afterwards the part contains zeros or its old values.
func Discard[T any](s []T) {
	if len(s) > 0 {
		discard(unsafe.Pointer(unsafe.SliceData(s)), uintptr(len(s))*unsafe.Sizeof(s[0]))
	}
}

// hugePage is the size in bytes above which huge pages are requested. They save most of the TLB
// misses of arrays with random access.
const hugePage = 2 << 20
