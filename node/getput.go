package node

import "fabricast/fabric"

// putData writes a put's data to the rank's memory and makes the NIC confirm it to the origin. It
// returns false if the data does not fit there.
func (s *rma) putData(r *rank, source int32, id fabric.MsgID, m *fabric.Message, x *fabric.Extra) bool {
	s.stats.delivered(source, r.id, m.Tag, m.Size, m.Sent, arrival(m))
	if x.Remote != 0 || m.Tag == NoTag {
		memory, ok := s.memory(r, source, Put, x)
		if !ok {
			return false
		}
		s.journal.atPlaceWith(recPut, r, x, m.Payload)
		s.failures.deposit(r, arrival(m), toPut, memory, m.Payload)
		m.Payload = 0
		s.schedule.rouse(r)
	}
	if !local(m) {
		s.answerDone(m, x.Local)
	}
	return true
}

// getRequested makes the NIC send the data that a request asks for.
func (s *rma) getRequested(id fabric.MsgID, m *fabric.Message) completion {
	x := s.transport.Extra(id)
	r := &s.ranks[s.world.slot(x.Rank)]
	memory, ok := s.memory(r, m.SrcRank, Get, x)
	if !ok {
		s.transport.Release(id)
		return completion{}
	}
	payload, ok := s.snapshot(r, m.SrcRank, arrival(m), memory, x)
	if !ok {
		s.transport.Release(id)
		return completion{}
	}
	return s.bringBack(r, id, m, payload)
}

// snapshot copies what a rank's memory holds now for a message to another rank, as a combination
// gathers it, if the memory has contents. It returns false if the memory is not mapped.
func (s *rma) snapshot(
	r *rank, to int32, at int64, memory []byte, x *fabric.Extra,
) (payload uint32, ok bool) {
	if len(memory) == 0 {
		return 0, true
	}
	ok = s.failures.guarded(
		r,
		at,
		toFetch,
		memory,
		func() { payload = s.world.payloads.put(r.id, s.world.combinations.gather(memory, x.Value[2]), 0) },
	)
	s.journal.atPlace(recFetched, r, x, x.Value[2], int64(to))
	s.journal.stowed(payload)
	return payload, ok
}

// bringBack makes the NIC answer a request with data of the rank, and releases the request.
func (s *rma) bringBack(r *rank, id fabric.MsgID, m *fabric.Message, payload uint32) completion {
	x := s.transport.Extra(id)
	handle, size, sent, at, isLocal := x.Local, x.Length, m.Sent, arrival(m), local(m)
	gap := x.Gap
	if kindOf(m) == getRequest {
		gap = uint32(x.Value[valueGap])
	}
	r.counters.sentMessages++
	r.counters.sentBytes += size
	if !isLocal {
		answer, data := s.outbox.reply(m, s.schedule.now)
		data.Flags |= getData
		data.SrcRank, data.Context = r.id, int32(handle)
		data.Size, data.Payload, data.Sent = size, payload, sent
		if gap > 0 {
			s.transport.Attach(answer).Gap = gap
		}
	}
	s.transport.Release(id)
	if !isLocal {
		return completion{}
	}
	return s.got(r.id, handle, size, sent, at, payload)
}

// getComesIn completes a get whose data has arrived in memory.
func (s *rma) getComesIn(id fabric.MsgID, m *fabric.Message) completion {
	answer := *m
	s.transport.Release(id)
	return s.got(
		answer.SrcRank, uint32(answer.Context), answer.Size, answer.Sent, arrival(&answer), answer.Payload,
	)
}

// got completes a get of one of the block's ranks.
func (s *rma) got(source int32, handle uint32, size, sent, at int64, payload uint32) completion {
	q := s.requests.receives.at(indexOf(handle))
	r := &s.ranks[q.slot()]
	s.stats.delivered(source, r.id, NoTag, size, sent, at)
	r.counters.receivedMessages++
	r.counters.receivedBytes += size
	s.journal.met(s.requests.buffer(q), payload, nil, Envelope{})
	buffer, _ := s.requests.takeBuffer(q)
	s.failures.deposit(r, at, toReceive, buffer, payload)
	return completion{handle, at}
}
