package mpi

import (
	"fmt"

	"fabricast/fabric"
	"fabricast/node"
)

// Options select how a message is sent. Zero fields leave the choice to the experiment.
type Options = node.Options

// IsendWith is like Isend with options for the message.
func (c *Comm) IsendWith(buf Buf, dst, tag int, o Options) Request {
	if !c.rank.begin() {
		return c.rank.past()
	}
	c.lend(buf)
	return c.rank.keep(c.isendWith(buf, dst, tag, node.Messages, o))
}

// SendWith is like Send with options for the message.
func (c *Comm) SendWith(buf Buf, dst, tag int, o Options) {
	if c.rank.call() {
		c.lend(buf)
		c.end(c.isendWith(buf, dst, tag, node.Messages, o))
	}
}

// Issend starts a synchronous send, which is complete only when a receive has matched its message.
func (c *Comm) Issend(buf Buf, dst, tag int) Request {
	return c.IsendWith(buf, dst, tag, Options{Protocol: node.Synchronous})
}

// Ssend sends to rank dst and returns when a receive has matched the message.
func (c *Comm) Ssend(buf Buf, dst, tag int) {
	c.SendWith(buf, dst, tag, Options{Protocol: node.Synchronous})
}

// isendWith is like isend with options.
func (c *Comm) isendWith(buf Buf, dst, tag int, context int32, o Options) Request {
	if uint(dst) >= uint(c.Size()) || uint(tag) > maxTag || buf.Len() < 0 {
		c.failSend(buf, dst, tag)
	}
	c.rank.CheckOptions(o)
	return c.rank.started(
		c.rank.ops.SendWith(buf, c.world(dst), c.me, int32(tag), c.group.context+context, o),
	)
}

// failNIC panics because a NIC option is out of range.
//
//go:noinline
func failNIC(what string, nic, nics int) {
	panic(
		fmt.Errorf("%s by NIC option %d: expected 1 to %d, 1 + the number of the NIC, or 0", what, nic, nics),
	)
}

// failGap panics because a gap is too large.
//
//go:noinline
func failGap(what string, gap uint32) {
	panic(fmt.Errorf("%s with a gap of %d packet times: expected at most %d", what, gap, fabric.MaxGap))
}

// failProtocol panics because the protocol or copies are invalid or contradict each other.
//
//go:noinline
func failProtocol(o Options) {
	switch {
	case o.Protocol > node.Synchronous:
		panic(
			fmt.Errorf(
				"send with protocol %d: expected node.Eager (%d), RendezvousWrite, RendezvousRead "+
					"or Synchronous (%d), or 0",
				o.Protocol, node.Eager, node.Synchronous,
			),
		)
	case o.Copies > node.OneCopy:
		panic(
			fmt.Errorf(
				"send with copies %d: expected node.ZeroCopy (%d) or OneCopy (%d), or 0",
				o.Copies, node.ZeroCopy, node.OneCopy,
			),
		)
	}
	panic(
		fmt.Errorf(
			"send with protocol %v and node.OneCopy: expected another protocol or no copies, a "+
				"rendezvous goes from memory to memory",
			o.Protocol,
		),
	)
}

// failAccess panics because the options of a one-sided operation select a protocol or copies.
//
//go:noinline
func failAccess(what string, o Options) {
	found := "node.OneCopy or node.ZeroCopy"
	if o.Protocol != node.ByExperiment {
		found = "protocol " + o.Protocol.String()
	}
	panic(
		fmt.Errorf(
			"%s with %s: expected only a NIC and a gap, it goes from memory to memory and has no "+
				"such options",
			what, found,
		),
	)
}
