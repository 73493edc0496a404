package mpi

import (
	"fabricast/fabric"
	"fabricast/node"
)

// Emit calls emit, which adds one non-blocking operation of the rank, unless a replay skips the
// operation (see Loop). It is for packages that add calls of their own, such as package rdma.
func (r *Rank) Emit(emit func(ops *node.Ops)) {
	if r.begin() {
		emit(r.ops)
	}
}

// Block is like Emit for operations that may have to wait: then emit returns true, and Block
// returns when the rank continues. Block returns false if a replay skips the operation.
func (r *Rank) Block(emit func(ops *node.Ops) (wait bool)) bool {
	if !r.call() {
		return false
	}
	if emit(r.ops) {
		r.pause()
	}
	return true
}

// Ask is like Block for an operation whose result the program sees. It panics in the body of a
// Loop, which may not see results.
func (r *Rank) Ask(emit func(ops *node.Ops) (wait bool)) {
	r.ask()
	if emit(r.ops) {
		r.pause()
	}
}

// World returns the world rank of a rank of the communicator. It panics if there is no such rank.
func (c *Comm) World(rank int) int {
	if uint(rank) >= uint(c.Size()) {
		c.failRank(rank)
	}
	return int(c.world(rank))
}

// Context returns one of the communicator's contexts, such as node.Puts. Messages of different
// contexts never match.
func (c *Comm) Context(which int32) int32 { return c.group.context + which }

// Received describes the message or put that completed the last blocking call.
func (r *Rank) Received() Status { return r.ops.Received().Status() }

// Found returns the old value that the atomic operation found which completed the last blocking
// call.
func (r *Rank) Found() int64 { return r.ops.Found() }

// CheckOptions panics if a message cannot be sent with the options.
func (r *Rank) CheckOptions(o Options) {
	if o.Protocol > node.Synchronous || o.Copies > node.OneCopy ||
		o.Copies == node.OneCopy && o.Protocol > node.Eager {
		failProtocol(o)
	}
	r.checkNIC("send", o)
}

// CheckAccess panics if a one-sided operation, such as a put, cannot have the options: it may have
// a NIC and a gap, but no protocol or copies. what names the operation in the message.
func (r *Rank) CheckAccess(what string, o Options) {
	if o.Protocol != node.ByExperiment || o.Copies != node.CopiesByExperiment {
		failAccess(what, o)
	}
	r.checkNIC(what, o)
}

func (r *Rank) checkNIC(what string, o Options) {
	if nics := r.ops.World().NICs(); o.NIC < 0 || o.NIC > nics {
		failNIC(what, o.NIC, nics)
	}
	if o.Gap > fabric.MaxGap {
		failGap(what, o.Gap)
	}
}
