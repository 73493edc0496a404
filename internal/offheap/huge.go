package offheap

import "unsafe"

// HugePages asks the kernel for huge pages for a large slice on the Go heap, which the garbage
// collector still owns. It saves TLB misses of random access. It changes nothing for small slices, and
// where the kernel has no huge pages.
func HugePages[T any](s []T) {
	if size := uintptr(len(s)) * unsafe.Sizeof(*new(T)); size >= 2*hugePage {
		adviseHuge(unsafe.Pointer(unsafe.SliceData(s)), size)
	}
}

// Discard gives the whole pages within a part of an array of an Arena back to the operating system.
// What is read there afterwards is zero, or as it was.
func Discard[T any](s []T) {
	if len(s) > 0 {
		discard(unsafe.Pointer(unsafe.SliceData(s)), uintptr(len(s))*unsafe.Sizeof(s[0]))
	}
}

// hugePage is the size in bytes from which on the kernel is asked for huge pages, which save most of
// the TLB misses of arrays with random access.
const hugePage = 2 << 20
