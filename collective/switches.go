package collective

import "fabricast/node"

// Trees says how the ranks of a communicator use the switches of a network, which reduce and copy along
// aggregation trees. All ranks have the same.
type Trees struct {
	Code    int  // of the first tree; those of the other lanes follow
	Lanes   int  // number of trees, over which segments are dealt
	Window  int  // segments that a collective may have under way in each tree
	Payload int  // size of the largest segment in bytes
	Reduces bool // otherwise switches only copy
	// Full: switches have no room for a tree of these ranks, which do without.
	Full bool
}

// Contributor is a Comm whose ranks can use the switches (see Layout.Trees). For each segment of a
// collective, every rank calls Contribute and Collect once.
type Contributor interface {
	Comm
	// Contribute sends the rank's operand of a segment to the switches, or a message without contents if
	// it has none.
	Contribute(operand node.Buf, s Segment, tag int) node.Request
	// Collect receives the result; nothing if the rank does not want it.
	Collect(result node.Buf, s Segment, tag int) node.Request
	// Combines reports whether switches can apply an operation to contents.
	Combines(op *Op) bool
}

// Segment is a segment of a collective, as switches need to know it.
type Segment struct {
	Code   int // of its tree
	Lane   int
	Number int  // in the collective
	Member int  // number of the rank among those of the tree
	Wanted bool // the rank wants the result
	Op     *Op  // of a reduction with contents; else nil
}

// The tags of messages to and from switches have the tree's code above those of all others. Segments are
// numbered modulo segmentNumbers; the bit above them says that the sender wants the result.
const (
	codeShift      = 24
	segmentNumbers = 1 << 15
)

// MostCodes is the largest number of trees of a rank.
const MostCodes = 1<<(31-codeShift) - 2

// TreeTag returns the tag of a collective's messages in the tree with a code.
func TreeTag(tag int32, code int) int32 { return tag | int32(code+1)<<codeShift }

// TreeCode returns the code of the tree that a tag names.
func TreeCode(tag int32) int { return int(tag>>codeShift) - 1 }

// Mark returns the number of a segment in its messages.
func (s *Segment) Mark() uint16 {
	n := uint16(s.Number % segmentNumbers)
	if s.Wanted {
		n |= segmentNumbers
	}
	return n
}

// SegmentOf returns the number of a segment modulo some number, and whether its sender wants the result.
func SegmentOf(mark uint16) (number uint16, wanted bool) {
	return mark % segmentNumbers, mark >= segmentNumbers
}

// Options returns the options of the message that carries a segment to the switches from a host with
// some NICs. combination is that of the contents.
func (s *Segment) Options(nics int, combination int64) node.Options {
	return node.Options{NIC: 1 + s.Lane%nics, Tree: 1 + uint32(s.Mark()), Combination: combination}
}
