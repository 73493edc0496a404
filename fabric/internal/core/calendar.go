package core

import (
	"math"
	"math/bits"

	"fabricast/internal/snapshot"
)

// Horizon is the number of windows, from the current one on, for which a calendar has a bitmap.
const Horizon = 64

// calendar records which routers of a block have a timer in each window. Windows within the horizon
// have a bitmap; later timers are in a heap.
type calendar struct {
	Length     int64  // window length (ps)
	reciprocal uint64 // delta/Length is the high word of delta*reciprocal, for delta < 2^64/Length
	Window     int64  // current window
	Start, End int64  // start and end of the current window (ps)
	Words      uint32 // number of words of one window's bitmap
	Bits       Array[uint64]
	Summary    Array[uint64] // by window: bitmap of the words of Bits that are not 0
	SumWords   uint32
	pending    uint64 // windows (modulo Horizon) that have any routers
	far        []farTimer
}

// LeastWindow is the minimum length of windows (ps).
const LeastWindow = 2

type farTimer struct {
	at     int64
	router uint32
}

func NewCalendar(routers int, window int64) calendar {
	words := (routers + 63) / 64
	sum := (words + 63) / 64
	c := calendar{
		Words: uint32(words), Bits: ArrayOf(make([]uint64, words*Horizon)),
		SumWords: uint32(sum), Summary: ArrayOf(make([]uint64, sum*Horizon)),
	}
	c.Cut(window, 0)
	return c
}

// Cut empties the calendar and changes the window length (ps). The current window becomes the one
// that contains the time `at` (ps).
func (c *calendar) Cut(length, at int64) {
	c.Length = length
	quo, _ := bits.Div64(1, 0, uint64(length))
	c.reciprocal = quo + 1
	clear(c.Bits.Slice(0, c.Bits.N))
	clear(c.Summary.Slice(0, c.Summary.N))
	c.pending = 0
	c.far = c.far[:0]
	c.moveTo(at / length)
}

// Ahead returns the number of windows from the current one to the time `at`, which must not be
// before the current window.
func (c *calendar) Ahead(at int64) uint64 {
	windows, _ := bits.Mul64(uint64(at-c.Start), c.reciprocal)
	return windows
}

// Mark records that a router, given by its index in the block, has a timer at the time `at` (ps),
// which must not be before the current window.
func (c *calendar) Mark(router uint32, at int64) {
	ahead := c.Ahead(at)
	if ahead >= Horizon {
		c.push(farTimer{at, router})
		return
	}
	c.MarkWindow(router, uint32((uint64(c.Window)+ahead)%Horizon))
}

// MarkWindow is like Mark for a window within the horizon, given modulo Horizon.
func (c *calendar) MarkWindow(router, w uint32) {
	*c.Bits.At(w*c.Words + router>>6) |= 1 << (router & 63)
	*c.Summary.At(w*c.SumWords + router>>12) |= 1 << (router >> 6 & 63)
	c.pending |= 1 << (w & 63)
}

// next returns the earliest window that has a timer, or math.MaxInt64 if there is none.
func (c *calendar) next() int64 {
	if c.pending != 0 {
		return c.Window + int64(bits.TrailingZeros64(bits.RotateLeft64(c.pending, -int(c.Window%Horizon))))
	}
	if len(c.far) > 0 {
		return c.far[0].at / c.Length
	}
	return math.MaxInt64
}

// moveTo makes w the current window. w must not be later than next().
func (c *calendar) moveTo(w int64) {
	c.Window = w
	c.Start = w * c.Length
	c.End = c.Start + c.Length
	for len(c.far) > 0 && c.far[0].at-c.Start < Horizon*c.Length {
		t := c.pop()
		c.Mark(t.router, t.at)
	}
}

// Take appends the routers of the current window to list in ascending order, and removes them from
// the window.
func (c *calendar) Take(list []uint32) []uint32 {
	first, sums := c.Row()
	row := c.Bits.Slice(first, c.Words)
	summary := c.Summary.Slice(sums, c.SumWords)
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
	c.Emptied()
	return list
}

// Row returns the index of the first word of the current window's bitmap, and of its summary.
func (c *calendar) Row() (first, summary uint32) {
	w := uint32(uint64(c.Window) % Horizon)
	return w * c.Words, w * c.SumWords
}

// Emptied records that the current window has no routers left.
func (c *calendar) Emptied() { c.pending &^= 1 << (uint64(c.Window) % Horizon) }

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

// state visits the calendar.
func (c *calendar) state(v *snapshot.Visitor) {
	snapshot.Value(v, &c.Length)
	snapshot.Value(v, &c.reciprocal)
	snapshot.Value(v, &c.Window)
	snapshot.Value(v, &c.Start)
	snapshot.Value(v, &c.End)
	snapshot.Value(v, &c.pending)
	snapshot.Values(v, c.Bits.Slice(0, c.Bits.N))
	snapshot.Values(v, c.Summary.Slice(0, c.Summary.N))
	snapshot.List(v, &c.far)
}
