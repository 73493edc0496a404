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

// hugePage is the size in bytes from which on the kernel is asked for huge pages, which save most of
// the TLB misses of arrays with random access.
const hugePage = 2 << 20
