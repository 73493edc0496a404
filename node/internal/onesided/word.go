package onesided

import (
	"fabricast/fabric"
	"fabricast/node/internal/core"
	"fabricast/node/internal/journal"
	"fabricast/node/internal/model"
)

// ChangeWord executes a request on its word, and makes the NIC reply.
func (s *RMA) ChangeWord(id fabric.MsgID, m *fabric.Message) core.Completion {
	x := s.Transport.Extra(id)
	r := &s.Ranks[s.World.Slot(x.Rank)]
	memory, ok := s.memory(r, m.SrcRank, model.Atomic, x)
	handle, sent, at, origin := x.Local, m.Sent, core.Arrival(m), m.SrcRank
	isLocal := core.Local(m)
	value := int64(0)
	if ok && len(memory) > 0 {
		s.Journal.AtPlace(journal.RecChanged, r, x, x.Value[2], x.Value[0], x.Value[1])
		ok = s.Failures.Guarded(
			r,
			at,
			core.ToChange,
			memory,
			func() { value = core.ChangeWord(memory, model.Change(x.Value[2]), x.Value[0], x.Value[1]) },
		)
	}
	if !ok {
		s.Transport.Release(id)
		return core.Completion{}
	}
	if !isLocal {
		reply, found := s.Outbox.Reply(m, s.Schedule.Now)
		found.Flags |= core.AtomicAnswer
		found.SrcRank, found.Size, found.Sent = r.ID, core.WordBytes, sent
		e := s.Transport.Attach(reply)
		e.Local, e.Rank, e.Value[0] = handle, origin, value
	}
	r.Counters.SentMessages++
	r.Counters.SentBytes += core.WordBytes
	s.Transport.Release(id)
	if !isLocal {
		return core.Completion{}
	}
	return s.found(r.ID, handle, value, sent, at)
}

// WordArrived completes an atomic operation whose reply has arrived.
func (s *RMA) WordArrived(id fabric.MsgID, m *fabric.Message) core.Completion {
	x := s.Transport.Extra(id)
	source, handle, value, sent, at := m.SrcRank, x.Local, x.Value[0], m.Sent, core.Arrival(m)
	s.Transport.Release(id)
	return s.found(source, handle, value, sent, at)
}

// found completes an atomic operation of one of the block's ranks.
func (s *RMA) found(source int32, handle uint32, value, sent, at int64) core.Completion {
	q := s.Requests.Receives.At(core.IndexOf(handle))
	r := &s.Ranks[q.Slot()]
	s.Stats.Delivered(source, r.ID, model.NoTag, core.WordBytes, sent, at)
	r.Counters.ReceivedMessages++
	r.Counters.ReceivedBytes += core.WordBytes
	s.Requests.SetSize(q, value)
	return core.Completion{Handle: handle, At: at}
}
