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

// Lender is a Comm that can send without a copy of the contents.
type Lender interface {
	Comm
	// Lend promises that, until the algorithm has ended at this rank, it does not change what it sends
	// before the receiver has it. An algorithm that overwrites contents later may promise this if it
	// does so with data that depends on the arrival of the former.
	Lend()
}
