package node

import "fabricast/fabric"

// combine combines received data with the rank's memory, in the order of issue, and makes the NIC
// answer.
func (s *rma) combine(keeper *rank, id fabric.MsgID, m *fabric.Message) completion {
	x := s.transport.Extra(id)
	r := &s.ranks[s.world.slot(x.Rank)]
	if s.world.spec.Overtaking && !local(m) && !s.sums.inTurn(keeper, pair{m.SrcRank, r.id}, id, m) {
		return completion{}
	}
	var data []byte
	if m.Payload != 0 {
		data = s.world.payloads.view(m.Payload).data
		defer s.world.payloads.drop(m.Payload)
	}
	memory, ok := s.memory(r, m.SrcRank, Atomic, x)
	if !ok {
		s.transport.Release(id)
		return completion{}
	}
	was := uint32(0)
	if kindOf(m) == exchangeData {
		was, ok = s.snapshot(r, m.SrcRank, arrival(m), memory, x)
	}
	s.journal.atPlaceWith(recCombined, r, x, m.Payload, x.Value[2])
	if ok && len(memory) > 0 && len(data) > 0 {
		with, _ := s.world.combinations.of(x.Value[2])
		ok = s.failures.guarded(
			r,
			arrival(m),
			toChange,
			memory,
			func() { with.combine(memory, data) },
		)
	}
	if !ok {
		s.transport.Release(id)
		return completion{}
	}
	s.schedule.rouse(r)
	if kindOf(m) == exchangeData {
		return s.bringBack(r, id, m, was)
	}
	return s.combined(r, id, m, x.Local)
}

// combined completes an operation that returns no data.
func (s *rma) combined(r *rank, id fabric.MsgID, m *fabric.Message, handle uint32) completion {
	at, isLocal := arrival(m), local(m)
	s.stats.delivered(m.SrcRank, r.id, NoTag, m.Size, m.Sent, at)
	r.counters.receivedMessages++
	r.counters.receivedBytes += m.Size
	if !isLocal {
		s.answerDone(m, handle)
	}
	s.transport.Release(id)
	if !isLocal {
		return completion{}
	}
	return completion{handle, at}
}
