package scan

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

// Func is an algorithm of a prefix reduction: recv at rank r becomes the combination of the
// send buffers of ranks 0 to r (of 0 to r-1 in an exclusive one, where recv at rank 0 stays as it
// is).
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

// Run combines the send buffers of ranks 0 to r into recv at rank r, in the order of ranks.
func Run(c collective.Comm, send, recv node.Buf, op *collective.Op, a collective.Algorithm) {
	checkScan(collective.KindScan, send, recv, op)
	inclusive.PickOp(a, c.Size(), op)(inclusive.Start(c, a, 0, op.Ordered()), send, recv, op)
}

// RunExclusive combines the send buffers of the ranks below r into recv at rank r, in the order of ranks.
// At rank 0 recv is left as it is.
func RunExclusive(c collective.Comm, send, recv node.Buf, op *collective.Op, a collective.Algorithm) {
	checkScan(collective.KindExscan, send, recv, op)
	exclusive.PickOp(a, c.Size(), op)(exclusive.Start(c, a, 0, op.Ordered()), send, recv, op)
}

// checkScan panics if the buffers and the operation do not match.
func checkScan(kind collective.Kind, send, recv node.Buf, op *collective.Op) {
	steps.CheckLen(kind, "receive", recv, send.Len())
	steps.CheckPair(kind, send, recv)
	steps.CheckOp(op, kind, send)
}

// prefix is the state of one rank in a prefix reduction: the combination of the operands received
// so far, which are those of some consecutive ranks up to this one.
type prefix struct {
	op    *collective.Op
	all   node.Buf // the combination of some consecutive ranks, of which this one is the last
	below node.Buf // that of the same ranks without this one, of an exclusive scan
	// exclusive: the rank's own operand is not part of its result
	exclusive bool
	any       bool     // there are such ranks
	in        node.Buf // where the next message arrives
}

func newPrefix(c collective.Comm, send node.Buf, op *collective.Op, exclusive bool) prefix {
	room := func() node.Buf { return steps.Scratch(send.Len(), send) }
	p := prefix{op: op, exclusive: exclusive, all: room(), below: room(), in: room()}
	steps.Move(c, p.all, send)
	return p
}

// take combines what lower ranks sent, which is in p.in, with what is known.
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

// deliver sets a rank's result from its own operand and what is known of the ranks below.
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

// doubling sends, in round k, the combination so far to the rank 2^k above (Hillis and Steele,
// Data parallel algorithms, Communications of the ACM 29, 1986). There are p - 2^k messages in
// round k.
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

// linear sends the combination from each rank to the next one (the linear algorithm of Open
// MPI). p-1 messages, one after the other.
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
