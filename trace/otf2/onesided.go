package otf2

import (
	"fmt"

	"fabricast/trace"
)

// access handles the event of a put, a get or an atomic operation. An accumulate is replayed as a
// put, other atomic operations as gets of the data they return.
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
	if c.foreign { // such as a copy from or to a device
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

// contextOfPuts is that of the program's puts in trace.MessageOptions.
const contextOfPuts = 2

// ownAccess sets a put or get from its attributes, in an archive of this package.
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

// oneSided returns the request of a one-sided operation by the number that matches it with its
// completion. These numbers have nothing to do with those of messages.
func (s *stream) oneSided(matching uint64) uint64 {
	const others = 1 << 63
	if s.source.own {
		return matching
	}
	return matching | others
}

// windowCollective handles the end of a window's collective, such as a fence.
func (s *stream) windowCollective(f *fields) error {
	op := uint64(f.u8())
	f.uint() // what it synchronizes
	number, root := global(&s.local.windows, f.uint()), f.uint()
	sent, received := int64(f.uint()), int64(f.uint())
	comm, defined := s.source.def.windows.get(number)
	if !defined || f.wrong {
		s.call.unsupported = true
		return nil
	}
	return s.collectiveOf(op, comm, root, sent, received)
}
