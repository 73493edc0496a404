package node

import "fabricast/fabric"

// changeWord applies a request to its word, and makes the NIC answer it.
func (s *rma) changeWord(id fabric.MsgID, m *fabric.Message) completion {
	x := s.transport.Extra(id)
	r := &s.ranks[s.world.slot(x.Rank)]
	memory, ok := s.memory(r, m.SrcRank, Atomic, x)
	handle, sent, at, origin := x.Local, m.Sent, arrival(m), m.SrcRank
	isLocal := local(m)
	value := int64(0)
	if ok && len(memory) > 0 {
		s.journal.atPlace(recChanged, r, x, x.Value[2], x.Value[0], x.Value[1])
		ok = s.failures.guarded(
			r,
			at,
			toChange,
			memory,
			func() { value = change(memory, Change(x.Value[2]), x.Value[0], x.Value[1]) },
		)
	}
	if !ok {
		s.transport.Release(id)
		return completion{}
	}
	if !isLocal {
		reply, found := s.outbox.reply(m, s.schedule.now)
		found.Flags |= atomicFound
		found.SrcRank, found.Size, found.Sent = r.id, wordBytes, sent
		e := s.transport.Attach(reply)
		e.Local, e.Rank, e.Value[0] = handle, origin, value
	}
	r.counters.sentMessages++
	r.counters.sentBytes += wordBytes
	s.transport.Release(id)
	if !isLocal {
		return completion{}
	}
	return s.found(r.id, handle, value, sent, at)
}

// wordComesIn completes an atomic operation whose answer has arrived.
func (s *rma) wordComesIn(id fabric.MsgID, m *fabric.Message) completion {
	x := s.transport.Extra(id)
	source, handle, value, sent, at := m.SrcRank, x.Local, x.Value[0], m.Sent, arrival(m)
	s.transport.Release(id)
	return s.found(source, handle, value, sent, at)
}

// found completes an atomic operation of one of the block's ranks.
func (s *rma) found(source int32, handle uint32, value, sent, at int64) completion {
	q := s.requests.receives.at(indexOf(handle))
	r := &s.ranks[q.slot()]
	s.stats.delivered(source, r.id, NoTag, wordBytes, sent, at)
	r.counters.receivedMessages++
	r.counters.receivedBytes += wordBytes
	s.requests.setSize(q, value)
	return completion{handle, at}
}
