package otf2

import (
	"fmt"

	"fabricast/trace"
)

// access handles the event of a put, get or atomic operation. An accumulate becomes a put; any
// other atomic operation becomes a get of the data that it returns.
func (s *stream) access(kind byte, f *fields) error {
	const accumulate = 0
	number, peer := global(&s.local.windows, f.uint()), f.uint()
	operation := byte(accumulate)
	if kind == evRmaAtomic {
		operation = f.u8()
	}
	size := f.uint()
	if kind == evRmaAtomic {
		if received := f.uint(); operation != accumulate {
			size = max(received, 1)
		}
	}
	matching := f.uint64()
	comm, defined := s.source.def.windows.get(number)
	c, found := s.source.communicators.get(comm)
	if !defined || !found || f.wrong {
		s.call.unsupported = true
		return nil
	}
	if c.foreign { // such as a copy to or from a device
		return nil
	}
	r := trace.Record{Kind: trace.Put, Message: trace.Message{
		Tag: trace.NoTag, Group: c.group, Size: int64(min(size, 1<<62)), Request: s.oneSided(matching),
		Options: trace.MessageOptions{Context: contextOfPuts},
	}}
	if kind == evRmaGet || operation != accumulate {
		r.Kind = trace.Get
	}
	var known bool
	if r.Message.Peer, known = s.source.world(c, s.rank, peer); !known {
		return s.events.fail("rank of a one-sided operation", fmt.Sprint(peer), "a rank of the window")
	}
	if s.source.own {
		s.ownAccess(&r)
	}
	s.call.accesses = append(s.call.accesses, r)
	return nil
}

// contextOfPuts is the trace.MessageOptions.Context of puts of the program.
const contextOfPuts = 2

// ownAccess sets the fields of r, a put or get in an archive written by this package, from the
// attributes of its event.
func (s *stream) ownAccess(r *trace.Record) {
	a, m := &s.attributes, &r.Message
	m.Group, m.Options.Context = 0, 0
	a.options(&m.Options)
	if r.Kind == trace.Get {
		return
	}
	m.Options.Context = a.context(contextOfPuts)
	if c, found := s.source.communicators.get(global(&s.local.communicators, a.values[atComm])); found && a.has(atComm) {
		m.Group = c.group
	}
	if a.has(atTag) {
		m.Tag = int32(a.values[atTag])
	}
}

// oneSided returns the request of a one-sided operation. matching is the ID that the operation and
// its completion event share. These IDs are independent of the request IDs of messages, so the
// result differs from all of them.
func (s *stream) oneSided(matching uint64) uint64 {
	const others = 1 << 63
	if s.source.own {
		return matching
	}
	return matching | others
}

// windowCollective handles the end of a collective on an RMA window, such as a fence.
func (s *stream) windowCollective(f *fields) error {
	op := uint64(f.u8())
	f.uint() // synchronization level
	number, root := global(&s.local.windows, f.uint()), f.uint()
	sent, received := int64(f.uint()), int64(f.uint())
	comm, defined := s.source.def.windows.get(number)
	if !defined || f.wrong {
		s.call.unsupported = true
		return nil
	}
	return s.collectiveOf(op, comm, root, sent, received)
}
