package node

import "fabricast/fabric"

// Get starts to copy from the memory of another rank into a buffer. The request completes when
// all data is in the buffer.
func (o *Ops) Get(buf Buf, a Access) Request {
	id, q := o.fetching()
	if buf.data != nil {
		q.buffer = o.keep(buf.data)
	}
	o.access(getRequest, id, &a, buf.size)
	return Request{id}
}

// Collect is Get from memory with gaps, as Scatter describes.
func (o *Ops) Collect(buf Buf, scatter int64, a Access) Request {
	id := o.Get(buf, a)
	o.remotes[len(o.remotes)-1].code = scatter
	return id
}

// getRequested has the NIC send what the request asks for.
func (b *Block) getRequested(id fabric.MsgID, m *fabric.Message) {
	x := b.transport.Extra(id)
	r := &b.ranks[b.world.slot(x.Rank)]
	memory, ok := b.memory(r, m.SrcRank, Get, x)
	if !ok {
		b.transport.Release(id)
		return
	}
	b.bringBack(r, id, m, b.snapshot(r, b.gather(memory, x.Value[2])))
}

// snapshot keeps what a rank's memory holds for a message, if it has contents.
func (b *Block) snapshot(r *rank, memory []byte) (payload uint32) {
	if len(memory) == 0 {
		return 0
	}
	return b.world.payloads.put(r.id, memory, 0)
}

// bringBack has the NIC answer a request with data of the rank, and gives the request back.
func (b *Block) bringBack(r *rank, id fabric.MsgID, m *fabric.Message, payload uint32) {
	x := b.transport.Extra(id)
	handle, size, sent, at, isLocal := x.Local, x.Length, m.Sent, arrival(m), local(m)
	gap := x.Gap
	if kindOf(m) == getRequest {
		gap = uint32(x.Value[valueGap])
	}
	r.counters.sentMessages++
	r.counters.sentBytes += size
	if !isLocal {
		answer, data := b.reply(m)
		data.Flags |= getData
		data.SrcRank, data.Context = r.id, int32(handle)
		data.Size, data.Payload, data.Sent = size, payload, sent
		if gap > 0 {
			b.transport.Attach(answer).Gap = gap
		}
	}
	b.transport.Release(id)
	if isLocal {
		b.got(r.id, handle, size, sent, at, payload)
	}
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
	b.delivered(source, r.id, NoTag, size, sent, at)
	r.counters.receivedMessages++
	r.counters.receivedBytes += size
	var buffer []byte
	if q.buffer != 0 {
		buffer = b.buffers.at(q.buffer).data
		b.buffers.release(q.buffer)
		q.buffer = 0
	}
	b.deposit(buffer, payload)
	b.finishAccess(handle, at)
}
