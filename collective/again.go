package collective

// Again is a Comm on which an algorithm is executed several times (see Info.Stackless). Reductions
// use it to do only once what must not be repeated.
type Again interface {
	Comm
	// Combines reports whether the operand received by the latest call must be combined now: the
	// call is complete, and Combines has not been called for it before.
	Combines() bool
	// Scratch returns n bytes that keep their contents between executions.
	Scratch(n int) []byte
}
