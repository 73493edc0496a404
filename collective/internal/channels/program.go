package channels

import "fabricast/node"

// Program is what a group of threads of a rank does in a channel: one step after the other.
type Program struct {
	Channel int
	// Phase orders the programs of a rank that has no threads: those of lower phases do not wait for
	// messages that depend on higher ones.
	Phase int
	Steps int
	Step  func(i int) Step
	// Acc is the buffer from which data is sent, and into which it is received or combined.
	Acc node.Buf
}

// Step is a step of a program: data is received from all of From, combined with what is there or
// put in its place, and sent to all of To.
type Step struct {
	From, To []int32
	At, N    int // the part of the buffer, in bytes
	Combine  bool
}
