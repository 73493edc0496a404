package cmpi

import (
	"slices"
	"unsafe"

	"fabricast/cmpi/internal/host"
	"fabricast/node"
)

// One-sided operations that come after others are carried out by a strand: the rank goes on.

// predecessors are a rank's operations that must be complete before a call's own operations may
// start.
type predecessors []*host.Request

// of stores the predecessors of a call.
func (a *predecessors) of(c *host.Call) {
	*a = (*a)[:0]
	if c.What == host.Ordered {
		*a = append(*a, unsafe.Slice((**host.Request)(unsafe.Pointer(c.Recv)), c.RecvSize)...)
	}
}

// wait reports whether some predecessors are not complete. It forgets those that are.
func (a *predecessors) wait() bool {
	*a = slices.DeleteFunc(*a, func(q *host.Request) bool { return q.Done != 0 })
	return len(*a) > 0
}

// ordered executes the strand's operations one after the other.
func (s *strand) ordered() {
	c := s.call
	for i := range c.SendSize {
		o := at((*host.Op)(unsafe.Pointer(c.Send)), int(i))
		s.comm.fit(1)
		s.comm.WaitAll([]node.Request{s.program.access(o, buffer(o.Data, o.Size, o.Omit != 0))})
	}
}
