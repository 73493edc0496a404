package offheap

import (
	"fmt"
	"syscall"
)

// hugePage is the size from which on the kernel is asked for huge pages, which save most of the TLB
// misses of arrays with random access.
const (
	hugePage      = 2 << 20
	madvHugePages = 14 // MADV_HUGEPAGE
)

// reserve maps size bytes of memory. The first bytes at the beginning get no huge pages.
func reserve(size, first uintptr) ([]byte, error) {
	m, err := syscall.Mmap(-1, 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("reserve %d bytes of address space: %w", size, err)
	}
	if size >= first+hugePage {
		// a kernel without huge pages works, only slower
		_ = syscall.Madvise(m[first:], madvHugePages)
	}
	return m, nil
}

func release(m []byte) { _ = syscall.Munmap(m) }
