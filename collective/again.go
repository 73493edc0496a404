package collective

import "fabricast/node"

// Again is a Comm on which an algorithm is run several times, see Info.Stackless. Reductions ask it
// what must be done only once.
type Again interface {
	Comm
	// Combines reports whether the operand that the latest call has received is to be combined now:
	// the call is complete, and this has not been asked before.
	Combines() bool
	// Scratch returns n bytes that keep their contents from run to run.
	Scratch(n int) []byte
}

// combines reports whether the operand that the latest call has received is to be combined now.
func combines(c Comm) bool {
	a, again := c.(Again)
	return !again || a.Combines()
}

// scratchOn is like scratch for intermediate data that an algorithm needs from one call of its
// communicator to the next.
func scratchOn(c Comm, n int, like node.Buf) node.Buf {
	if a, again := c.(Again); again && like.HasData() {
		return node.Data(a.Scratch(n))
	}
	return scratch(n, like)
}
