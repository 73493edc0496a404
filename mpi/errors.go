package mpi

import (
	"fmt"
	"math"
)

// maxTag is the largest tag.
const maxTag = math.MaxInt32

// checkPattern panics if no message can match the source and tag.
func (c *Comm) checkPattern(src, tag int) {
	if src != AnySource && uint(src) >= uint(c.Size()) || tag != AnyTag && uint(tag) > maxTag {
		c.failReceive(src, tag)
	}
}

// The functions below are not inlined, so that calls with valid arguments need little stack.

// failSend panics with an error that says which argument of a send is invalid.
//
//go:noinline
func (c *Comm) failSend(buf Buf, dst, tag int) {
	switch {
	case buf.Len() < 0:
		c.failSize(buf)
	case uint(dst) >= uint(c.Size()):
		panic(fmt.Errorf("send to rank %d of a communicator with ranks 0 to %d", dst, c.Size()-1))
	}
	panic(fmt.Errorf("send with tag %d: tags are 0 to %d", tag, maxTag))
}

// failReceive panics with an error that says which argument of a receive is invalid.
//
//go:noinline
func (c *Comm) failReceive(src, tag int) {
	if src != AnySource && uint(src) >= uint(c.Size()) {
		panic(
			fmt.Errorf(
				"receive from rank %d of a communicator with ranks 0 to %d (AnySource is %d)",
				src, c.Size()-1, AnySource,
			),
		)
	}
	panic(fmt.Errorf("receive with tag %d: tags are 0 to %d (AnyTag is %d)", tag, maxTag, AnyTag))
}

// failRank panics because a rank is not in the communicator.
//
//go:noinline
func (c *Comm) failRank(rank int) {
	panic(fmt.Errorf("rank %d of a communicator with ranks 0 to %d", rank, c.Size()-1))
}

// failSize panics because a buffer has a negative size.
//
//go:noinline
func (c *Comm) failSize(buf Buf) {
	panic(fmt.Errorf("message buffer of %d bytes: sizes must not be negative", buf.Len()))
}

// failCompute panics because a duration is negative.
//
//go:noinline
func failCompute(d Duration) {
	panic(fmt.Errorf("compute for %v: durations must not be negative", d))
}

// failColor panics because a color of Split is invalid.
//
//go:noinline
func (c *Comm) failColor(color int) {
	panic(fmt.Errorf("split with color %d: colors are not negative, or Undefined", color))
}
