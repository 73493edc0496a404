package workload

import "math/bits"

// cycle is a random ring through the ranks 0 to n-1. A random permutation, computed by a Feistel
// network, gives the order of the ranks. Therefore a rank finds its neighbours in O(1) time and
// memory for any n. The same seed and number give the same ring.
type cycle struct {
	n         uint64
	number    uint64
	width     uint   // number of bits of the right half
	low, high uint64 // bit masks of the right half and of the left half, which has the same width or one bit less
	keys      [feistelRounds / 2][2]uint64
	table     *rounds // nil if the halves have more than tableBits bits
}

// rounds is a table of the round functions of a cycle, indexed by round and by the value of one
// half. Each entry is XORed to the other half.
type rounds [feistelRounds][1 << tableBits]uint8

// tableBits is the maximum number of bits of a half for which a table is used, that is, up to
// 65,536 ranks. A look-up takes a quarter of the instructions of computing a round function.
const tableBits = 8

// feistelRounds is the number of rounds of the Feistel network. It must be even, because the halves
// may have different widths. Half as many rounds would be enough for hundreds of ranks, but not for
// 8 ranks, where a round mixes only 3 bits.
const feistelRounds = 12

// newCycle returns random ring i through all n ranks. The ring depends only on n, seed and i.
func newCycle(n int, seed, i uint64) *cycle {
	width := uint(bits.Len64(uint64(n - 1)))
	c := &cycle{n: uint64(n), number: i, width: width - width/2}
	c.low, c.high = 1<<c.width-1, 1<<(width/2)-1
	key := scramble(scramble(seed) + i)
	for k := range uint64(feistelRounds) {
		c.keys[k/2][k%2] = scramble(key + k)
	}
	if c.width <= tableBits {
		c.tabulate()
	}
	return c
}

// tabulate computes the table of round functions.
func (c *cycle) tabulate() {
	c.table = new(rounds)
	for k := range c.table {
		key, out, in := c.keys[k/2][k%2], c.high, c.low
		if k%2 != 0 {
			out, in = in, out
		}
		for half := range in + 1 {
			c.table[k][half] = uint8(scramble(half^key) & out)
		}
	}
}

// around returns the previous and the next rank of a rank on the ring.
func (c *cycle) around(rank int) (before, after int) {
	at := c.place(uint64(rank))
	x, y := at-1, at+1
	if at == 0 {
		x = c.n - 1
	}
	if y == c.n {
		y = 0
	}
	if c.table != nil {
		x, y = c.lookForth(x), c.lookForth(y)
	} else {
		x, y = c.both(x, y)
	}
	for x >= c.n {
		x = c.forth(x)
	}
	for y >= c.n {
		y = c.forth(y)
	}
	return int(x), int(y)
}

// both returns forth(x) and forth(y), interleaved so that the processor computes them in parallel.
func (c *cycle) both(x, y uint64) (forthX, forthY uint64) {
	high, low := c.high, c.low
	l, r, m, s := x>>(c.width&63), x&low, y>>(c.width&63), y&low
	for k := range c.keys {
		left, right := c.keys[k][0], c.keys[k][1]
		l ^= scramble(r^left) & high
		m ^= scramble(s^left) & high
		r ^= scramble(l^right) & low
		s ^= scramble(m^right) & low
	}
	return l<<(c.width&63) | r, m<<(c.width&63) | s
}

// rank returns the rank at a position of the ring. It is the inverse of place.
func (c *cycle) rank(at uint64) uint64 {
	x := c.forth(at)
	for x >= c.n {
		x = c.forth(x)
	}
	return x
}

// place returns the position of a rank on the ring. The Feistel network permutes the integers below
// a power of two, which is at least n. Therefore it is applied repeatedly until the result is less
// than n (cycle walking).
func (c *cycle) place(rank uint64) uint64 {
	x := c.back(rank)
	for x >= c.n {
		x = c.back(x)
	}
	return x
}

func (c *cycle) forth(x uint64) uint64 {
	if c.table != nil {
		return c.lookForth(x)
	}
	high, low := c.high, c.low
	l, r := x>>(c.width&63), x&low
	for k := range c.keys {
		l ^= scramble(r^c.keys[k][0]) & high
		r ^= scramble(l^c.keys[k][1]) & low
	}
	return l<<(c.width&63) | r
}

// lookForth implements forth with the table. Written as a loop over the rounds it takes twice the instructions.
func (c *cycle) lookForth(x uint64) uint64 {
	t, l, r := c.table, uint8(x>>(c.width&63)), uint8(x&c.low)
	l ^= t[0][r]
	r ^= t[1][l]
	l ^= t[2][r]
	r ^= t[3][l]
	l ^= t[4][r]
	r ^= t[5][l]
	l ^= t[6][r]
	r ^= t[7][l]
	l ^= t[8][r]
	r ^= t[9][l]
	l ^= t[10][r]
	r ^= t[11][l]
	return uint64(l)<<(c.width&63) | uint64(r)
}

// lookBack implements back with the table.
func (c *cycle) lookBack(x uint64) uint64 {
	t, l, r := c.table, uint8(x>>(c.width&63)), uint8(x&c.low)
	r ^= t[11][l]
	l ^= t[10][r]
	r ^= t[9][l]
	l ^= t[8][r]
	r ^= t[7][l]
	l ^= t[6][r]
	r ^= t[5][l]
	l ^= t[4][r]
	r ^= t[3][l]
	l ^= t[2][r]
	r ^= t[1][l]
	l ^= t[0][r]
	return uint64(l)<<(c.width&63) | uint64(r)
}

func (c *cycle) back(x uint64) uint64 {
	if c.table != nil {
		return c.lookBack(x)
	}
	high, low := c.high, c.low
	l, r := x>>(c.width&63), x&low
	for k := len(c.keys) - 1; k >= 0; k-- {
		r ^= scramble(l^c.keys[k][1]) & low
		l ^= scramble(r^c.keys[k][0]) & high
	}
	return l<<(c.width&63) | r
}

// scramble is a bijection of 64-bit integers with pseudorandom results (SplitMix64).
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
