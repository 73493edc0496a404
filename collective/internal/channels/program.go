package channels

import "fabricast/node"

// Program is what a group of threads of a rank does in a channel: one step after the other.
type Program struct {
	Channel int
	// Phase orders the programs of a rank that has no threads: those of lower phases do not wait for
	// messages that depend on higher ones.
	Phase int
	Steps int
	Step  func(i int) Step
	// Acc is the buffer from which data is sent, and into which it is received or combined.
	Acc node.Buf
	// Stream is nil unless the steps pass the switches of a tree.
	Stream *Stream
}

// Step is a step of a program: data is received from all of From, combined with what is there or
// put in its place, and sent to all of To.
type Step struct {
	From, To []int32
	Part     // of the buffer, on which threads work
	Combine  bool
	// Whole is set if Part is one of the parts of a chunk whose lines follow one another.
	Whole Whole
	// Gives and Takes say what the rank does in a step of a stream: give an operand, take the result.
	Gives, Takes bool
	After        After
}

// After says that a step waits until so many steps of another program of the rank are complete.
type After struct{ Program, Steps int }

// Part is a part of a buffer, in bytes.
type Part struct{ At, N int }

// Whole is a chunk that threads of a node pass on in parts, and processors of others as a whole. The zero
// Whole is none.
type Whole struct {
	Chunk        Part
	Index, Parts int // the part on which a step works, and their number
}

// received returns what a step receives from another rank, nothing if ok is false.
func (m *Step) received(near bool) (of Part, ok bool) { return m.travels(near, m.Whole.Index == 0) }

// sent returns likewise what a step sends to another rank.
func (m *Step) sent(near bool) (of Part, ok bool) {
	return m.travels(near, m.Whole.Index == m.Whole.Parts-1)
}

// travels returns what travels in a step: of a chunk in parts its part or, to and from ranks of other
// nodes, all of it if whole is set, else nothing.
func (m *Step) travels(near, whole bool) (of Part, ok bool) {
	switch {
	case m.Whole.Parts == 0:
		return m.Part, true
	case near:
		return m.Part, m.N > 0 || m.Whole.Index == 0
	}
	return m.Whole.Chunk, whole
}
