package offheap

import (
	"fmt"
	"syscall"
)

// hugePage is the size from which the kernel is asked for huge pages: they save
// most of the TLB misses of arrays that are visited in no order.
const (
	hugePage      = 2 << 20
	madvHugePages = 14 // MADV_HUGEPAGE
)

// reserve maps memory, of which so many bytes at the beginning are to be without huge pages.
func reserve(size, first uintptr) ([]byte, error) {
	m, err := syscall.Mmap(-1, 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("reserve %d bytes of address space: %w", size, err)
	}
	if size >= first+hugePage {
		_ = syscall.Madvise(m[first:], madvHugePages) // a kernel without huge pages works, only slower
	}
	return m, nil
}

func release(m []byte) { _ = syscall.Munmap(m) }
