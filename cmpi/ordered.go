package cmpi

import (
	"slices"
	"unsafe"

	"fabricast/cmpi/internal/host"
	"fabricast/node"
)

// One-sided operations that come after others are carried out by a strand: the rank goes on.

// follow notes what the strand's operations must come after.
func (s *strand) follow() {
	s.after = s.after[:0]
	if c := s.call; c.What == host.Ordered {
		s.after = append(s.after, unsafe.Slice((**host.Request)(unsafe.Pointer(c.Recv)), c.RecvSize)...)
	}
}

// follows tells whether the strand waits for operations of the rank. Those that are done may be given back.
func (s *strand) follows() bool {
	s.after = slices.DeleteFunc(s.after, func(q *host.Request) bool { return q.Done != 0 })
	return len(s.after) > 0
}

// ordered carries the operations out, one after the other.
func (s *strand) ordered() {
	c := s.call
	for i := range c.SendSize {
		o := at((*host.Op)(unsafe.Pointer(c.Send)), int(i))
		s.fit(1)
		s.WaitAll([]node.Request{s.program.access(o, buffer(o.Data, o.Size, o.Omit != 0))})
	}
}
