package collective

import (
	"encoding/binary"
	"fmt"
	"math"

	"fabricast/node"
)

// Op is the operation of a reduction. It must be associative, exactly or, like floating-point
// addition, nearly. Results are deterministic in both cases, because every algorithm combines
// operands in an order that depends only on the number of ranks, the root and the algorithm.
//
// Collectives take a pointer to an Op. It may be nil for buffers without contents, which may then
// be divided at any byte.
type Op struct {
	Name string
	// Elem is the size of one element in bytes. Buffers are divided only between elements.
	Elem int
	// Commutative means that the operands' order does not matter. If it is false, operands are
	// combined in the order of ranks, and algorithms that cannot do this refuse the operation.
	Commutative bool
	// Combine sets inout to in op inout, element by element. in precedes inout in the order of
	// ranks. Both have the same length.
	Combine func(inout, in []byte)
}

// Predefined operations on little-endian 64-bit elements.
var (
	SumInt64   = int64Op("sum-int64", func(a, b int64) int64 { return a + b })
	MaxInt64   = int64Op("max-int64", func(a, b int64) int64 { return max(a, b) })
	MinInt64   = int64Op("min-int64", func(a, b int64) int64 { return min(a, b) })
	SumFloat64 = float64Op("sum-float64", func(a, b float64) float64 { return a + b })
	MaxFloat64 = float64Op("max-float64", func(a, b float64) float64 { return max(a, b) })
	MinFloat64 = float64Op("min-float64", func(a, b float64) float64 { return min(a, b) })
)

func int64Op(name string, f func(a, b int64) int64) *Op {
	return word64Op(name, func(a, b uint64) uint64 { return uint64(f(int64(a), int64(b))) })
}

func float64Op(name string, f func(a, b float64) float64) *Op {
	return word64Op(name, func(a, b uint64) uint64 {
		return math.Float64bits(f(math.Float64frombits(a), math.Float64frombits(b)))
	})
}

func word64Op(name string, f func(a, b uint64) uint64) *Op {
	combine := func(inout, in []byte) {
		for i := 0; i+8 <= len(inout); i += 8 {
			v := f(binary.LittleEndian.Uint64(in[i:]), binary.LittleEndian.Uint64(inout[i:]))
			binary.LittleEndian.PutUint64(inout[i:], v)
		}
	}
	return &Op{Name: name, Elem: 8, Commutative: true, Combine: combine}
}

// combine combines the contents of in into acc. lower means that in holds operands of lower ranks
// than acc. It may overwrite in. The rank spends the time of that. Where an algorithm is run again,
// it does nothing if in has been combined or has not been received yet.
func (op *Op) combine(c Comm, acc, in node.Buf, lower bool) {
	if !combines(c) {
		return
	}
	combined(c, acc.Len())
	switch {
	case !acc.HasData() || acc.Len() == 0:
	case lower || op.Commutative:
		op.Combine(acc.Bytes(), in.Bytes())
	default:
		op.Combine(in.Bytes(), acc.Bytes())
		copy(acc.Bytes(), in.Bytes())
	}
}

// elem returns the size of an element in bytes, at least 1.
func (op *Op) elem() int {
	if op == nil {
		return 1
	}
	return max(op.Elem, 1)
}

// String returns the operation's name.
func (op *Op) String() string {
	if op == nil {
		return "none"
	}
	return op.Name
}

// Ordered reports whether operands must be combined in the order of ranks.
func (op *Op) Ordered() bool { return op != nil && op.Combine != nil && !op.Commutative }

// cut returns the byte offset of chunk i if a buffer of size bytes is divided into n chunks of
// whole elements, as equal as possible.
func (op *Op) cut(size, i, n int) int {
	e := op.elem()
	return size / e * i / n * e
}

// largestChunk returns the size in bytes of the largest of n chunks of a buffer of size bytes.
func (op *Op) largestChunk(size, n int) int {
	e := op.elem()
	return (size/e + n - 1) / n * e
}

// chunks returns the part of a buffer that holds chunks lo to hi-1 of n.
func (op *Op) chunks(b node.Buf, lo, hi, n int) node.Buf {
	return part(b, op.cut(b.Len(), lo, n), op.cut(b.Len(), hi, n))
}

// check panics if the operation cannot be applied to the buffer.
func (op *Op) check(kind Kind, b node.Buf) {
	if b.Len()%op.elem() != 0 {
		failElements(kind, b.Len(), op.elem())
	}
	if b.HasData() && (op == nil || op.Combine == nil) {
		failCombine(kind)
	}
}

// failElements panics because a buffer does not hold whole elements.
//
//go:noinline
func failElements(kind Kind, size, elem int) {
	panic(fmt.Sprintf("%s: a buffer of %d bytes does not hold whole elements of %d bytes", kind, size, elem))
}

// failCombine panics because an operation without a Combine function has buffers with contents.
//
//go:noinline
func failCombine(kind Kind) {
	panic(fmt.Sprintf("%s: the operation has no Combine function, but the buffers have contents", kind))
}
