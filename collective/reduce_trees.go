package collective

import "fabricast/node"

// The reductions along trees of Open MPI (Pjesivac-Grbovic et al., Performance analysis of MPI
// collective operations, Cluster Computing 10, 2007). p-1 messages for each piece of the buffer.
// Each rank combines the operands of its children with its own, in the order of its children.

var (
	_ = reduces.registerWith(30, Info{
		Name: Knomial, Overlaps: true, CommutativeOnly: true,
		Options: []Option{segmentOption(0), radixOption},
		Summary: "the buffer up a k-nomial tree",
	}, func(v values) ReduceFunc { return ReduceKnomial(v[0], v[1]) })
	_ = reduces.registerWith(40, Info{
		Name: Binary, Overlaps: true, CommutativeOnly: true, Options: []Option{segmentOption(32 << 10)},
		Summary: "pieces of the buffer up a binary tree",
	}, func(v values) ReduceFunc { return ReduceBinary(v[0]) })
	_ = reduces.registerWith(50, Info{
		Name: InOrderBinary, Overlaps: true, Options: []Option{segmentOption(0)},
		Summary: "pieces of the buffer up a binary tree that keeps the order of ranks",
	}, func(v values) ReduceFunc { return ReduceInOrderBinary(v[0]) })
	_ = reduces.registerWith(60, Info{
		Name: Chain, Overlaps: true, CommutativeOnly: true,
		Options: []Option{segmentOption(64 << 10), chainsOption},
		Summary: "pieces of the buffer up several chains of ranks",
	}, func(v values) ReduceFunc { return ReduceChain(v[0], v[1]) })
	_ = reduces.registerWith(70, Info{
		Name: Pipeline, Overlaps: true, CommutativeOnly: true, Options: []Option{segmentOption(64 << 10)},
		Summary: "pieces of the buffer from each rank to the one before it",
	}, func(v values) ReduceFunc { return ReducePipeline(v[0]) })
)

// reduceTree reduces up a tree, in pieces of segment bytes, or in one piece if segment is 0. The
// operation must be commutative.
func reduceTree(f shaper, segment int) ReduceFunc {
	return func(c Comm, send, recv node.Buf, op *Op, root int) {
		acc := treeOperand(c, send, recv, op, root)
		up(c, acc, op, f.at(c, root), newSegments(acc.Len(), segment, op.elem()), true, tagReduce)
	}
}

// operand returns the buffer in which a rank combines, with its own operand in it: recv at the
// root.
func operand(c Comm, send, recv node.Buf, root int) node.Buf {
	acc := accumulator(c, send, recv, root)
	move(c, acc, send)
	return acc
}

// treeOperand is operand for the trees of Open MPI. If the operation is commutative, putting the
// operand there takes no time: Open MPI receives the first child's there and combines its own with it.
func treeOperand(c Comm, send, recv node.Buf, op *Op, root int) node.Buf {
	if op.Ordered() {
		return operand(c, send, recv, root)
	}
	acc := accumulator(c, send, recv, root)
	copy(acc.Bytes(), send.Bytes())
	return acc
}

// accumulator returns the buffer in which a rank combines: recv at the root.
func accumulator(c Comm, send, recv node.Buf, root int) node.Buf {
	if c.Rank() != root {
		return scratch(send.Len(), send)
	}
	return recv
}

// ReduceChain returns the reduction up several chains of ranks that end at the root.
func ReduceChain(segment, chains int) ReduceFunc { return reduceTree(chainShape(chains), segment) }

// ReducePipeline returns the reduction along a chain: each rank combines what it receives with its
// operand and sends the result to the rank before it.
func ReducePipeline(segment int) ReduceFunc { return ReduceChain(segment, 1) }

// ReduceBinary returns the reduction up a balanced binary tree.
func ReduceBinary(segment int) ReduceFunc { return reduceTree(binaryShape, segment) }

// ReduceKnomial returns the reduction up a k-nomial tree: a rank combines k-1 operands with its own
// in each round.
func ReduceKnomial(segment, k int) ReduceFunc { return reduceTree(knomialShape(k), segment) }

// ReduceInOrderBinary returns the reduction up a binary tree whose root is the last rank, and in
// which operands are combined in the order of ranks. The last rank sends the result to the root if
// that is another.
func ReduceInOrderBinary(segment int) ReduceFunc {
	return func(c Comm, send, recv node.Buf, op *Op, root int) {
		acc, last := treeOperand(c, send, recv, op, root), c.Size()-1
		t := shaper(inOrderShape).at(c, 0)
		up(c, acc, op, t, newSegments(acc.Len(), segment, op.elem()), true, tagReduce)
		handOver(c, acc, last, root)
	}
}

// handOver sends the result of a reduction from the rank that has it to the root.
func handOver(c Comm, acc node.Buf, from, root int) {
	if from == root {
		return
	}
	switch c.Rank() {
	case from:
		c.Send(acc, root, tagReduce)
	case root:
		c.Recv(acc, from, tagReduce)
	}
}

// reduceBinomial is ReduceBinomial, with the buffer divided into pieces of segment bytes if segment
// is not 0. Operands are combined in the order of ranks.
func reduceBinomial(segment int) ReduceFunc {
	if segment == 0 {
		return ReduceBinomial
	}
	return func(c Comm, send, recv node.Buf, op *Op, root int) {
		acc, top := treeOperand(c, send, recv, op, root), root
		if op.Ordered() {
			top = 0
		}
		t := shaper(binomialUp).at(c, top)
		up(c, acc, op, t, newSegments(acc.Len(), segment, op.elem()), false, tagReduce)
		handOver(c, acc, top, root)
	}
}

// binomialUp returns a place's shape in the binomial tree in which each place combines its smallest
// subtree first.
func binomialUp(p, place int) shape {
	s := knomialShape(2)(p, place)
	for i, j := 0, len(s.children)-1; i < j; i, j = i+1, j-1 {
		s.children[i], s.children[j] = s.children[j], s.children[i]
	}
	return s
}
