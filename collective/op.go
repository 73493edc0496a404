package collective

import (
	"encoding/binary"
	"math"
)

// Op is the operation of a reduction. It must be associative, either exactly or, like
// floating-point addition, approximately. Results are deterministic in both cases, because every
// algorithm combines operands in an order that depends only on the number of ranks, the root and
// the algorithm.
//
// Collectives take a pointer to an Op. It may be nil for buffers without contents, which may then
// be divided at any byte.
type Op struct {
	Name string
	// Elem is the size of one element in bytes. Buffers are divided only between elements.
	Elem int
	// Commutative means that the order of the operands does not matter. If it is false, operands
	// are combined in rank order, and algorithms that cannot do this reject the operation.
	Commutative bool
	// Combine sets inout to in op inout, element by element. in precedes inout in rank order. Both
	// have the same length.
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

// ElemSize returns the size of an element in bytes, at least 1.
func (op *Op) ElemSize() int {
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

// Ordered reports whether operands must be combined in rank order.
func (op *Op) Ordered() bool { return op != nil && op.Combine != nil && !op.Commutative }
