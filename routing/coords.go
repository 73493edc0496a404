package routing

// coordTable holds the coordinates of all routers, because dividing a
// router's number at every hop takes longer than looking them up.
type coordTable struct {
	dims int
	at   []uint16 // by router and dimension
}

// newCoordTable numbers routers with the first dimension fastest.
func newCoordTable(dims []int) coordTable {
	routers := 1
	for _, k := range dims {
		routers *= k
	}
	c := coordTable{dims: len(dims), at: make([]uint16, routers*len(dims))}
	for r := range routers {
		rest := r
		for d, k := range dims {
			c.at[r*c.dims+d] = uint16(rest % k)
			rest /= k
		}
	}
	return c
}

// of returns the coordinates of a router.
func (c *coordTable) of(router int32) []uint16 {
	i := int(router) * c.dims
	return c.at[i : i+c.dims : i+c.dims]
}
