package workload

import "math/bits"

// cycle is a random ring through the ranks 0 to n-1. It is computed by a random permutation without
// a table, so a rank finds its neighbours in O(1) time and memory for any n. The same seed and
// number give the same ring.
type cycle struct {
	n    uint64
	low  uint // bits of the right half
	high uint // bits of the left half: as many, or one fewer
	keys [feistelRounds]uint64
}

// feistelRounds is the number of rounds of the Feistel network. It must be even if the halves have
// different widths. Half as many would be enough for hundreds of ranks, but not for 8 ranks, where
// a round has only 3 bits to mix.
const feistelRounds = 12

// newCycle returns random ring number i through all n ranks. The ring depends only on n, seed and
// i.
func newCycle(n int, seed, i uint64) cycle {
	width := uint(bits.Len64(uint64(n - 1)))
	c := cycle{n: uint64(n), high: width / 2, low: width - width/2}
	key := scramble(scramble(seed) + i)
	for k := range c.keys {
		c.keys[k] = scramble(key + uint64(k))
	}
	return c
}

// around returns the ranks before and after a rank on the ring.
func (c *cycle) around(rank int) (before, after int) {
	at := c.place(uint64(rank))
	x, y := at-1, at+1
	if at == 0 {
		x = c.n - 1
	}
	if y == c.n {
		y = 0
	}
	x, y = c.both(x, y)
	for x >= c.n {
		x = c.forth(x)
	}
	for y >= c.n {
		y = c.forth(y)
	}
	return int(x), int(y)
}

// both returns forth of two numbers. The processor computes them side by side.
func (c *cycle) both(x, y uint64) (forthX, forthY uint64) {
	high, low := uint64(1)<<c.high-1, uint64(1)<<c.low-1
	l, r, m, s := x>>c.low, x&low, y>>c.low, y&low
	for k := 0; k < feistelRounds; k += 2 {
		l ^= scramble(r^c.keys[k]) & high
		m ^= scramble(s^c.keys[k]) & high
		r ^= scramble(l^c.keys[k+1]) & low
		s ^= scramble(m^c.keys[k+1]) & low
	}
	return l<<c.low | r, m<<c.low | s
}

// place returns the place of a rank on the ring. A Feistel network permutes all numbers of as many
// bits; it is repeated until the result is less than n.
func (c *cycle) place(rank uint64) uint64 {
	x := c.back(rank)
	for x >= c.n {
		x = c.back(x)
	}
	return x
}

func (c *cycle) forth(x uint64) uint64 {
	l, r := x>>c.low, x&(1<<c.low-1)
	for k := 0; k < feistelRounds; k += 2 {
		l ^= scramble(r^c.keys[k]) & (1<<c.high - 1)
		r ^= scramble(l^c.keys[k+1]) & (1<<c.low - 1)
	}
	return l<<c.low | r
}

func (c *cycle) back(x uint64) uint64 {
	l, r := x>>c.low, x&(1<<c.low-1)
	for k := feistelRounds - 2; k >= 0; k -= 2 {
		r ^= scramble(l^c.keys[k+1]) & (1<<c.low - 1)
		l ^= scramble(r^c.keys[k]) & (1<<c.high - 1)
	}
	return l<<c.low | r
}

// scramble is a bijection on 64 bits whose outputs look random: SplitMix64.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
