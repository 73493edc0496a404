package node

import "fabricast/fabric"

// Put starts to copy a buffer into the memory of another rank. The request completes when all data
// is in memory there and the NIC there has confirmed it. With a tag other than NoTag, a receive
// (and so a probe) of the context there then finds the put like a message from source; without a
// region the receive also gets the contents. The contents of buf are copied at once.
func (s *OneSided) Put(buf Buf, a Access, source, tag, context int32) Request {
	if j := s.ops.journal; j.outermost() {
		return j.put(s, buf, a, source, tag, context)
	}
	id := uint32(0)
	if !a.Detached {
		id = s.sending()
	}
	s.ops.block.logs.accessed(s.ops.slot, id, false, &a, buf.size, tag, context)
	e, _ := s.begin(putData, id, &a, buf.size)
	e.source, e.tag, e.context, e.size = source, tag, context, buf.size
	if len(buf.data) > 0 {
		e.payload = s.ops.stow(buf.data)
	}
	return Request{id}
}

// putComesIn ends a put, all of whose data has reached the rank's memory. Receives can find it from
// then on, in the order of issue.
func (b *Block) putComesIn(keeper *rank, id fabric.MsgID, m *fabric.Message) {
	x := b.transport.Extra(id)
	slot := b.world.slot(x.Rank)
	r, source := &b.ranks[slot], b.world.worldRank(m.Context, m.SrcRank)
	if m.Left != held && !b.rma.putData(r, source, id, m, x) {
		b.transport.Release(id)
		return
	}
	finish, at := uint32(0), arrival(m)
	if local(m) {
		finish = x.Local
	}
	if m.Tag == NoTag {
		r.counters.receivedMessages++
		r.counters.receivedBytes += m.Size
		b.transport.Release(id)
	} else if local(m) || !b.world.spec.Overtaking || b.rma.puts.inTurn(keeper, pair{source, r.id}, id, m) {
		u := unexpected{
			at: at, size: m.Size, slot: slot, source: m.SrcRank, tag: m.Tag, context: m.Context,
			payload: m.Payload,
		}
		sent := m.Sent
		b.transport.Release(id)
		if b.arriveSent(r, &u, sent) {
			b.run(r, slot)
		}
	}
	b.finishAccess(completion{finish, at})
}

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
		s.programs.deposit(r, arrival(m), toPut, memory, m.Payload)
		m.Payload = 0
		s.schedule.rouse(r)
	}
	if !local(m) {
		s.answerDone(m, x.Local)
	}
	return true
}
