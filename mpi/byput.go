package mpi

import (
	"fabricast/collective"
	"fabricast/node"
)

// ByPut is a communicator whose messages are puts (package rdma): a send is a put, and a receive
// polls for it. So every collective algorithm can use puts,
//
//	allreduce.Run(rank.ByPut(), send, recv, collective.SumInt32, collective.Ring)
//
// and so can any program that needs only the methods here. Its messages never match other messages,
// or puts of package rdma. A send is complete when its put is, that is, when the destination's NIC
// has acknowledged it. A send of an empty buffer is complete at once.
type ByPut Comm

var _ collective.Comm = (*ByPut)(nil)

// ByPut returns the communicator with the same ranks whose messages are puts.
func (c *Comm) ByPut() *ByPut { return (*ByPut)(c) }

// Rank returns the calling rank's index in the communicator.
func (p *ByPut) Rank() int { return (*Comm)(p).Rank() }

// Size returns the number of ranks in the communicator.
func (p *ByPut) Size() int { return (*Comm)(p).Size() }

// Round is like Comm.Round.
func (p *ByPut) Round(k, n int) int { return (*Comm)(p).Round(k, n) }

// Isend starts a put to rank dst. The tag is from 0 to 2^31-1.
func (p *ByPut) Isend(buf Buf, dst, tag int) Request { return p.IsendWith(buf, dst, tag, Options{}) }

// IsendWith is like Isend with options for the message: a NIC and a gap. It panics if the options
// select a protocol or copies, which puts do not have.
func (p *ByPut) IsendWith(buf Buf, dst, tag int, o Options) Request {
	if !p.rank.begin() {
		return Request{}
	}
	return p.put(buf, dst, tag, o)
}

// Irecv starts to poll for a put with the given tag (or AnyTag) from rank src (or AnySource).
func (p *ByPut) Irecv(buf Buf, src, tag int) Request {
	if !p.rank.begin() {
		return Request{}
	}
	return (*Comm)(p).irecv(buf, src, tag, node.Transfers)
}

// Wait is like Comm.Wait.
func (p *ByPut) Wait(r Request) Status { return (*Comm)(p).Wait(r) }

// WaitAll is like Comm.WaitAll.
func (p *ByPut) WaitAll(rs []Request) { (*Comm)(p).WaitAll(rs) }

// Send puts the buffer to rank dst and returns when the put is complete.
func (p *ByPut) Send(buf Buf, dst, tag int) { p.SendWith(buf, dst, tag, Options{}) }

// SendWith is like Send with options for the message, as in IsendWith.
func (p *ByPut) SendWith(buf Buf, dst, tag int, o Options) {
	if p.rank.call() {
		(*Comm)(p).end(p.put(buf, dst, tag, o))
	}
}

// Recv waits for a put with the given tag (or AnyTag) from rank src (or AnySource).
func (p *ByPut) Recv(buf Buf, src, tag int) Status {
	if !p.rank.call() {
		return Status{}
	}
	return (*Comm)(p).end((*Comm)(p).irecv(buf, src, tag, node.Transfers))
}

// Sendrecv puts the buffer send and concurrently waits for a put into recv. It returns when both
// are complete.
func (p *ByPut) Sendrecv(send Buf, dst, stag int, recv Buf, src, rtag int) Status {
	return p.sendrecvWith(send, dst, stag, recv, src, rtag, Options{})
}

func (p *ByPut) sendrecvWith(send Buf, dst, stag int, recv Buf, src, rtag int, o Options) Status {
	if !p.rank.call() {
		return Status{}
	}
	r := (*Comm)(p).irecv(recv, src, rtag, node.Transfers)
	return (*Comm)(p).endBoth(p.put(send, dst, stag, o), r)
}

// put emits a put. The caller has already called Rank.begin or Rank.call.
func (p *ByPut) put(buf Buf, dst, tag int, o Options) Request {
	c := (*Comm)(p)
	if uint(dst) >= uint(c.Size()) || uint(tag) > maxTag || buf.Len() < 0 {
		c.failSend(buf, dst, tag)
	}
	c.rank.CheckAccess("put", o)
	a := node.Access{Rank: c.world(dst), Detached: buf.Len() == 0, Options: o}
	return c.rank.ops.OneSided().Put(buf, a, c.me, int32(tag), c.group.context+node.Transfers)
}
