package fabric

import (
	"unsafe"

	"fabricast/internal/prefetch"
	"fabricast/internal/snapshot"
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

// newMessageTable returns the table of a block. all and extras are by block; indexBits is the size of
// a message's index within its block.
func newMessageTable(all []array[Message], extras [][]Extra, block int, indexBits uint32) messageTable {
	return messageTable{
		block: uint32(block), indexBits: indexBits, indexMask: 1<<indexBits - 1,
		all: arrayOf(all), extras: extras,
	}
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

// live returns, by index, the births of the block's messages, 0 for those that are free.
func (t *messageTable) live() []uint32 {
	list := append([]uint32(nil), t.births.slice(0, t.used+1)...)
	for free := t.free; free != 0; free = t.all.at(t.block).at(free).Next {
		list[free] = 0
	}
	list[0] = 0
	return list
}

// unposted is the value of Message.Left until the message is posted.
const unposted = 1<<32 - 1

// state goes over the messages of the block's hosts.
func (t *messageTable) state(v *snapshot.Visitor) {
	used, extras := t.used, t.extraUsed
	snapshot.Value(v, &t.used)
	snapshot.Value(v, &t.free)
	snapshot.Value(v, &t.extraUsed)
	first(v, t.all.at(t.block), 1+t.used, 1+used)
	all := arrayOf(t.extras[t.block])
	first(v, &all, 1+t.extraUsed, 1+extras)
}
