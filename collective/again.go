package collective

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
