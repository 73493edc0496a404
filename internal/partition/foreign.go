package partition

import (
	"encoding/binary"
	"math"

	"fabricast/internal/sharedlib"
)

// foreign is a net as libraries take it: arrays of their own kind of integers.
type foreign struct {
	first, peers, weights, links []byte // links are the weights of edges
	width                        int    // bytes of an integer
	nodes, edges                 int
}

// heaviest bounds the sum of weights, so that those of 32 bits, and floats, serve.
const heaviest = 1 << 24

// foreignOf returns a net in integers of 4 or 8 bytes. It returns nil if it has more edges than these
// can count.
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

// scaled returns weights of at least 1 of which the sum is not much above heaviest. None exceeds the
// sum divided by parts: a node that is a block by itself is more than libraries expect.
func scaled(weights []int64, parts int64) []int64 {
	most, total := int64(math.MaxInt64), 0.0
	for range 64 { // each time the sum shrinks, if it does
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

// integers returns an array of a library's integers.
func integers[T int32 | int64](f *foreign, values []T) []byte {
	b := make([]byte, max(len(values), 1)*f.width)
	for i, v := range values {
		f.put(b, i, int64(v))
	}
	return b
}

// array returns room for so many integers.
func (f *foreign) array(n int) []byte { return make([]byte, n*f.width) }

// put sets an integer of an array.
func (f *foreign) put(b []byte, i int, v int64) {
	if f.width == 4 {
		order.PutUint32(b[4*i:], uint32(v))
	} else {
		order.PutUint64(b[8*i:], uint64(v))
	}
}

// blocks returns an array of nodes' blocks; nil if a number is none of a block.
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

// number returns an array of one integer.
func (f *foreign) number(v int) []byte { return integers(f, []int64{int64(v)}) }

// at is where an array is.
func at(b []byte) uintptr { return sharedlib.Start(b) }

// order is that of the processors for which libraries are loaded.
var order = binary.LittleEndian
