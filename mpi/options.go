package mpi

import (
	"fmt"

	"fabricast/fabric"
	"fabricast/node"
)

// Options say how a message is sent where that is not how all messages are. The
// zero value leaves everything to the experiment.
type Options = node.Options

// IsendWith is Isend with options for the message.
func (c *Comm) IsendWith(buf Buf, dst, tag int, o Options) Request {
	if !c.rank.begin() {
		return Request{}
	}
	return c.isendWith(buf, dst, tag, node.Messages, o)
}

// SendWith is Send with options for the message.
func (c *Comm) SendWith(buf Buf, dst, tag int, o Options) {
	if c.rank.call() {
		c.end(c.isendWith(buf, dst, tag, node.Messages, o))
	}
}

// Issend starts a send that is complete only when a receive has met its message.
func (c *Comm) Issend(buf Buf, dst, tag int) Request {
	return c.IsendWith(buf, dst, tag, Options{Protocol: node.Synchronous})
}

// Ssend sends to rank dst and returns when a receive has met the message.
func (c *Comm) Ssend(buf Buf, dst, tag int) {
	c.SendWith(buf, dst, tag, Options{Protocol: node.Synchronous})
}

// isendWith is isend with options.
func (c *Comm) isendWith(buf Buf, dst, tag int, context int32, o Options) Request {
	if uint(dst) >= uint(c.Size()) || uint(tag) > maxTag || buf.Len() < 0 {
		c.failSend(buf, dst, tag)
	}
	c.rank.CheckOptions(o)
	return c.rank.ops.SendWith(buf, c.world(dst), c.me, int32(tag), c.group.context+context, o)
}

//go:noinline
func failNIC(nic, nics int) {
	panic(fmt.Errorf("send by NIC option %d: it is 1 to %d, 1 + the number of the NIC, or 0", nic, nics))
}

//go:noinline
func failGap(gap uint32) {
	panic(fmt.Errorf("send with a gap of %d packet times: it is at most %d", gap, fabric.MaxGap))
}

//go:noinline
func failPut(o Options) {
	panic(fmt.Errorf("put with protocol %d and copies %d: a put goes from memory to memory and has no such options, only a NIC and a gap", o.Protocol, o.Copies))
}
