package reduce

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

// The reductions of Open MPI along trees (Pjesivac-Grbovic et al., Performance analysis of MPI
// collective operations, Cluster Computing 10, 2007). They take p-1 messages for each piece of the
// buffer. Each rank combines the operands of its children with its own, in the order of its
// children.

var (
	_ = Algorithms.RegisterWith(30, collective.Info{
		Name: collective.Knomial, Overlaps: true, CommutativeOnly: true,
		Options: []collective.Option{steps.SegmentOption(0), steps.RadixOption},
		Summary: "the buffer up a k-nomial tree",
	}, func(v collective.Values) Func { return Knomial(v[0], v[1]) })
	_ = Algorithms.RegisterWith(40, collective.Info{
		Name: collective.Binary, Overlaps: true, CommutativeOnly: true, Options: []collective.Option{steps.SegmentOption(32 << 10)},
		Summary: "pieces of the buffer up a binary tree",
	}, func(v collective.Values) Func { return Binary(v[0]) })
	_ = Algorithms.RegisterWith(50, collective.Info{
		Name: collective.InOrderBinary, Overlaps: true, Options: []collective.Option{steps.SegmentOption(0)},
		Summary: "pieces of the buffer up a binary tree that keeps the order of ranks",
	}, func(v collective.Values) Func { return InOrderBinary(v[0]) })
	_ = Algorithms.RegisterWith(60, collective.Info{
		Name: collective.Chain, Overlaps: true, CommutativeOnly: true,
		Options: []collective.Option{steps.SegmentOption(64 << 10), steps.ChainsOption},
		Summary: "pieces of the buffer up several chains of ranks",
	}, func(v collective.Values) Func { return Chain(v[0], v[1]) })
	_ = Algorithms.RegisterWith(70, collective.Info{
		Name: collective.Pipeline, Overlaps: true, CommutativeOnly: true, Options: []collective.Option{steps.SegmentOption(64 << 10)},
		Summary: "pieces of the buffer from each rank to the one before it",
	}, func(v collective.Values) Func { return Pipeline(v[0]) })
)

// alongTree reduces up a tree, in pieces of `segment` bytes, or in one piece if segment is 0. The
// operation must be commutative.
func alongTree(f partners.Shaper, segment int) Func {
	return func(c collective.Comm, send, recv node.Buf, op *collective.Op, root int) {
		acc := treeOperand(c, send, recv, op, root)
		steps.Up(c, acc, op, f.At(c, root), steps.NewSegments(acc.Len(), segment, op.ElemSize()), true, collective.TagReduce)
	}
}

// operand returns the buffer in which a rank combines operands (at the root, recv), and copies the
// rank's own operand there.
func operand(c collective.Comm, send, recv node.Buf, root int) node.Buf {
	acc := accumulator(c, send, recv, root)
	steps.Move(c, acc, send)
	return acc
}

// treeOperand is like operand, for the trees of Open MPI. If the operation is commutative, no time
// is spent on the copy: Open MPI receives the first child's operand in the buffer and combines its
// own operand with it.
func treeOperand(c collective.Comm, send, recv node.Buf, op *collective.Op, root int) node.Buf {
	if op.Ordered() {
		return operand(c, send, recv, root)
	}
	acc := accumulator(c, send, recv, root)
	copy(acc.Bytes(), send.Bytes())
	return acc
}

// accumulator returns the buffer in which a rank combines operands: at the root, recv.
func accumulator(c collective.Comm, send, recv node.Buf, root int) node.Buf {
	if c.Rank() != root {
		return steps.Scratch(send.Len(), send)
	}
	return recv
}

// Chain returns the reduction up several chains of ranks that end at the root.
func Chain(segment, chains int) Func { return alongTree(partners.ChainShape(chains), segment) }

// Pipeline returns the reduction along a chain: each rank combines the data that it receives with
// its own operand, and sends the result to the rank before it.
func Pipeline(segment int) Func { return Chain(segment, 1) }

// Binary returns the reduction up a balanced binary tree.
func Binary(segment int) Func { return alongTree(partners.BinaryShape, segment) }

// Knomial returns the reduction up a k-nomial tree: a rank combines k-1 operands with its own in
// each round.
func Knomial(segment, k int) Func { return alongTree(partners.KnomialShape(k), segment) }

// InOrderBinary returns the reduction up a binary tree whose root is the last rank. Operands are
// combined in the order of ranks. If the last rank is not the root, it sends the result there.
func InOrderBinary(segment int) Func {
	return func(c collective.Comm, send, recv node.Buf, op *collective.Op, root int) {
		acc, last := treeOperand(c, send, recv, op, root), c.Size()-1
		t := partners.Shaper(partners.InOrderShape).At(c, 0)
		steps.Up(c, acc, op, t, steps.NewSegments(acc.Len(), segment, op.ElemSize()), true, collective.TagReduce)
		handOver(c, acc, last, root)
	}
}

// handOver sends the result of a reduction to the root, from the rank that has it.
func handOver(c collective.Comm, acc node.Buf, from, root int) {
	if from == root {
		return
	}
	switch c.Rank() {
	case from:
		c.Send(acc, root, collective.TagReduce)
	case root:
		c.Recv(acc, from, collective.TagReduce)
	}
}

// binomial is Binomial, with the buffer divided into pieces of `segment` bytes unless segment is 0.
// Operands are combined in the order of ranks.
func binomial(segment int) Func {
	if segment == 0 {
		return Binomial
	}
	return func(c collective.Comm, send, recv node.Buf, op *collective.Op, root int) {
		acc, top := treeOperand(c, send, recv, op, root), root
		if op.Ordered() {
			top = 0
		}
		t := partners.Shaper(partners.BinomialUp).At(c, top)
		steps.Up(c, acc, op, t, steps.NewSegments(acc.Len(), segment, op.ElemSize()), false, collective.TagReduce)
		handOver(c, acc, top, root)
	}
}
