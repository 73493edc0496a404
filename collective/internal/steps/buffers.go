package steps

import (
	"fmt"

	"fabricast/collective"
	"fabricast/node"
)

// Scratch returns a buffer of n bytes for intermediate data: with memory if the buffer like has
// contents, otherwise with only a size. So an algorithm is written once, and needs no memory when
// messages have no contents.
func Scratch(n int, like node.Buf) node.Buf {
	if like.HasData() {
		return node.Data(make([]byte, n))
	}
	return node.Size(n)
}

// Rotate copies n blocks from src to dst, block i to place (i+shift) mod n. 0 <= shift < n. It spends
// the time in which libraries turn blocks round within one buffer: n-shift blocks are saved in
// another one, the others are moved, and the saved ones copied back. Without a shift there is
// nothing to do.
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

// Part returns the byte range [lo, hi) of a buffer.
func Part(b node.Buf, lo, hi int) node.Buf { return b.Slice(lo, hi-lo) }

// The checks below are on the stacks of all ranks at once: they are small, and
// what explains a failure is kept out of line.

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
