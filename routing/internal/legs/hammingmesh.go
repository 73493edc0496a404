package legs

import (
	"fabricast/routing/internal/headers"
	"fabricast/topology"
)

// hammingLeg is routing by shortest ways on a HammingMesh, first along x, then along y: to the nearer
// edge of the board, by the switches of the line to the nearer edge of the other board, and there to
// the accelerator's place. Within a board packets go straight, or out and in again where this is
// shorter. A hash of the flow chooses between edges that are equally near, and among links up.
//
// There are two channel classes: until packets come down from a line's switches, and from there on
// until they turn into the other dimension. So packets wait for others only on the way to the
// switches, then up, down, and away from them: never in a cycle. On boards of at most two accelerators
// a side, packets come down where they leave the line, and one class is enough.
type hammingLeg struct {
	net     *topology.HammingMesh
	classes int
}

var _ = register(func(h *topology.HammingMesh, between Ends) (Leg, error) {
	if between == AnyEnds {
		return NewTable(h.Graph(), true, between)
	}
	if max(h.Length(0), h.Length(1)) <= 2 {
		return hammingLeg{h, 1}, nil
	}
	return hammingLeg{h, 2}, nil
})

func (l hammingLeg) Classes() int { return l.classes }

// toSwitch returns the class of hops to a line's switches, and up from them.
func (l hammingLeg) toSwitch() uint16 { return uint16(l.classes - 1) }

func (l hammingLeg) Distance(at, to int32) int {
	if int(at) >= l.net.Accelerators() {
		return l.net.FromSwitch(int(at), int(to))
	}
	return l.net.Along(0, int(at), int(to)) + l.net.Along(1, int(at), int(to))
}

func (l hammingLeg) Next(at, to int32, flow uint64) Hop {
	first, n, class := l.Onward(at, to)
	if n == 0 {
		panic("routing: a hop from a router to itself")
	}
	if n > 1 {
		first += uint32(headers.Pick(flow, at, int(n)))
	}
	return Hop{Port: uint16(first), Class: class}
}

func (l hammingLeg) Ways(at, to int32, list []Candidate) []Candidate {
	first, n, class := l.Onward(at, to)
	return inRow(first, n, class, list)
}

// Onward implements RowLeg.
func (l hammingLeg) Onward(at, to int32) (first, n uint32, class uint16) {
	if int(at) >= l.net.Accelerators() {
		return l.across(int(at), int(to))
	}
	for d := range 2 {
		if first, n, class = l.along(d, int(at), int(to)); n > 0 {
			break
		}
	}
	return first, n, class
}

// along returns the ports of an accelerator toward another along dimension d; none if it is there.
func (l hammingLeg) along(d, at, to int) (first, n uint32, class uint16) {
	board, place := l.net.Place(at, d)
	other, target := l.net.Place(to, d)
	up := uint32(2 * d)
	if board == other {
		switch links := l.net.Along(d, at, to); links {
		case 0:
			return 0, 0, 0
		case target - place:
			return up, 1, 0
		case place - target:
			return up + 1, 1, 0
		}
	}
	first, n = l.nearer(up, d, place)
	return first, n, l.toSwitch()
}

// nearer returns which of two ports, first that of the upper edge, is that of the edge of a board
// along dimension d which is nearer to a place; both if they are equally near.
func (l hammingLeg) nearer(first uint32, d, place int) (port, n uint32) {
	switch up, down := l.net.Length(d)-place, place+1; {
	case up < down:
		return first, 1
	case down < up:
		return first + 1, 1
	}
	return first, 2
}

// across returns the ports of a switch toward an accelerator.
func (l hammingLeg) across(at, to int) (first, n uint32, class uint16) {
	d, _, i := l.net.Switch(at)
	board, place := l.net.Place(to, d)
	leaf, port := l.net.Leaf(d, board)
	leaves, _ := l.net.Leaves(d)
	switch {
	case i >= leaves:
		from, count := l.net.Down(d, i-leaves, leaf)
		return uint32(from), uint32(count), 0
	case i != leaf:
		from, count := l.net.Up(d)
		return uint32(from), uint32(count), l.toSwitch()
	}
	first, n = l.nearer(uint32(port), d, place)
	return first, n, 0
}
