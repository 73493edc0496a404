package node

import (
	"encoding/binary"

	"fabricast/fabric"
)

// Change is the effect of an atomic operation on a word of 8 bytes, a signed little-endian number.
type Change uint8

// The changes. Each returns the earlier value of the word.
const (
	FetchAdd       Change = iota // the operand is added
	Swap                         // the operand takes its place
	CompareAndSwap               // the operand takes its place if it is what it is compared with
)

// wordBytes is the size of a word in bytes.
const wordBytes = 8

// Atomic starts to change a word in the memory of another rank. The request completes when the NIC
// there has returned the word's earlier value, which Value then returns. Requests are applied in
// the order of their arrival.
func (s *OneSided) Atomic(change Change, operand, compare int64, a Access) Request {
	if j := s.ops.journal; j.outermost() {
		return j.atomic(s, change, operand, compare, a)
	}
	id, _ := s.fetching()
	e, x := s.begin(atomicOp, id, &a, wordBytes)
	x.code, x.value = int64(change), [2]int64{operand, compare}
	if e.size = wordBytes; change == CompareAndSwap {
		e.size = 2 * wordBytes
	}
	return Request{id}
}

// changeWord applies a request to its word, and makes the NIC answer it.
func (s *rma) changeWord(id fabric.MsgID, m *fabric.Message) completion {
	x := s.transport.Extra(id)
	r := &s.ranks[s.world.slot(x.Rank)]
	memory, ok := s.memory(r, m.SrcRank, Atomic, x)
	handle, sent, at, origin := x.Local, m.Sent, arrival(m), m.SrcRank
	isLocal := local(m)
	value := int64(0)
	if ok && len(memory) > 0 {
		s.journal.atPlace(recChanged, r, x, x.Value[2], x.Value[0], x.Value[1])
		ok = s.programs.guarded(
			r,
			at,
			toChange,
			memory,
			func() { value = change(memory, Change(x.Value[2]), x.Value[0], x.Value[1]) },
		)
	}
	if !ok {
		s.transport.Release(id)
		return completion{}
	}
	if !isLocal {
		reply, found := s.outbox.reply(m, s.schedule.now)
		found.Flags |= atomicFound
		found.SrcRank, found.Size, found.Sent = r.id, wordBytes, sent
		e := s.transport.Attach(reply)
		e.Local, e.Rank, e.Value[0] = handle, origin, value
	}
	r.counters.sentMessages++
	r.counters.sentBytes += wordBytes
	s.transport.Release(id)
	if !isLocal {
		return completion{}
	}
	return s.found(r.id, handle, value, sent, at)
}

// change applies an atomic operation to a word and returns the word's earlier value.
func change(word []byte, c Change, operand, compare int64) int64 {
	was := int64(binary.LittleEndian.Uint64(word))
	now := operand
	switch {
	case c == FetchAdd:
		now += was
	case c == CompareAndSwap && was != compare:
		return was
	}
	binary.LittleEndian.PutUint64(word, uint64(now))
	return was
}

// wordComesIn completes an atomic operation whose answer has arrived.
func (s *rma) wordComesIn(id fabric.MsgID, m *fabric.Message) completion {
	x := s.transport.Extra(id)
	source, handle, value, sent, at := m.SrcRank, x.Local, x.Value[0], m.Sent, arrival(m)
	s.transport.Release(id)
	return s.found(source, handle, value, sent, at)
}

// found completes an atomic operation of one of the block's ranks.
func (s *rma) found(source int32, handle uint32, value, sent, at int64) completion {
	q := s.requests.receives.at(indexOf(handle))
	r := &s.ranks[q.slot()]
	s.stats.delivered(source, r.id, NoTag, wordBytes, sent, at)
	r.counters.receivedMessages++
	r.counters.receivedBytes += wordBytes
	s.requests.setSize(q, value)
	return completion{handle, at}
}
