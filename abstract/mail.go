package abstract

import (
	"math"

	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/internal/eventqueue"
)

// mailbox carries messages from one block to another. It has two boxes: the sender fills one in
// this window, while the receiver reads the other, which was filled in the previous window.
type mailbox struct{ boxes [2]box } // indexed by round modulo 2

type box struct {
	letters []letter
	extras  []fabric.Extra // of those letters whose messages have one, in order
	first   int64          // when the first message arrives (ps)
}

// letter is a message on its way to another block.
type letter struct {
	event   eventqueue.Event // its arrival; the receiving block assigns the ID
	message fabric.Message
}

func newMail(blocks int) []mailbox {
	mail := make([]mailbox, blocks)
	for i := range mail {
		mail[i].boxes[0].first, mail[i].boxes[1].first = fabric.Forever, fabric.Forever
	}
	return mail
}

// outgoing returns the box for another block that is being filled or was filled last.
func (b *Block) outgoing(block int) *box { return &b.mail[block].boxes[b.round&1] }

// send passes a message to the block of its destination.
func (b *Block) send(to int, id fabric.MsgID, e eventqueue.Event) {
	m := b.Message(id)
	x := b.outgoing(to)
	x.letters = append(x.letters, letter{e, *m})
	if m.Flags&fabric.HasExtra != 0 {
		x.extras = append(x.extras, *b.Extra(id))
	}
	x.first = min(x.first, e.At)
	b.Release(id)
}

// empty empties the boxes to be filled in this round.
func (b *Block) empty() {
	for i := range b.mail {
		x := b.outgoing(i)
		*x = box{letters: x.letters[:0], extras: x.extras[:0], first: fabric.Forever}
	}
}

// Collect processes the messages that other blocks sent in the previous round.
func (b *Block) Collect(round uint64) {
	for _, other := range b.net.blocks {
		x := &other.mail[b.index].boxes[(round-1)&1]
		extra := 0
		for i := range x.letters {
			l := &x.letters[i]
			id, m := b.Take()
			*m = l.message
			if m.Flags&fabric.HasExtra != 0 {
				*b.Extra(id) = x.extras[extra]
				extra++
			}
			b.queue.Push(eventqueue.Event{At: l.event.At, Order: l.event.Order, ID: uint32(id)})
		}
	}
}

// Sent implements engine.Part.
func (b *Block) Sent(to int) int64 {
	first := int64(math.MaxInt64)
	for i := range b.mail {
		if to == i || to == engine.Anyone {
			first = min(first, b.outgoing(i).first)
		}
	}
	if first == math.MaxInt64 {
		return first
	}
	return first / b.length
}
