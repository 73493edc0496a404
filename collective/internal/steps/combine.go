package steps

import (
	"fmt"

	"fabricast/collective"
	"fabricast/node"
)

// combines reports whether the operand received by the latest call has to be combined now.
func combines(c collective.Comm) bool {
	a, again := c.(collective.Again)
	return !again || a.Combines()
}

// ScratchOn is like Scratch, for intermediate data that an algorithm needs from one call of its
// communicator to the next.
func ScratchOn(c collective.Comm, n int, like node.Buf) node.Buf {
	if a, again := c.(collective.Again); again && like.HasData() {
		return node.Data(a.Scratch(n))
	}
	return Scratch(n, like)
}

// Lend promises that the algorithm leaves what it sends unchanged, see collective.Lender.
func Lend(c collective.Comm) {
	if l, ok := c.(collective.Lender); ok {
		l.Lend()
	}
}

// combined spends the time that combining operands of n bytes takes.
func combined(c collective.Comm, n int) {
	if w, ok := c.(collective.Worker); ok && n > 0 {
		w.Combine(n)
	}
}

// Copied spends the time that copying n bytes takes.
func Copied(c collective.Comm, n int) {
	if w, ok := c.(collective.Worker); ok && n > 0 {
		w.Copy(n)
	}
}

// Move copies the contents of src to dst, and spends the time that this takes. For buffers without
// contents, it only spends the time.
func Move(c collective.Comm, dst, src node.Buf) {
	copy(dst.Bytes(), src.Bytes())
	Copied(c, src.Len())
}

// Combine combines the contents of `in` into acc, and spends the time that this takes. lower means
// that `in` holds operands of lower ranks than acc. Combine may overwrite `in`. If an algorithm is
// executed again, it does nothing if `in` has already been combined or has not been received yet.
func Combine(c collective.Comm, op *collective.Op, acc, in node.Buf, lower bool) {
	if !combines(c) {
		return
	}
	combined(c, acc.Len())
	switch {
	case !acc.HasData() || acc.Len() == 0:
	case lower || op.Commutative:
		op.Combine(acc.Bytes(), in.Bytes())
	default:
		op.Combine(in.Bytes(), acc.Bytes())
		copy(acc.Bytes(), in.Bytes())
	}
}

// LargestChunk returns the size in bytes of the largest chunk of a buffer of `size` bytes that is
// divided into n chunks.
func LargestChunk(op *collective.Op, size, n int) int {
	e := op.ElemSize()
	return (size/e + n - 1) / n * e
}

// Division is the division of a buffer into n chunks of whole elements, as equal as possible.
type Division struct {
	elements int // of the buffer
	elem     int // size of an element in bytes
	n        int
}

// Divide divides a buffer of `size` bytes into n chunks.
func Divide(op *collective.Op, size, n int) Division {
	e := op.ElemSize()
	return Division{elements: size / e, elem: e, n: n}
}

// Chunks returns the part of the buffer b that contains chunks lo to hi-1.
func (d *Division) Chunks(b node.Buf, lo, hi int) node.Buf {
	from, to := d.offset(lo), d.offset(hi)
	if !b.HasData() {
		return node.Size(to - from)
	}
	return Part(b, from, to)
}

// offset returns the offset in bytes of a chunk.
func (d *Division) offset(chunk int) int { return d.elements * chunk / d.n * d.elem }

// Chunks returns the part of a buffer that contains chunks lo to hi-1 of its n chunks.
func Chunks(op *collective.Op, b node.Buf, lo, hi, n int) node.Buf {
	d := Divide(op, b.Len(), n)
	return d.Chunks(b, lo, hi)
}

// CheckOp panics if the operation cannot be applied to the buffer.
func CheckOp(op *collective.Op, kind collective.Kind, b node.Buf) {
	if b.Len()%op.ElemSize() != 0 {
		failElements(kind, b.Len(), op.ElemSize())
	}
	if b.HasData() && (op == nil || op.Combine == nil) {
		failCombine(kind)
	}
}

// failElements panics because a buffer does not hold whole elements.
//
//go:noinline
func failElements(kind collective.Kind, size, elem int) {
	panic(fmt.Sprintf("%s: a buffer of %d bytes does not hold whole elements of %d bytes", kind, size, elem))
}

// failCombine panics because an operation without a Combine function has buffers with contents.
//
//go:noinline
func failCombine(kind collective.Kind) {
	panic(fmt.Sprintf("%s: the operation has no Combine function, but the buffers have contents", kind))
}
