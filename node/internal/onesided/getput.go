package onesided

import (
	"fabricast/fabric"
	"fabricast/node/internal/core"
	"fabricast/node/internal/journal"
	"fabricast/node/internal/model"
)

// PutData writes a put's data to the rank's memory and makes the NIC acknowledge it to the origin.
// It returns false if the access is out of bounds.
func (s *RMA) PutData(r *core.Rank, source int32, id fabric.MsgID, m *fabric.Message, x *fabric.Extra) bool {
	s.Stats.Delivered(source, r.ID, m.Tag, m.Size, m.Sent, core.Arrival(m))
	if x.Remote != 0 || m.Tag == model.NoTag {
		memory, ok := s.memory(r, source, model.Put, x)
		if !ok {
			return false
		}
		s.Journal.AtPlaceWith(journal.RecPut, r, x, m.Payload)
		s.Failures.Deposit(r, core.Arrival(m), core.ToPut, memory, m.Payload)
		m.Payload = 0
		s.Schedule.Rouse(r)
	}
	if !core.Local(m) {
		s.answerDone(m, x.Local)
	}
	return true
}

// GetRequested makes the NIC send the data that a get requests.
func (s *RMA) GetRequested(id fabric.MsgID, m *fabric.Message) core.Completion {
	x := s.Transport.Extra(id)
	r := &s.Ranks[s.World.Slot(x.Rank)]
	memory, ok := s.memory(r, m.SrcRank, model.Get, x)
	if !ok {
		s.Transport.Release(id)
		return core.Completion{}
	}
	payload, ok := s.snapshot(r, m.SrcRank, core.Arrival(m), memory, x)
	if !ok {
		s.Transport.Release(id)
		return core.Completion{}
	}
	return s.bringBack(r, id, m, payload)
}

// snapshot copies the present contents of a rank's memory, as read by a combination, for a message
// to another rank. It does nothing if the memory has no contents. It returns false if the memory is
// not mapped.
func (s *RMA) snapshot(
	r *core.Rank, to int32, at int64, memory []byte, x *fabric.Extra,
) (payload uint32, ok bool) {
	if len(memory) == 0 {
		return 0, true
	}
	ok = s.Failures.Guarded(
		r,
		at,
		core.ToFetch,
		memory,
		func() { payload = s.World.Payloads.Put(r.ID, s.World.Combinations.Gather(memory, x.Value[2]), 0) },
	)
	s.Journal.AtPlace(journal.RecFetched, r, x, x.Value[2], int64(to))
	s.Journal.Stowed(payload)
	return payload, ok
}

// bringBack makes the NIC reply to a request with data of the rank, and releases the request.
func (s *RMA) bringBack(r *core.Rank, id fabric.MsgID, m *fabric.Message, payload uint32) core.Completion {
	x := s.Transport.Extra(id)
	handle, size, sent, at, isLocal := x.Local, x.Length, m.Sent, core.Arrival(m), core.Local(m)
	gap := x.Gap
	if core.KindOf(m) == core.GetRequest {
		gap = uint32(x.Value[core.ValueGap])
	}
	r.Counters.SentMessages++
	r.Counters.SentBytes += size
	if !isLocal {
		answer, data := s.Outbox.Reply(m, s.Schedule.Now)
		data.Flags |= core.GetData
		data.SrcRank, data.Context = r.ID, int32(handle)
		data.Size, data.Payload, data.Sent = size, payload, sent
		if gap > 0 {
			s.Transport.Attach(answer).Gap = gap
		}
	}
	s.Transport.Release(id)
	if !isLocal {
		return core.Completion{}
	}
	return s.got(r.ID, handle, size, sent, at, payload)
}

// GetArrived completes a get whose data has arrived in memory.
func (s *RMA) GetArrived(id fabric.MsgID, m *fabric.Message) core.Completion {
	answer := *m
	s.Transport.Release(id)
	return s.got(
		answer.SrcRank, uint32(answer.Context), answer.Size, answer.Sent, core.Arrival(&answer), answer.Payload,
	)
}

// got completes a get of one of the block's ranks.
func (s *RMA) got(source int32, handle uint32, size, sent, at int64, payload uint32) core.Completion {
	q := s.Requests.Receives.At(core.IndexOf(handle))
	r := &s.Ranks[q.Slot()]
	s.Stats.Delivered(source, r.ID, model.NoTag, size, sent, at)
	r.Counters.ReceivedMessages++
	r.Counters.ReceivedBytes += size
	s.Journal.Met(s.Requests.Buffer(q), payload, nil, model.Envelope{})
	buffer, _ := s.Requests.TakeBuffer(q)
	s.Failures.Deposit(r, at, core.ToReceive, buffer, payload)
	return core.Completion{Handle: handle, At: at}
}
