package offheap

import (
	"fmt"
	"syscall"
)

// hugePage is the size from which on the kernel is asked for huge pages, which save most of the TLB
// misses of arrays with random access.
const (
	hugePage      = 2 << 20
	page          = 64 << 10 // at most, of any machine
	madvHugePages = 14       // MADV_HUGEPAGE
)

// reserve maps size bytes of memory, with huge pages from the first to the end given.
func reserve(size, first, end uintptr) ([]byte, error) {
	m, err := syscall.Mmap(-1, 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("reserve %d bytes of address space: %w", size, err)
	}
	first = (first + page - 1) &^ (page - 1)
	if end >= first+hugePage {
		// a kernel without huge pages works, only slower
		_ = syscall.Madvise(m[first:end], madvHugePages)
	}
	return m, nil
}

func release(m []byte) { _ = syscall.Munmap(m) }
