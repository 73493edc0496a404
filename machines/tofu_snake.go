package machines

// longestFold is the length of the longest ring that is one axis folded across two: an axis X of 24,
// forth and back.
const longestFold = 48

// snakeLayout is a job whose rings are too long for one folded axis.
type snakeLayout struct {
	dims  [6]int // lengths of X, Y, Z, a, c, b
	axes  []int  // dimensions of the rings, as mapping.axes
	rings []int  // numbers of axes of the rings, as mapping.rings
}

// Dimensions of a Tofu interconnect in routing order.
const (
	tofuX = iota
	tofuY
	tofuZ
	tofuA
	tofuC
	tofuB
)

// tofuSnake returns the layout of a job of one or two virtual dimensions of which at least one is
// longer than longestFold, or nil if there is none. A single long ring consists of rings, each Y
// folded across b, one after the other along Z folded across c; the other ring is X folded across a.
// Of two long rings, the first is X forth and back across a and c, the second Y across b and two of Z,
// as measurements of 64x64 nodes suggest (docs/validation/fugaku.md).
func tofuSnake(shape []int) *snakeLayout {
	long := 0
	for _, n := range shape {
		if n > longestFold {
			long++
		}
	}
	switch {
	case long == 0 || len(shape) > 2:
		return nil
	case long == 2:
		return twoSnakes(shape[0], shape[1])
	}
	s := &snakeLayout{dims: [6]int{1, 1, 1, 1, 1, 1}}
	for _, n := range shape {
		if n > longestFold {
			inner, outer := evenFactors(n)
			if inner == 0 {
				return nil
			}
			s.dims[tofuY], s.dims[tofuB], s.dims[tofuZ], s.dims[tofuC] = inner/2, 2, outer/2, 2
			s.axes = append(s.axes, tofuY, tofuB, tofuZ, tofuC)
			s.rings = append(s.rings, 4)
			continue
		}
		s.dims[tofuX] = n
		if n%2 == 0 {
			s.dims[tofuX], s.dims[tofuA] = n/2, 2
		}
		s.axes = append(s.axes, tofuX, tofuA)
		s.rings = append(s.rings, 2)
	}
	if len(shape) == 1 {
		s.axes = append(s.axes, tofuX, tofuA)
		s.rings = append(s.rings, 2)
	}
	return s
}

// twoSnakes returns the layout of two rings that are both long.
func twoSnakes(first, second int) *snakeLayout {
	if first%4 != 0 || second%4 != 0 || max(first, second)/4 > longestFold/2 {
		return nil
	}
	return &snakeLayout{
		dims:  [6]int{first / 4, second / 4, 2, 2, 2, 2},
		axes:  []int{tofuX, tofuA, tofuC, tofuY, tofuB, tofuZ},
		rings: []int{3, 3},
	}
}

// evenFactors returns the two even numbers whose product is n that differ least, the greater one
// first, or zeros if there are none or one does not fit on the machine.
func evenFactors(n int) (inner, outer int) {
	for outer = 2; outer*outer <= n; outer += 2 {
		if n%(2*outer) == 0 {
			inner = n / outer
		}
	}
	if inner == 0 || inner > longestFold {
		return 0, 0
	}
	return inner, n / inner
}
