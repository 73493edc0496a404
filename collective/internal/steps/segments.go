package steps

import (
	"fabricast/collective"
	"fabricast/node"
)

// Segments describes the division of a message into pieces.
type Segments struct {
	whole, size int // sizes of the message, and of each piece except the last, in bytes
}

// NewSegments divides a message of n bytes into pieces of about `size` bytes, each of whole
// elements of `elem` bytes. If size is 0, there is one piece.
func NewSegments(n, size, elem int) Segments {
	if size <= 0 || size > n {
		return Segments{n, n}
	}
	return Segments{n, max(size/elem*elem, elem)}
}

// Count returns the number of pieces, which is at least one.
func (s Segments) Count() int {
	if s.size == 0 {
		return 1
	}
	return (s.whole + s.size - 1) / s.size
}

// Of returns piece i of a buffer that contains the message.
func (s Segments) Of(b node.Buf, i int) node.Buf {
	return Part(b, i*s.size, min((i+1)*s.size, s.whole))
}

// SegmentOption returns the option for the size, in bytes, of the pieces into which a message is
// divided; 0 means one piece.
func SegmentOption(size int) collective.Option {
	return collective.Option{
		Name: collective.OptionSegment, Unit: "bytes", Default: size,
		Summary: "a message travels in pieces of so many bytes; 0: as a whole",
	}
}

// RadixOption describes the option for the k of a k-nomial tree.
var RadixOption = collective.Option{
	Name: "radix", Default: 4, Least: 2, Summary: "a rank sends to one less than so many others in a round",
}

// ChainsOption describes the option for the number of chains below the root.
var ChainsOption = collective.Option{Name: "fanout", Default: 4, Least: 1, Summary: "chains below the root"}
