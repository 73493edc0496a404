package offheap

import (
	"fmt"
	"syscall"
	"unsafe"
)

const (
	page          = 64 << 10 // largest page size of any machine
	madvHugePages = 14       // MADV_HUGEPAGE
)

// reserve maps size bytes of memory, with huge pages in the given parts.
func reserve(size uintptr, huge []extent) ([]byte, error) {
	m, err := syscall.Mmap(-1, 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("reserve %d bytes of address space: %w", size, err)
	}
	for _, x := range huge {
		first := (x.first + page - 1) &^ (page - 1)
		end := x.end &^ (page - 1) // the next part starts in that page
		if end >= first+hugePage {
			// ignore the error: without huge pages the run is only slower
			_ = syscall.Madvise(m[first:end], madvHugePages)
		}
	}
	return m, nil
}

func release(m []byte) { _ = syscall.Munmap(m) }

func discard(p unsafe.Pointer, size uintptr) {
	before := -uintptr(p) & (page - 1)
	if size >= before+page {
		_ = syscall.Madvise(
			unsafe.Slice((*byte)(unsafe.Add(p, before)), (size-before)&^(page-1)), syscall.MADV_DONTNEED,
		)
	}
}

// adviseHuge requests huge pages for all whole pages within a range of memory.
func adviseHuge(p unsafe.Pointer, size uintptr) {
	before := -uintptr(p) & (page - 1)
	_ = syscall.Madvise(unsafe.Slice((*byte)(unsafe.Add(p, before)), (size-before)&^(page-1)), madvHugePages)
}
