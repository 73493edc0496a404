package legs

import (
	"math/bits"

	"fabricast/routing/internal/headers"
)

// CoordTable holds the coordinates of all routers. A table is faster than dividing a router's
// number at every hop.
type CoordTable struct {
	Dims   int
	at     []uint16        // coordinates, at index router*dims+dimension
	packed []uint64        // by router: all its coordinates in one word
	fields []headers.Field // by dimension: which bits of that word hold the coordinate
	dimOf  [64]uint8       // by bit of that word: the dimension it belongs to
}

// newCoordTable returns the table for routers numbered with the first dimension varying fastest.
func newCoordTable(dims []int) CoordTable {
	routers := 1
	for _, k := range dims {
		routers *= k
	}
	c := CoordTable{Dims: len(dims), at: make([]uint16, routers*len(dims)), packed: make([]uint64, routers)}
	var word headers.Layout // less than 32 bits, and at most one more for each dimension
	for d, k := range dims {
		first := word.Used
		c.fields = append(c.fields, word.Field(bits.Len(uint(k-1))))
		for b := first; b < word.Used; b++ {
			c.dimOf[b&63] = uint8(d)
		}
	}
	for r := range routers {
		rest := r
		for d, k := range dims {
			c.at[r*c.Dims+d] = uint16(rest % k)
			c.packed[r] |= c.fields[d].With(uint64(rest % k))
			rest /= k
		}
	}
	return c
}

// Of returns the coordinates of a router, one for each dimension.
func (c *CoordTable) Of(router int32) []uint16 {
	i := int(router) * c.Dims
	return c.at[i : i+c.Dims : i+c.Dims]
}

// differ returns a word whose nonzero fields are those of the dimensions in which two routers
// differ.
func (c *CoordTable) differ(a, b int32) uint64 { return c.packed[a] ^ c.packed[b] }

// first returns the lowest dimension whose field is nonzero in a word returned by differ. The word
// must not be 0.
func (c *CoordTable) first(differ uint64) int { return int(c.dimOf[bits.TrailingZeros64(differ)&63]) }

// away returns the coordinate of router b minus that of router a in dimension d.
func (c *CoordTable) away(d int, a, b int32) int32 {
	f := c.fields[d]
	return int32(f.Of(c.packed[b])) - int32(f.Of(c.packed[a]))
}
