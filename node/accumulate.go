package node

import "fabricast/fabric"

// Combination is the number that Combine has given a key, 0 if it has not.
func (w *World) Combination(key any) int64 {
	w.combinations.RLock()
	defer w.combinations.RUnlock()
	return w.combinations.numbers[key]
}

// combination is what an operation does with memory.
type combination struct {
	combine func(memory, data []byte)
	gather  func(data, memory []byte) // nil: what is read is the memory itself
}

// Combine gives a function that combines data with memory a number, the same for the same key. It may
// change both; memory is what counts. Data may be longer than memory. The numbers may differ from run to run and must
// not influence simulated time.
func (w *World) Combine(key any, combine func(memory, data []byte)) int64 {
	return w.number(key, combination{combine: combine})
}

// Scatter is Combine for memory with gaps: memory begins where the operation's place is, is as long as what is
// transferred, and both functions may look beyond its end. Gather copies to data what a Collect or an Exchange brings back.
func (w *World) Scatter(key any, combine, gather func(data, memory []byte)) int64 {
	return w.number(key, combination{func(memory, data []byte) { combine(data, memory) }, gather})
}

// number keeps a combination under its key.
func (w *World) number(key any, x combination) int64 {
	c := &w.combinations
	c.Lock()
	defer c.Unlock()
	if n := c.numbers[key]; n != 0 {
		return n
	}
	if c.numbers == nil {
		c.numbers = make(map[any]int64)
	}
	c.list = append(c.list, x)
	n := int64(len(c.list))
	c.numbers[key] = n
	return n
}

// combination is the function with a number.
func (w *World) combination(number int64) combination {
	w.combinations.RLock()
	defer w.combinations.RUnlock()
	return w.combinations.list[number-1]
}

// Accumulate starts to combine a buffer with the memory of another rank. The request completes like that
// of a put. What one rank combines with the memory of another is combined in the order of issue.
func (o *Ops) Accumulate(buf Buf, combination int64, a Access) Request {
	index, q := o.block.sends.take()
	q.owner = o.owner(isSend | isAccess)
	id := sendID(index)
	o.carry(sumData, id, &a, buf, buf.size, combination)
	return Request{id}
}

// Exchange is Accumulate that brings back what was in the memory before, as many bytes as the result has: it completes
// when that is in the result.
func (o *Ops) Exchange(buf, result Buf, combination int64, a Access) Request {
	id, q := o.fetching()
	if result.data != nil {
		q.buffer = o.keep(result.data)
	}
	o.carry(exchangeData, id, &a, buf, result.size, combination)
	return Request{id}
}

// carry emits an operation that takes a buffer to n bytes of memory.
func (o *Ops) carry(how uint8, id uint32, a *Access, buf Buf, n, combination int64) {
	e, x := o.access(how, id, a, max(n, buf.size))
	e.size, x.length, x.code = buf.size, n, combination
	if len(buf.data) > 0 {
		e.payload = o.stow(buf.data)
	}
}

// combine combines what has come in with the rank's memory, in its turn, and has the NIC answer.
func (b *Block) combine(keeper *rank, id fabric.MsgID, m *fabric.Message) {
	x := b.transport.Extra(id)
	r := &b.ranks[b.world.slot(x.Rank)]
	if b.world.spec.Overtaking && !local(m) && !b.inTurn(&b.sums, keeper, pair{m.SrcRank, r.id}, id, m) {
		return
	}
	var data []byte
	if m.Payload != 0 {
		data = b.world.payloads.view(m.Payload).data
		defer b.world.payloads.drop(m.Payload)
	}
	memory, ok := b.memory(r, m.SrcRank, Atomic, x)
	if !ok {
		b.transport.Release(id)
		return
	}
	was := uint32(0)
	if kindOf(m) == exchangeData {
		was = b.snapshot(r, b.gather(memory, x.Value[2]))
	}
	if len(memory) > 0 && len(data) > 0 {
		b.world.combination(x.Value[2]).combine(memory, data)
	}
	b.rouse(r)
	if kindOf(m) == exchangeData {
		b.bringBack(r, id, m, was)
		return
	}
	b.combined(r, id, m, x.Local)
}

// gather is what an operation brings back of a rank's memory.
func (b *Block) gather(memory []byte, number int64) []byte {
	if number == 0 || len(memory) == 0 {
		return memory
	}
	gather := b.world.combination(number).gather
	if gather == nil {
		return memory
	}
	data := make([]byte, len(memory))
	gather(data, memory)
	return data
}

// combined ends an operation that brings nothing back.
func (b *Block) combined(r *rank, id fabric.MsgID, m *fabric.Message, handle uint32) {
	at, isLocal := arrival(m), local(m)
	b.delivered(m.SrcRank, r.id, NoTag, m.Size, m.Sent, at)
	r.counters.receivedMessages++
	r.counters.receivedBytes += m.Size
	if !isLocal {
		b.answerDone(m, handle)
	}
	b.transport.Release(id)
	if isLocal {
		b.finishAccess(handle, at)
	}
}
