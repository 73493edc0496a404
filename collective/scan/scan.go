package scan

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

// Func is an algorithm of a prefix reduction: it combines the send buffers of ranks 0 to r in recv
// at rank r. An exclusive scan combines those of ranks 0 to r-1, and leaves recv at rank 0
// unchanged.
type Func func(c collective.Comm, send, recv node.Buf, op *collective.Op)

var (
	inclusive = collective.NewFamily[Func](collective.TagScan, collective.KindScan)
	exclusive = collective.NewFamily[Func](collective.TagExscan, collective.KindExscan)
)

// register adds an algorithm to both prefix reductions.
func register(place int, i collective.Info, run func(c collective.Comm, p *prefix, tag int)) struct{} {
	bind := func(exclusive bool, tag int) Func {
		return func(c collective.Comm, send, recv node.Buf, op *collective.Op) {
			p := newPrefix(c, send, op, exclusive)
			run(c, &p, tag)
			p.deliver(c, recv, exclusive)
		}
	}
	inclusive.Register(place, i, bind(false, collective.TagScan))
	return exclusive.Register(place, i, bind(true, collective.TagExscan))
}

// Run combines the send buffers of ranks 0 to r in recv at rank r, in the order of ranks, with
// algorithm a.
func Run(c collective.Comm, send, recv node.Buf, op *collective.Op, a collective.Algorithm) {
	checkScan(collective.KindScan, send, recv, op)
	chosen := inclusive.ChooseOp(a, c.Size(), op)
	chosen.Run(chosen.Start(c, collective.Start{Ordered: op.Ordered()}), send, recv, op)
}

// RunExclusive combines the send buffers of the ranks below r in recv at rank r, in the order of
// ranks, with algorithm a. It leaves recv at rank 0 unchanged.
func RunExclusive(c collective.Comm, send, recv node.Buf, op *collective.Op, a collective.Algorithm) {
	checkScan(collective.KindExscan, send, recv, op)
	chosen := exclusive.ChooseOp(a, c.Size(), op)
	chosen.Run(chosen.Start(c, collective.Start{Ordered: op.Ordered()}), send, recv, op)
}

// checkScan panics if the buffers and the operation do not match.
func checkScan(kind collective.Kind, send, recv node.Buf, op *collective.Op) {
	steps.CheckLen(kind, "receive", recv, send.Len())
	steps.CheckPair(kind, send, recv)
	steps.CheckOp(op, kind, send)
}

// prefix is the state of one rank in a prefix reduction: the combination of the operands known so
// far. These are the operands of consecutive ranks, of which this rank is the last.
type prefix struct {
	op    *collective.Op
	all   node.Buf // combination of the operands of consecutive ranks, of which this rank is the last
	below node.Buf // in an exclusive scan: combination of the operands of the same ranks without this one
	// exclusive: the rank's own operand is not part of its result
	exclusive bool
	any       bool     // `below` is the combination of at least one operand
	in        node.Buf // buffer for the next message
}

func newPrefix(c collective.Comm, send node.Buf, op *collective.Op, exclusive bool) prefix {
	room := func() node.Buf { return steps.Scratch(send.Len(), send) }
	p := prefix{op: op, exclusive: exclusive, all: room(), below: room(), in: room()}
	steps.Move(c, p.all, send)
	return p
}

// take combines the operands in p.in, which lower ranks have sent, with those known so far.
func (p *prefix) take(c collective.Comm) {
	switch {
	case !p.exclusive:
	case p.any:
		steps.Combine(c, p.op, p.below, p.in, true)
	default:
		steps.Move(c, p.below, p.in)
	}
	p.any = true
	steps.Combine(c, p.op, p.all, p.in, true)
}

// deliver computes a rank's result from its own operand and the combination of those of lower
// ranks.
func (p *prefix) deliver(c collective.Comm, recv node.Buf, exclusive bool) {
	switch {
	case !exclusive:
		steps.Move(c, recv, p.all)
	case p.any:
		steps.Move(c, recv, p.below)
	}
}

var _ = register(10, collective.Info{
	Name:    collective.RecursiveDoubling,
	Summary: "ceil(log2 p) rounds: to the rank 2^k above, from the rank 2^k below",
}, doubling)

// doubling sends, in round k, the combination so far to the rank 2^k above (Hillis and Steele, Data
// parallel algorithms, Communications of the ACM 29, 1986). Round k takes p - 2^k messages.
func doubling(c collective.Comm, p *prefix, tag int) {
	n, me := c.Size(), c.Rank()
	for d := 1; d < n; d <<= 1 {
		above, below := me+d, me-d
		switch {
		case above < n && below >= 0:
			c.Sendrecv(p.all, above, tag, p.in, below, tag)
		case above < n:
			c.Send(p.all, above, tag)
		case below >= 0:
			c.Recv(p.in, below, tag)
		}
		if below >= 0 {
			p.take(c)
		}
	}
}

var _ = register(30, collective.Info{Name: collective.Linear, Summary: "from each rank to the next one"}, linear)

// linear sends the combination from each rank to the next one (the linear algorithm of Open MPI).
// There are p-1 messages, one after another.
func linear(c collective.Comm, p *prefix, tag int) {
	n, me := c.Size(), c.Rank()
	if me > 0 {
		c.Recv(p.in, me-1, tag)
		p.take(c)
	}
	if me+1 < n {
		c.Send(p.all, me+1, tag)
	}
}
