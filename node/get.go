package node

import "fabricast/fabric"

// Get starts to copy from the memory of another rank into a buffer. The request completes when
// all data is in the buffer.
func (o *Ops) Get(buf Buf, a Access) Request {
	id, q := o.fetching()
	if buf.data != nil {
		q.buffer = o.keep(buf.data)
	}
	o.access(Get, id, &a, buf.size)
	return Request{id}
}

// getRequested has the NIC send what the request asks for.
func (b *Block) getRequested(id fabric.MsgID, m *fabric.Message) {
	x := b.transport.Extra(id)
	r := &b.ranks[b.world.slot(x.Rank)]
	if memory, ok := b.memory(r, m.SrcRank, Get, x); ok {
		payload := uint32(0)
		if len(memory) > 0 {
			payload = b.world.payloads.put(r.id, memory)
		}
		if local(m) {
			b.got(r.id, x.Local, x.Length, m.Sent, arrival(m), payload)
		} else {
			_, data := b.reply(m)
			data.Flags |= getData
			data.SrcRank, data.Request, data.Context = r.id, 0, int32(x.Local)
			data.Size, data.Payload, data.Sent = x.Length, payload, m.Sent
		}
		r.counters.sentMessages++
		r.counters.sentBytes += x.Length
	}
	b.transport.Release(id)
}

// getComesIn completes a get whose data is in memory.
func (b *Block) getComesIn(id fabric.MsgID, m *fabric.Message) {
	answer := *m
	b.transport.Release(id)
	b.got(answer.SrcRank, uint32(answer.Context), answer.Size, answer.Sent, arrival(&answer), answer.Payload)
}

// got completes a get of one of the block's ranks.
func (b *Block) got(source int32, handle uint32, size, sent, at int64, payload uint32) {
	q := b.receives.at(indexOf(handle))
	r := &b.ranks[q.slot()]
	b.stats.message(source, r.id, NoTag, size, sent, at)
	r.counters.receivedMessages++
	r.counters.receivedBytes += size
	var data []byte
	if payload != 0 {
		data = b.world.payloads.take(payload)
	}
	if q.buffer != 0 {
		copy(b.buffers.at(q.buffer).data, data)
		b.buffers.release(q.buffer)
		q.buffer = 0
	}
	b.finishAccess(handle, at)
}
