package node

import "fabricast/fabric"

// Put starts to copy a buffer into the memory of another rank. The request completes when all data is
// in memory there and the NIC there has said so. With a tag other than NoTag a receive (and so a probe) of
// the context there finds it then, like a message from source; without a region it also gets the
// contents. The contents of buf are copied at once.
func (o *Ops) Put(buf Buf, a Access, source, tag, context int32) Request {
	id := uint32(0)
	if !a.Detached {
		index, q := o.block.sends.take()
		q.owner = o.owner(isSend | isAccess)
		id = sendID(index)
	}
	e, _ := o.access(putData, id, &a, buf.size)
	e.source, e.tag, e.context, e.size = source, tag, context, buf.size
	if len(buf.data) > 0 {
		e.payload = o.stow(buf.data)
	}
	return Request{id}
}

// putComesIn is the end of a put: all of its data has reached the rank's memory, and may be polled for in its turn.
func (b *Block) putComesIn(keeper *rank, id fabric.MsgID, m *fabric.Message) {
	x := b.transport.Extra(id)
	slot := b.world.slot(x.Rank)
	r, source := &b.ranks[slot], b.sourceOfPut(m)
	if m.Left != held && !b.putData(r, source, id, m, x) {
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
	} else if local(m) || !b.world.spec.Overtaking || b.inTurn(&b.puts, keeper, pair{source, r.id}, id, m) {
		u := unexpected{
			at: at, size: m.Size, slot: slot, source: m.SrcRank, tag: m.Tag, context: m.Context, payload: m.Payload,
		}
		sent := m.Sent
		b.transport.Release(id)
		if b.arriveSent(r, &u, sent) {
			b.run(r, slot)
		}
	}
	b.finishAccess(finish, at)
}

// putData writes a put's data to the rank's memory and has the NIC tell the origin. It returns false if
// the data does not fit there.
func (b *Block) putData(r *rank, source int32, id fabric.MsgID, m *fabric.Message, x *fabric.Extra) bool {
	b.delivered(source, r.id, m.Tag, m.Size, m.Sent, arrival(m))
	if x.Remote != 0 || m.Tag == NoTag {
		memory, ok := b.memory(r, source, Put, x)
		if !ok {
			return false
		}
		b.deposit(memory, m.Payload)
		m.Payload = 0
		b.rouse(r)
	}
	if !local(m) {
		b.answerDone(m, x.Local)
	}
	return true
}

// sourceOfPut is the world rank that put a message.
func (b *Block) sourceOfPut(m *fabric.Message) int32 { return b.world.worldRank(m.Context, m.SrcRank) }
