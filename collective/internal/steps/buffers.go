package steps

import (
	"fmt"

	"fabricast/collective"
	"fabricast/node"
)

// Scratch returns a buffer of n bytes for intermediate data. It has memory if the buffer `like` has
// contents; otherwise it has only a size. Algorithms thus need not distinguish the two cases, and
// use no memory for messages without contents.
func Scratch(n int, like node.Buf) node.Buf {
	if like.HasData() {
		return node.Data(make([]byte, n))
	}
	return node.Size(n)
}

// Rotate copies n blocks from src to dst: block i to place (i+shift) mod n, for 0 <= shift < n. It
// spends the time that libraries need to rotate blocks within one buffer: n-shift blocks are saved
// in another buffer, the others are moved, and the saved ones are copied back. If shift is 0, it
// takes no time.
func Rotate(c collective.Comm, dst, src node.Buf, n, shift, block int) {
	if shift > 0 {
		Copied(c, (2*(n-shift)+shift)*block)
	}
	if !dst.HasData() {
		return
	}
	copy(dst.Slice(shift*block, (n-shift)*block).Bytes(), src.Slice(0, (n-shift)*block).Bytes())
	copy(dst.Slice(0, shift*block).Bytes(), src.Slice((n-shift)*block, shift*block).Bytes())
}

// Part returns bytes lo to hi-1 of a buffer.
func Part(b node.Buf, lo, hi int) node.Buf { return b.Slice(lo, hi-lo) }

// The checks below are on the stacks of all ranks at the same time. They are therefore small; the
// code that describes a failure is in functions that are not inlined.

// CheckPair panics if only one of a send and a receive buffer has contents.
func CheckPair(kind collective.Kind, send, recv node.Buf) {
	if send.HasData() != recv.HasData() && send.Len() > 0 && recv.Len() > 0 {
		failPair(kind)
	}
}

// CheckLen panics if a buffer does not have the expected length in bytes.
func CheckLen(kind collective.Kind, which string, b node.Buf, want int) {
	if b.Len() != want {
		failLen(kind, which, b.Len(), want)
	}
}

// CheckRoot panics if the root is not a rank of the communicator.
func CheckRoot(kind collective.Kind, c collective.Comm, root int) {
	if size := c.Size(); uint(root) >= uint(size) {
		failRoot(kind, root, size)
	}
}

// failPair panics because only one of two buffers has contents.
//
//go:noinline
func failPair(kind collective.Kind) {
	panic(fmt.Sprintf("%s: either both buffers have contents or neither", kind))
}

// failLen panics because a buffer has the wrong length.
//
//go:noinline
func failLen(kind collective.Kind, which string, got, want int) {
	panic(fmt.Sprintf("%s: the %s buffer has %d bytes, expected %d", kind, which, got, want))
}

// failRoot panics because the root is not a rank of the communicator.
//
//go:noinline
func failRoot(kind collective.Kind, root, size int) {
	panic(fmt.Sprintf("%s: root %d is not in 0..%d", kind, root, size-1))
}
