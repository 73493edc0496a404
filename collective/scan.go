package collective

import "fabricast/node"

// ScanFunc is an algorithm of a prefix reduction: recv at rank r becomes the combination of the
// send buffers of ranks 0 to r (of 0 to r-1 in an exclusive one, where recv at rank 0 stays as it
// is).
type ScanFunc func(c Comm, send, recv node.Buf, op *Op)

var (
	scans   = family[ScanFunc]{kind: KindScan}
	exscans = family[ScanFunc]{kind: KindExscan}
)

// registerScan adds an algorithm to both prefix reductions.
func registerScan(place int, i Info, run func(c Comm, p *prefix, tag int)) struct{} {
	bind := func(exclusive bool, tag int) ScanFunc {
		return func(c Comm, send, recv node.Buf, op *Op) {
			p := newPrefix(c, send, op, exclusive)
			run(c, &p, tag)
			p.deliver(c, recv, exclusive)
		}
	}
	scans.register(place, i, bind(false, tagScan))
	return exscans.register(place, i, bind(true, tagExscan))
}

// Scan combines the send buffers of ranks 0 to r into recv at rank r, in the order of ranks.
func Scan(c Comm, send, recv node.Buf, op *Op, a Algorithm) {
	checkScan(KindScan, send, recv, op)
	scans.pickOp(a, c.Size(), op)(scans.start(c, a, 0, op.Ordered()), send, recv, op)
}

// Exscan combines the send buffers of the ranks below r into recv at rank r, in the order of ranks.
// At rank 0 recv is left as it is.
func Exscan(c Comm, send, recv node.Buf, op *Op, a Algorithm) {
	checkScan(KindExscan, send, recv, op)
	exscans.pickOp(a, c.Size(), op)(exscans.start(c, a, 0, op.Ordered()), send, recv, op)
}

// checkScan panics if the buffers and the operation do not match.
func checkScan(kind Kind, send, recv node.Buf, op *Op) {
	checkLen(kind, "receive", recv, send.Len())
	checkPair(kind, send, recv)
	op.check(kind, send)
}

// prefix is the state of one rank in a prefix reduction: the combination of the operands received
// so far, which are those of some consecutive ranks up to this one.
type prefix struct {
	op    *Op
	all   node.Buf // the combination of some consecutive ranks, of which this one is the last
	below node.Buf // that of the same ranks without this one, of an exclusive scan
	// exclusive: the rank's own operand is not part of its result
	exclusive bool
	any       bool     // there are such ranks
	in        node.Buf // where the next message arrives
}

func newPrefix(c Comm, send node.Buf, op *Op, exclusive bool) prefix {
	room := func() node.Buf { return scratch(send.Len(), send) }
	p := prefix{op: op, exclusive: exclusive, all: room(), below: room(), in: room()}
	move(c, p.all, send)
	return p
}

// take combines what lower ranks sent, which is in p.in, with what is known.
func (p *prefix) take(c Comm) {
	switch {
	case !p.exclusive:
	case p.any:
		p.op.combine(c, p.below, p.in, true)
	default:
		move(c, p.below, p.in)
	}
	p.any = true
	p.op.combine(c, p.all, p.in, true)
}

// deliver sets a rank's result from its own operand and what is known of the ranks below.
func (p *prefix) deliver(c Comm, recv node.Buf, exclusive bool) {
	switch {
	case !exclusive:
		move(c, recv, p.all)
	case p.any:
		move(c, recv, p.below)
	}
}

var _ = registerScan(10, Info{
	Name:    RecursiveDoubling,
	Summary: "ceil(log2 p) rounds: to the rank 2^k above, from the rank 2^k below",
}, scanDoubling)

// scanDoubling sends, in round k, the combination so far to the rank 2^k above (Hillis and Steele,
// Data parallel algorithms, Communications of the ACM 29, 1986). There are p - 2^k messages in
// round k.
func scanDoubling(c Comm, p *prefix, tag int) {
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

var _ = registerScan(30, Info{Name: Linear, Summary: "from each rank to the next one"}, scanLinear)

// scanLinear sends the combination from each rank to the next one (the linear algorithm of Open
// MPI). p-1 messages, one after the other.
func scanLinear(c Comm, p *prefix, tag int) {
	n, me := c.Size(), c.Rank()
	if me > 0 {
		c.Recv(p.in, me-1, tag)
		p.take(c)
	}
	if me+1 < n {
		c.Send(p.all, me+1, tag)
	}
}
