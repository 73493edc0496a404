package collective

import (
	"fmt"

	"fabricast/node"
)

// scratch is working memory of n bytes: real memory if the buffer it works for
// has contents, otherwise only a size. So an algorithm is written once and
// costs no memory when only sizes move.
func scratch(n int, like node.Buf) node.Buf {
	if like.HasData() {
		return node.Data(make([]byte, n))
	}
	return node.Size(n)
}

// move copies the contents of src to dst; without contents it does nothing.
// Local copies cost no simulated time.
func move(dst, src node.Buf) {
	copy(dst.Bytes(), src.Bytes())
}

// rotate copies n blocks from src to dst, block i to place (i+shift) mod n.
// 0 <= shift < n.
func rotate(dst, src node.Buf, n, shift, block int) {
	if !dst.HasData() {
		return
	}
	move(dst.Slice(shift*block, (n-shift)*block), src.Slice(0, (n-shift)*block))
	move(dst.Slice(0, shift*block), src.Slice((n-shift)*block, shift*block))
}

// part is the byte range [lo, hi) of a buffer.
func part(b node.Buf, lo, hi int) node.Buf { return b.Slice(lo, hi-lo) }

// The checks below are on the stacks of all ranks at once: they are small, and
// what explains a failure is kept out of line.

// checkPair refuses a send and a receive buffer of which only one has contents.
func checkPair(kind Kind, send, recv node.Buf) {
	if send.HasData() != recv.HasData() && send.Len() > 0 && recv.Len() > 0 {
		failPair(kind)
	}
}

// checkLen refuses a buffer whose length does not follow from the other one's.
func checkLen(kind Kind, which string, b node.Buf, want int) {
	if b.Len() != want {
		failLen(kind, which, b.Len(), want)
	}
}

// checkRoot refuses a root that is no rank of the communicator.
func checkRoot(kind Kind, c Comm, root int) {
	if size := c.Size(); uint(root) >= uint(size) {
		failRoot(kind, root, size)
	}
}

//go:noinline
func failPair(kind Kind) {
	panic(fmt.Sprintf("%s: either both buffers have contents or neither", kind))
}

//go:noinline
func failLen(kind Kind, which string, got, want int) {
	panic(fmt.Sprintf("%s: the %s buffer has %d bytes, expected %d", kind, which, got, want))
}

//go:noinline
func failRoot(kind Kind, root, size int) {
	panic(fmt.Sprintf("%s: root %d is not in 0..%d", kind, root, size-1))
}
