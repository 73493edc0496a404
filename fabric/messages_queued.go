package fabric

import (
	"unsafe"

	"fabricast/internal/offheap"
	"fabricast/internal/prefetch"
	"fabricast/internal/snapshot"
)

// queuedMessage is a message in the queue of a NIC, behind the one that is being fetched from memory
// and like that one in all but these fields. A program that posts many messages at once has most of
// its messages here, where they take less than half the memory.
type queuedMessage struct {
	next    uint32 // in the NIC's queue; or the next record given back
	dst     int32
	tag     int32
	request uint32
	sent    int64
}

// isQueued marks the numbers of queuedMessages among MsgIDs in the queue of a NIC. No MsgID has that
// bit.
const isQueued = 1 << 31

// queuedMessages holds the queuedMessages of a block. Index 0 is none.
type queuedMessages struct {
	all  array[queuedMessage]
	used uint32 // indexes handed out so far
	free uint32 // the one given back last, which links to the one before; 0 = none
	// hosts stay in the block, so that their NICs can keep indexes
	enabled bool
}

func (q *queuedMessages) reserve(arena *offheap.Arena, most int) error {
	return q.all.reserve(arena, most)
}

func (q *queuedMessages) at(id uint32) *queuedMessage { return q.all.at(id &^ isQueued) }

// like reports whether a message to be posted differs from one posted before it by the same NIC only
// in the fields of a queuedMessage.
func (m *Message) like(before *Message) bool {
	return m.Size == before.Size && m.Post-m.Sent == before.Post-before.Sent &&
		m.SrcRank == before.SrcRank && m.Context == before.Context &&
		m.Payload|before.Payload == 0 && m.Order == before.Order && m.Class == before.Class &&
		m.Flags == before.Flags && m.Flags&HasExtra == 0
}

// follow puts a message at the end of the queue of a NIC that has something to fetch.
func (t *messageTable) follow(n *nic, id MsgID, m *Message) {
	number := uint32(id)
	if t.free == 0 && t.queued.enabled && (n.tail == n.fetching || n.tail&isQueued != 0) &&
		m.like(t.at(MsgID(n.fetching))) { // and so are all in between
		number = t.shrink(id, m)
	}
	if n.tail&isQueued != 0 {
		t.queued.at(n.tail).next = number
	} else {
		t.at(MsgID(n.tail)).Next = number
	}
	n.tail = number
}

// shrink replaces a message by a queuedMessage, and returns the number by which it is in the queue.
func (t *messageTable) shrink(id MsgID, m *Message) uint32 {
	q := &t.queued
	index := q.free
	if index == 0 {
		q.used++
		if index = q.used; index >= q.all.n {
			panic(errMessages)
		}
	}
	r := q.all.at(index)
	q.free = r.next
	*r = queuedMessage{dst: m.Dst, tag: m.Tag, request: m.Request, sent: m.Sent}
	_, place := t.owner(id)
	t.reuse(place)
	return index | isQueued
}

// grow makes the queuedMessage behind m, in the queue of a NIC that has fetched m, a message of so
// many packets.
func (t *messageTable) grow(n *nic, m *Message, packets uint32) (MsgID, *Message) {
	q, number := &t.queued, m.Next
	r := q.at(number)
	id, next := t.add()
	// not a copy of all: the block of the destination may be changing m.Left
	next.Src, next.Dst, next.SrcRank, next.Context = m.Src, r.dst, m.SrcRank, m.Context
	next.Tag, next.Request, next.Next, next.Size = r.tag, r.request, r.next, m.Size
	next.Sent, next.Post, next.Left = r.sent, r.sent+m.Post-m.Sent, packets
	next.Order, next.Class, next.Flags = m.Order, m.Class, m.Flags
	r.next = q.free
	q.free = number &^ isQueued
	if n.tail == number {
		n.tail = uint32(id)
	}
	m.Next = uint32(id)
	return id, next
}

// load prefetches a message in the queue of a NIC.
func (t *messageTable) load(number uint32) {
	if number&isQueued != 0 {
		prefetch.Line(unsafe.Pointer(t.queued.at(number)))
	} else {
		prefetch.Line(unsafe.Pointer(t.at(MsgID(number))))
	}
}

// state goes over the records.
func (q *queuedMessages) state(v *snapshot.Visitor) {
	used := q.used
	snapshot.Value(v, &q.used)
	snapshot.Value(v, &q.free)
	first(v, &q.all, 1+q.used, 1+used)
}
