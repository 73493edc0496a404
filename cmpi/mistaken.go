package cmpi

import (
	"unsafe"

	"fabricast/cmpi/internal/host"
	"fabricast/node"
)

// Parts of collectives in which every rank has types of its own carry, as messages of the program do, what their bytes are. Whoever
// takes them compares that with its own type.

// markShift is where in a mark the signature lies.
const markShift = 48

// mark is that of the contents that the rank gives as its ith part.
func (s *strand) mark(i int) uint64 {
	if c := s.call; c.Marks != nil {
		return *at(c.Marks, i)
	}
	return s.call.Mark
}

// takes is what the rank takes the ith part for.
func (s *strand) takes(i int) signature {
	if c := s.call; c.Takes != nil {
		return signature(*at(c.Takes, i))
	}
	return signature(s.call.Taken)
}

// at is an element of a list of the C side.
func at[T any](list *T, i int) *T {
	var zero T
	return (*T)(unsafe.Add(unsafe.Pointer(list), uintptr(i)*unsafe.Sizeof(zero)))
}

// isendMarked is Isend for contents with a mark.
func (s *strand) isendMarked(buf node.Buf, mark uint64, dst, tag int) node.Request {
	return s.isendWith(buf, mark, dst, tag, node.Options{})
}

// isendWith is isendMarked with options.
func (s *strand) isendWith(buf node.Buf, mark uint64, dst, tag int, o node.Options) node.Request {
	s.fit(1)
	if buf.HasData() && buf.Len() > 0 {
		s.ops.Mark(mark)
	}
	if o == (node.Options{}) {
		return s.ops.Send(buf, s.world(dst), s.rank, s.tag(tag), s.sends+node.Collectives)
	}
	return s.ops.SendWith(buf, s.world(dst), s.rank, s.tag(tag), s.sends+node.Collectives, o)
}

// irecvTyped is Irecv for contents that come from a rank, if not first, and are taken for something.
func (s *strand) irecvTyped(buf node.Buf, takes signature, first, src, tag int) (node.Request, *receipt) {
	s.fit(1)
	r := s.receipt()
	r.room, r.takes, r.giver = int64(buf.Len()), takes, s.world(first)
	return s.ops.RecvTo(buf, &r.Told, int32(src), s.tag(tag), s.receives+node.Collectives), r
}

// sendPart and recvPart move the ith part.
func (s *strand) sendPart(buf node.Buf, i, dst, tag int) node.Request {
	return s.isendMarked(buf, s.mark(i), dst, tag)
}

func (s *strand) recvPart(buf node.Buf, i, src, tag int) node.Request {
	q, _ := s.irecvTyped(buf, s.takes(i), src, src, tag)
	return q
}

// keep moves what a rank gives itself: its ith part.
func (s *strand) keep(dst, src node.Buf, i int) {
	move(dst, src)
	if src.HasData() {
		s.compare(s.mark(i), s.takes(i), int64(min(src.Len(), dst.Len())), s.world(s.Rank()))
	}
}

// compare tells the C side of the first bytes that are taken for something else than their giver has said.
func (s *strand) compare(mark uint64, takes signature, bytes int64, giver int32) {
	c := s.call
	given := int32(mark >> markShift)
	if given == takes.number() || mark == 0 || takes == 0 || c.WrongMark != 0 || s.program.block.job.options.Types == TypesIgnored {
		return
	}
	if !host.SameBytes(given, takes.number(), bytes) {
		c.WrongMark, c.WrongTaken, c.WrongBytes, c.WrongSource = mark, int32(takes), bytes, giver
	}
}
