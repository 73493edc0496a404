package cmpi

import (
	"unsafe"

	"fabricast/cmpi/internal/datatypes"
	"fabricast/cmpi/internal/host"
	"fabricast/node"
)

// Parts of collectives in which every rank has types of its own carry, as messages of the program
// do, what their bytes are. Whoever takes them compares that with its own type.

// mark returns the mark of the contents that the rank sends as part i.
func (c *comm) mark(i int) uint64 {
	if list := c.call.Marks; list != nil {
		return *at(list, i)
	}
	return c.call.Mark
}

// takes returns the signature of the datatype with which the rank receives part i.
func (c *comm) takes(i int) datatypes.Signature {
	if list := c.call.Takes; list != nil {
		return datatypes.Signature(*at(list, i))
	}
	return datatypes.Signature(c.call.Taken)
}

// at returns a pointer to element i of an array of the C side.
func at[T any](list *T, i int) *T {
	var zero T
	return (*T)(unsafe.Add(unsafe.Pointer(list), uintptr(i)*unsafe.Sizeof(zero)))
}

// isendMarked is like Isend for contents with a mark.
func (c *comm) isendMarked(buf node.Buf, mark uint64, dst, tag int) node.Request {
	return c.isendWith(buf, mark, dst, tag, node.Options{})
}

// isendWith is like isendMarked with options.
func (c *comm) isendWith(buf node.Buf, mark uint64, dst, tag int, o node.Options) node.Request {
	c.fit(1)
	if buf.HasData() && buf.Len() > 0 {
		c.job.announceMark(mark)
		c.ops.Mark(mark)
	}
	if o == (node.Options{}) {
		return c.ops.Send(buf, c.world(dst), c.rank, c.tag(tag), c.sends+node.Collectives)
	}
	return c.ops.SendWith(buf, c.world(dst), c.rank, c.tag(tag), c.sends+node.Collectives, o)
}

// irecvTyped is like Irecv for contents that originate from rank first and are received with the
// datatype of signature takes.
func (c *comm) irecvTyped(buf node.Buf, takes datatypes.Signature, first, src, tag int) (node.Request, *receipt) {
	c.fit(1)
	r := c.receipts.take()
	r.room, r.takes, r.giver = int64(buf.Len()), takes, c.world(first)
	return c.ops.RecvTo(buf, &r.Delivery, int32(src), c.tag(tag), c.receives+node.Collectives), r
}

// sendPart and recvPart transfer part i.
func (c *comm) sendPart(buf node.Buf, i, dst, tag int) node.Request {
	return c.isendMarked(buf, c.mark(i), dst, tag)
}

func (c *comm) recvPart(buf node.Buf, i, src, tag int) node.Request {
	q, _ := c.irecvTyped(buf, c.takes(i), src, src, tag)
	return q
}

// keep copies part i, which a rank sends to itself.
func (c *comm) keep(dst, src node.Buf, i int) {
	move(dst, src)
	if src.HasData() {
		c.compare(c.mark(i), c.takes(i), int64(min(src.Len(), dst.Len())), c.world(c.Rank()))
	}
}

// compare checks that contents are received with a datatype that matches the sender's, which mark
// holds. It reports the first mismatch of a call to the C side. giver is the world rank of the
// sender.
func (c *comm) compare(mark uint64, takes datatypes.Signature, bytes int64, giver int32) {
	call := c.call
	given := datatypes.Of(mark)
	if given == takes.Number() || mark == 0 || takes == 0 || call.WrongMark != 0 || c.untyped {
		return
	}
	if !host.SameBytes(given, takes.Number(), bytes) {
		call.WrongMark, call.WrongTaken, call.WrongBytes, call.WrongSource = mark, int32(takes), bytes, giver
	}
}
