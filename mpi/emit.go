package mpi

import (
	"fabricast/fabric"
	"fabricast/node"
)

// Emit calls emit, which emits one non-blocking operation of the rank, unless the operation is
// skipped in a replay (see Loop). It is for packages that define further operations, such as
// package rdma.
func (r *Rank) Emit(emit func(ops *node.Ops)) {
	if r.begin() {
		emit(r.ops)
	}
}

// Block is like Emit for an operation that may block: emit then returns true, and Block returns
// when the rank can continue. Block returns false if the operation is skipped in a replay.
func (r *Rank) Block(emit func(ops *node.Ops) (wait bool)) bool {
	if !r.call() {
		return false
	}
	if emit(r.ops) {
		r.pause()
	}
	return true
}

// Ask is like Block for an operation whose result is visible to the program. It panics in the body
// of a Loop, which must not depend on results.
func (r *Rank) Ask(emit func(ops *node.Ops) (wait bool)) {
	r.ask()
	if emit(r.ops) {
		r.pause()
	}
}

// World converts a rank of the communicator to its world rank. It panics if rank is out of range.
func (c *Comm) World(rank int) int {
	if uint(rank) >= uint(c.Size()) {
		c.failRank(rank)
	}
	return int(c.world(rank))
}

// Context returns the ID of one of the communicator's contexts. which selects it, such as
// node.Puts. Messages in different contexts never match.
func (c *Comm) Context(which int32) int32 { return c.group.context + which }

// Received describes the message or put that completed the last blocking call.
func (r *Rank) Received() Status { return r.ops.Received().Status() }

// Found returns the old value of the word that the last blocking call, an atomic operation, has
// changed.
func (r *Rank) Found() int64 { return r.ops.Found() }

// CheckOptions panics if o is not valid for a message.
func (r *Rank) CheckOptions(o Options) {
	if o.Protocol > node.Synchronous || o.Copies > node.OneCopy ||
		o.Copies == node.OneCopy && o.Protocol > node.Eager {
		failProtocol(o)
	}
	r.checkNIC("send", o)
}

// CheckAccess panics if o is not valid for a one-sided operation, such as a put: o may select a NIC
// and a gap, but no protocol or copies. what names the operation in the panic's message.
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
