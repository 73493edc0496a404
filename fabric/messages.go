package fabric

import (
	"unsafe"

	"fabricast/internal/offheap"
	"fabricast/internal/prefetch"
)

// messageTable holds the messages that a block's hosts have sent, and gives access to those of all
// blocks. Addresses never change, so that the receiving block can read and release a message. A
// MsgID is block << indexBits | index; index 0 is no message.
type messageTable struct {
	used uint32 // indexes handed out so far
	free uint32 // the one given back last, which links to the one before; 0 = none
	// the highest index that has ever had an Extra
	extraUsed uint32

	block                uint32                // whose hosts send these messages
	indexBits, indexMask uint32                // of a message within its block
	all                  array[array[Message]] // by block
	extras               [][]Extra             // by block
	// by index: how often it has been handed out; empty unless cells move between processes
	births array[uint32]
}

// maxMessages bounds the messages of a block by address space (17 GB with their extras); memory
// is used only for as many as there really are at once.
const maxMessages = 1 << 27

func newMessageTable(n *Network, block int) messageTable {
	return messageTable{
		block: uint32(block), indexBits: n.indexBits, indexMask: 1<<n.indexBits - 1,
		all: arrayOf(n.messages), extras: n.extras,
	}
}

// reserveMessages allocates room for the messages of a block.
func (n *Network) reserveMessages(b *Block) (err error) {
	most := min(maxMessages, 1<<n.indexBits)
	if err = n.messages[b.index].reserve(&b.arena, most); err != nil {
		return err
	}
	if n.extras[b.index], err = offheap.Make[Extra](&b.arena, most); err != nil || n.across == nil || !n.cells.move {
		return err
	}
	births, err := offheap.Make[uint32](&b.arena, most)
	numberBirths(n, b, births)
	return err
}

// add returns a zeroed message, but for Left, and its ID.
func (t *messageTable) add() (MsgID, *Message) {
	index := t.free
	if index == 0 {
		t.used++
		index = t.used
		if index >= t.all.at(t.block).n {
			panic(errMessages)
		}
	}
	m := t.all.at(t.block).at(index)
	if t.free = m.Next; t.free != 0 { // which may have left the cache, if many were given back at once
		prefetch.Line(unsafe.Pointer(t.all.at(t.block).at(t.free)))
	}
	*m = Message{Left: unposted}
	if t.births.n != 0 {
		*t.births.at(index)++
	}
	return MsgID(t.block<<t.indexBits | index), m
}

// at returns a message of any block.
func (t *messageTable) at(id MsgID) *Message {
	return t.all.at(uint32(id) >> (t.indexBits & 31)).at(uint32(id) & t.indexMask)
}

// attach adds an Extra to a message of this block, and returns it.
func (t *messageTable) attach(id MsgID) *Extra {
	t.at(id).Flags |= HasExtra
	t.extraUsed = max(t.extraUsed, uint32(id)&t.indexMask)
	x := t.extra(id)
	*x = Extra{}
	return x
}

// extra returns the Extra of a message of any block.
func (t *messageTable) extra(id MsgID) *Extra {
	return &t.extras[uint32(id)>>t.indexBits][uint32(id)&t.indexMask]
}

// owner returns the block whose host has sent a message, and the message's index in that block.
func (t *messageTable) owner(id MsgID) (block, index uint32) {
	return uint32(id) >> t.indexBits, uint32(id) & t.indexMask
}

// reuse makes the message of this block with the given index the next one that add returns.
func (t *messageTable) reuse(index uint32) {
	t.all.at(t.block).at(index).Next = t.free
	t.free = index
}

// NewMessage returns a zeroed message.
func (b *Block) NewMessage() (MsgID, *Message) { return b.messages.add() }

// Message returns a message of any block by its ID.
func (b *Block) Message(id MsgID) *Message { return b.messages.at(id) }

// Attach gives a message of this block an Extra.
func (b *Block) Attach(id MsgID) *Extra { return b.messages.attach(id) }

// Extra returns the Extra of a message of any block.
func (b *Block) Extra(id MsgID) *Extra { return b.messages.extra(id) }

// Release gives back a delivered message, or one that was not posted.
func (b *Block) Release(id MsgID) {
	owner, index := b.messages.owner(id)
	if owner == uint32(b.index) {
		b.messages.reuse(index)
		return
	}
	if !b.net.here(int(owner)) {
		*b.messages.at(id) = Message{} // a copy, of which a checkpoint would not know that it is over
	}
	b.mail.release(owner, index)
}
