package node

import (
	"encoding/binary"

	"fabricast/fabric"
)

// Change is what an atomic operation does to a word of 8 bytes, which holds a signed
// number in little-endian order.
type Change uint8

// The changes. All of them tell what the word was before.
const (
	FetchAdd       Change = iota // the operand is added
	Swap                         // the operand takes its place
	CompareAndSwap               // the operand takes its place if it is what it is compared with
)

// wordBytes is the size of a word.
const wordBytes = 8

// Atomic starts to change a word in the memory of another rank. The request completes when the NIC there
// has said what the word was: Value tells. The words that NICs change one after the other are changed in the order of
// the requests' arrivals.
func (o *Ops) Atomic(change Change, operand, compare int64, a Access) Request {
	id, _ := o.fetching()
	e, x := o.access(atomicOp, id, &a, wordBytes)
	x.code, x.value = int64(change), [2]int64{operand, compare}
	if e.size = wordBytes; change == CompareAndSwap {
		e.size = 2 * wordBytes
	}
	return Request{id}
}

// changeWord changes the word that a request means, and has the NIC answer it.
func (b *Block) changeWord(id fabric.MsgID, m *fabric.Message) {
	x := b.transport.Extra(id)
	r := &b.ranks[b.world.slot(x.Rank)]
	memory, ok := b.memory(r, m.SrcRank, Atomic, x)
	handle, sent, at, origin := x.Local, m.Sent, arrival(m), m.SrcRank
	isLocal := local(m)
	value := int64(0)
	switch {
	case !ok:
		b.transport.Release(id)
		return
	case len(memory) > 0:
		value = change(memory, Change(x.Value[2]), x.Value[0], x.Value[1])
	}
	if !isLocal {
		reply, found := b.reply(m)
		found.Flags |= atomicFound
		found.SrcRank, found.Size, found.Sent = r.id, wordBytes, sent
		e := b.transport.Attach(reply)
		e.Local, e.Rank, e.Value[0] = handle, origin, value
	}
	r.counters.sentMessages++
	r.counters.sentBytes += wordBytes
	b.transport.Release(id)
	if isLocal {
		b.found(r.id, handle, value, sent, at)
	}
}

// change changes a word and returns what it was.
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

// wordComesIn completes an atomic operation that has been answered.
func (b *Block) wordComesIn(id fabric.MsgID, m *fabric.Message) {
	x := b.transport.Extra(id)
	source, handle, value, sent, at := m.SrcRank, x.Local, x.Value[0], m.Sent, arrival(m)
	b.transport.Release(id)
	b.found(source, handle, value, sent, at)
}

// found completes an atomic operation of one of the block's ranks.
func (b *Block) found(source int32, handle uint32, value, sent, at int64) {
	q := b.receives.at(indexOf(handle))
	r := &b.ranks[q.slot()]
	b.delivered(source, r.id, NoTag, wordBytes, sent, at)
	r.counters.receivedMessages++
	r.counters.receivedBytes += wordBytes
	q.size = value
	b.finishAccess(handle, at)
}
