package mpi

import (
	"fabricast/fabric"
	"fabricast/node"
)

// Emit lets emit note one operation of the rank that does not block, unless a replay passes
// over it (see Loop). It is for packages that add calls of their own, such as package rdma.
func (r *Rank) Emit(emit func(ops *node.Ops)) {
	if r.begin() {
		emit(r.ops)
	}
}

// Block is Emit for an operation, or a few, that may have to wait: emit then returns true, and Block returns when
// the rank goes on. It returns false if a replay passes over the operation.
func (r *Rank) Block(emit func(ops *node.Ops) (wait bool)) bool {
	if !r.call() {
		return false
	}
	if emit(r.ops) {
		r.pause()
	}
	return true
}

// Ask is Block for an operation whose outcome the program is told, which the body of a Loop cannot be.
func (r *Rank) Ask(emit func(ops *node.Ops) (wait bool)) {
	r.ask()
	if emit(r.ops) {
		r.pause()
	}
}

// World translates a rank of the communicator to one of the world.
func (c *Comm) World(rank int) int {
	if uint(rank) >= uint(c.Size()) {
		c.failRank(rank)
	}
	return int(c.world(rank))
}

// Context is one of the communicator's contexts, such as node.Puts: what is sent in one never
// matches what is received in another.
func (c *Comm) Context(which int32) int32 { return c.group.context + which }

// Received describes the message, or put, that came with the last call that blocked.
func (r *Rank) Received() Status { return r.ops.Received().Status() }

// Found is what the atomic operation has found that the last call that blocked has completed.
func (r *Rank) Found() int64 { return r.ops.Found() }

// CheckOptions panics unless a message can be sent by the options.
func (r *Rank) CheckOptions(o Options) {
	if o.Protocol > node.Synchronous || o.Copies > node.OneCopy || o.Copies == node.OneCopy && o.Protocol > node.Eager {
		failProtocol(o)
	}
	r.checkNIC("send", o)
}

// CheckAccess is CheckOptions for a one-sided operation, such as a put, which has a NIC and a gap, and no protocol or copies.
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
