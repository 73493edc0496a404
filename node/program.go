package node

// Program is what one rank does, as a stream of operations.
//
// Resume emits the operations that follow and returns when it needs an outcome
// (after WaitAll, WaitAny, Test, Probe or Iprobe has answered that it must
// wait), when the program has ended (after Exit), or when Ops.Full says so. It is called again
// when the outcome is known. Ops is valid only during the call.
//
// A Program that holds resources also implements [Stopper].
type Program interface {
	Resume(ops *Ops)
}

// Stopper is a Program that must be told when it will not be resumed again
// although it has not ended.
type Stopper interface {
	Stop()
}
