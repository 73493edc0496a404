package onesided

import (
	"fabricast/fabric"
	"fabricast/node/internal/core"
	"fabricast/node/internal/journal"
	"fabricast/node/internal/model"
	"fabricast/node/internal/schedule"
)

// Combine combines received data with the rank's memory, in the order of issue, and makes the NIC
// reply.
func (s *RMA) Combine(keeper *core.Rank, id fabric.MsgID, m *fabric.Message) core.Completion {
	x := s.Transport.Extra(id)
	r := &s.Ranks[s.World.Slot(x.Rank)]
	if s.World.Spec.Overtaking && !core.Local(m) && !s.Sums.InTurn(keeper, schedule.Pair{From: m.SrcRank, To: r.ID}, id, m) {
		return core.Completion{}
	}
	var data []byte
	if m.Payload != 0 {
		data = s.World.Payloads.View(m.Payload).Data
		defer s.World.Payloads.Drop(m.Payload)
	}
	memory, ok := s.memory(r, m.SrcRank, model.Atomic, x)
	if !ok {
		s.Transport.Release(id)
		return core.Completion{}
	}
	was := uint32(0)
	if core.KindOf(m) == core.ExchangeData {
		was, ok = s.snapshot(r, m.SrcRank, core.Arrival(m), memory, x)
	}
	s.Journal.AtPlaceWith(journal.RecCombined, r, x, m.Payload, x.Value[2])
	if ok && len(memory) > 0 && len(data) > 0 {
		with, _ := s.World.Combinations.Of(x.Value[2])
		ok = s.Failures.Guarded(
			r,
			core.Arrival(m),
			core.ToChange,
			memory,
			func() { with.Combine(memory, data) },
		)
	}
	if !ok {
		s.Transport.Release(id)
		return core.Completion{}
	}
	s.Schedule.Rouse(r)
	if core.KindOf(m) == core.ExchangeData {
		return s.bringBack(r, id, m, was)
	}
	return s.combined(r, id, m, x.Local)
}

// combined completes an operation that returns no data.
func (s *RMA) combined(r *core.Rank, id fabric.MsgID, m *fabric.Message, handle uint32) core.Completion {
	at, isLocal := core.Arrival(m), core.Local(m)
	s.Stats.Delivered(m.SrcRank, r.ID, model.NoTag, m.Size, m.Sent, at)
	r.Counters.ReceivedMessages++
	r.Counters.ReceivedBytes += m.Size
	if !isLocal {
		s.answerDone(m, handle)
	}
	s.Transport.Release(id)
	if !isLocal {
		return core.Completion{}
	}
	return core.Completion{Handle: handle, At: at}
}
