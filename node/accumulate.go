package node

import "fabricast/fabric"

// Combination returns the number that Combine or Scatter has given a key, 0 if it has none.
func (w *World) Combination(key any) int64 {
	w.combinations.RLock()
	defer w.combinations.RUnlock()
	return w.combinations.numbers[key]
}

// combination holds the functions that an operation applies to memory.
type combination struct {
	combine func(memory, data []byte)
	gather  func(data, memory []byte) // nil: what is read is the memory itself
}

// Combine registers a function that combines data with memory, and returns its number, which is the
// same for the same key. The function may change both arguments; only the change of memory has an
// effect. Data may be longer than memory. The numbers may differ from run to run and must not
// influence simulated time.
func (w *World) Combine(key any, combine func(memory, data []byte)) int64 {
	return w.number(key, combination{combine: combine})
}

// Scatter does what Combine does, for memory with gaps. The slice memory begins at the operation's
// offset and is as long as the data; both functions may access bytes beyond its end. gather copies
// memory to data for a Collect or an Exchange.
func (w *World) Scatter(key any, combine, gather func(data, memory []byte)) int64 {
	return w.number(key, combination{func(memory, data []byte) { combine(data, memory) }, gather})
}

// number stores a combination under its key, and returns its number.
func (w *World) number(key any, x combination) int64 {
	if w.elsewhere != nil {
		return w.makeCombination(key, x)
	}
	c := &w.combinations
	c.Lock()
	defer c.Unlock()
	n := c.numbers[key]
	if n == 0 {
		n = c.kept + int64(len(c.numbers)) + 1
		w.keepCombination(key, n, x)
	}
	return n
}

// combination returns the combination with a number.
func (w *World) combination(number int64) combination {
	x, _ := w.knownCombination(number)
	return x
}

// knownCombination does what combination does. It returns false if there is none.
func (w *World) knownCombination(number int64) (x combination, ok bool) {
	w.combinations.RLock()
	defer w.combinations.RUnlock()
	x, ok = w.combinations.made[number]
	return x, ok
}

// Accumulate starts to combine a buffer with the memory of another rank. Its request completes like
// that of a Put. Operations from one rank on the memory of another are applied in the order of
// issue.
func (s *OneSided) Accumulate(buf Buf, combination int64, a Access) Request {
	if j := s.ops.journal; j.outermost() {
		return j.accumulate(s, buf, combination, a)
	}
	id := s.sending()
	s.carry(sumData, id, &a, buf, buf.size, combination)
	return Request{id}
}

// Exchange does what Accumulate does, and also copies the earlier contents of the memory to result,
// as many bytes as result has. It completes when they have arrived there.
func (s *OneSided) Exchange(buf, result Buf, combination int64, a Access) Request {
	if j := s.ops.journal; j.outermost() {
		return j.exchange(s, buf, result, combination, a)
	}
	id, q := s.fetching()
	if result.data != nil {
		s.ops.block.requests.setBuffer(q, s.ops.keep(result.data))
	}
	s.carry(exchangeData, id, &a, buf, result.size, combination)
	return Request{id}
}

// carry emits an operation that sends a buffer to n bytes of memory.
func (s *OneSided) carry(how uint8, id uint32, a *Access, buf Buf, n, combination int64) {
	e, x := s.begin(how, id, a, max(n, buf.size))
	e.size, x.length, x.code = buf.size, n, combination
	if len(buf.data) > 0 {
		e.payload = s.ops.stow(buf.data)
	}
}

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
		ok = s.programs.guarded(
			r,
			arrival(m),
			toChange,
			memory,
			func() { s.world.combination(x.Value[2]).combine(memory, data) },
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

// gather returns the bytes of a rank's memory that an operation reads.
func (s *rma) gather(memory []byte, number int64) []byte {
	if number == 0 || len(memory) == 0 {
		return memory
	}
	gather := s.world.combination(number).gather
	if gather == nil {
		return memory
	}
	data := make([]byte, len(memory))
	gather(data, memory)
	return data
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
