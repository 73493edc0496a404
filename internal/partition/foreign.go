package partition

import (
	"encoding/binary"
	"math"

	"fabricast/internal/sharedlib"
)

// foreign is a graph in the form that the libraries expect: arrays of the library's integer type.
type foreign struct {
	first, peers, weights, links []byte // links holds the weights of edges
	width                        int    // size of an integer in bytes
	nodes, edges                 int
}

// heaviest limits the sum of weights, so that 32-bit integers and floats can hold it.
const heaviest = 1 << 24

// foreignOf converts a graph to integers of 4 or 8 bytes. It returns nil if it has too many edges
// for this size.
func foreignOf(n *net, width, blocks int) *foreign {
	if width == 4 && len(n.peers) > math.MaxInt32 {
		return nil
	}
	f := &foreign{width: width, nodes: n.nodes(), edges: len(n.peers)}
	f.first, f.peers = integers(f, n.first), integers(f, n.peers)
	f.weights = integers(f, scaled(n.weights, int64(fewest/2*blocks)))
	f.links = integers(f, scaled(n.links, 1))
	return f
}

// scaled reduces weights so that each is at least 1 and their sum does not exceed heaviest by much.
// No weight exceeds the sum divided by parts, because the libraries do not expect a node that is
// heavier than a block.
func scaled(weights []int64, parts int64) []int64 {
	most, total := int64(math.MaxInt64), 0.0
	for range 64 { // until the sum no longer shrinks
		total = 0
		for _, w := range weights {
			total += float64(min(w, most))
		}
		if float64(most) <= total/float64(parts) {
			break
		}
		most = max(1, int64(total/float64(parts)))
	}
	factor := min(1, heaviest/max(total, 1))
	list := make([]int64, len(weights))
	for i, w := range weights {
		list[i] = max(1, int64(float64(min(w, most))*factor))
	}
	return list
}

// integers converts values to an array of the library's integer type.
func integers[T int32 | int64](f *foreign, values []T) []byte {
	b := make([]byte, max(len(values), 1)*f.width)
	for i, v := range values {
		f.put(b, i, int64(v))
	}
	return b
}

// array allocates an array of n integers.
func (f *foreign) array(n int) []byte { return make([]byte, n*f.width) }

// put sets element i of an array.
func (f *foreign) put(b []byte, i int, v int64) {
	if f.width == 4 {
		order.PutUint32(b[4*i:], uint32(v))
	} else {
		order.PutUint64(b[8*i:], uint64(v))
	}
}

// blocks reads the block of each node from an array; nil if an element is not a valid block.
func (f *foreign) blocks(b []byte, blocks int) []int32 {
	list := make([]int32, f.nodes)
	for i := range list {
		v := int64(0)
		if f.width == 4 {
			v = int64(int32(order.Uint32(b[4*i:])))
		} else {
			v = int64(order.Uint64(b[8*i:]))
		}
		if v < 0 || v >= int64(blocks) {
			return nil
		}
		list[i] = int32(v)
	}
	return list
}

// number returns an array with a single integer.
func (f *foreign) number(v int) []byte { return integers(f, []int64{int64(v)}) }

// at returns the address of an array.
func at(b []byte) uintptr { return sharedlib.Start(b) }

// order is the byte order of all processors on which the libraries can be loaded.
var order = binary.LittleEndian
