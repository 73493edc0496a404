package fabric

import (
	"fabricast/internal/snapshot"
	"math"
	"math/bits"
)

// horizon is the number of windows ahead for which a calendar has a bitmap.
const horizon = 64

// calendar records which routers of a block have a timer in which window. Windows within the
// horizon have a bitmap; later times wait in a heap.
type calendar struct {
	length     int64  // ps of a window
	reciprocal uint64 // delta/length is the high word of delta*reciprocal for delta < 2^64/length
	window     int64  // the current one
	start, end int64  // ps, of the current one
	words      uint32 // of one window's bitmap
	bits       array[uint64]
	summary    array[uint64] // one bit for each word that is not 0
	sumWords   uint32
	pending    uint64 // windows (modulo horizon) that have any router
	far        []farTimer
}

type farTimer struct {
	at     int64
	router uint32
}

func newCalendar(routers int, window int64) calendar {
	words := (routers + 63) / 64
	sum := (words + 63) / 64
	c := calendar{
		words: uint32(words), bits: arrayOf(make([]uint64, words*horizon)),
		sumWords: uint32(sum), summary: arrayOf(make([]uint64, sum*horizon)),
	}
	c.cut(window, 0)
	return c
}

// cut empties the calendar and changes the length of its windows (ps). The current window becomes
// the one that contains the time `at` (ps).
func (c *calendar) cut(length, at int64) {
	c.length = length
	quo, _ := bits.Div64(1, 0, uint64(length))
	c.reciprocal = quo + 1
	clear(c.bits.slice(0, c.bits.n))
	clear(c.summary.slice(0, c.summary.n))
	c.pending = 0
	c.far = c.far[:0]
	c.moveTo(at / length)
}

// ahead returns how many windows after the current one the time `at` lies. `at` must not be before
// the current window.
func (c *calendar) ahead(at int64) uint64 {
	windows, _ := bits.Mul64(uint64(at-c.start), c.reciprocal)
	return windows
}

// mark records that a router (numbered within the block) has a timer at the time `at` (ps). `at`
// must not be before the current window.
func (c *calendar) mark(router uint32, at int64) {
	ahead := c.ahead(at)
	if ahead >= horizon {
		c.push(farTimer{at, router})
		return
	}
	c.markWindow(router, uint32((uint64(c.window)+ahead)%horizon))
}

// markWindow implements mark for a window within the horizon, given modulo the horizon.
func (c *calendar) markWindow(router, w uint32) {
	*c.bits.at(w*c.words + router>>6) |= 1 << (router & 63)
	*c.summary.at(w*c.sumWords + router>>12) |= 1 << (router >> 6 & 63)
	c.pending |= 1 << (w & 63)
}

// next returns the earliest window that has a timer; math.MaxInt64 if none has.
func (c *calendar) next() int64 {
	if c.pending != 0 {
		return c.window + int64(bits.TrailingZeros64(bits.RotateLeft64(c.pending, -int(c.window%horizon))))
	}
	if len(c.far) > 0 {
		return c.far[0].at / c.length
	}
	return math.MaxInt64
}

// moveTo makes w the current window. w must not be after next().
func (c *calendar) moveTo(w int64) {
	c.window = w
	c.start = w * c.length
	c.end = c.start + c.length
	for len(c.far) > 0 && c.far[0].at-c.start < horizon*c.length {
		t := c.pop()
		c.mark(t.router, t.at)
	}
}

// take appends to list the routers of the current window in increasing order,
// and empties the window.
func (c *calendar) take(list []uint32) []uint32 {
	first, sums := c.row()
	row := c.bits.slice(first, c.words)
	summary := c.summary.slice(sums, c.sumWords)
	for s := range summary {
		for m := summary[s]; m != 0; m &= m - 1 {
			word := s<<6 + bits.TrailingZeros64(m)
			for b := row[word]; b != 0; b &= b - 1 {
				list = append(list, uint32(word<<6+bits.TrailingZeros64(b)))
			}
			row[word] = 0
		}
		summary[s] = 0
	}
	c.emptied()
	return list
}

// row returns the index of the first word of the current window's bitmap, and of its summary.
func (c *calendar) row() (first, summary uint32) {
	w := uint32(uint64(c.window) % horizon)
	return w * c.words, w * c.sumWords
}

// emptied records that the current window has no routers left.
func (c *calendar) emptied() { c.pending &^= 1 << (uint64(c.window) % horizon) }

// push adds a timer to the binary heap far, which is ordered by time.
func (c *calendar) push(t farTimer) {
	c.far = append(c.far, t)
	i := len(c.far) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if c.far[parent].at <= t.at {
			break
		}
		c.far[i] = c.far[parent]
		i = parent
	}
	c.far[i] = t
}

func (c *calendar) pop() farTimer {
	top := c.far[0]
	last := c.far[len(c.far)-1]
	c.far = c.far[:len(c.far)-1]
	i, n := 0, len(c.far)
	for {
		child := 2*i + 1
		if child >= n {
			break
		}
		if child+1 < n && c.far[child+1].at < c.far[child].at {
			child++
		}
		if last.at <= c.far[child].at {
			break
		}
		c.far[i] = c.far[child]
		i = child
	}
	if n > 0 {
		c.far[i] = last
	}
	return top
}

// state goes over the calendar.
func (c *calendar) state(v *snapshot.Visitor) {
	snapshot.Value(v, &c.length)
	snapshot.Value(v, &c.reciprocal)
	snapshot.Value(v, &c.window)
	snapshot.Value(v, &c.start)
	snapshot.Value(v, &c.end)
	snapshot.Value(v, &c.pending)
	snapshot.Values(v, c.bits.slice(0, c.bits.n))
	snapshot.Values(v, c.summary.slice(0, c.summary.n))
	snapshot.List(v, &c.far)
}
