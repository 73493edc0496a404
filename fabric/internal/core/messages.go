package core

import (
	"unsafe"

	"fabricast/fabric/model"

	"fabricast/internal/prefetch"
	"fabricast/internal/snapshot"
)

// MessageTable holds the messages that a block's hosts have sent, and gives access to those of all
// blocks. Addresses never change, so that the receiving block can read and release a message. A
// MsgID is block << IndexBits | index; index 0 is not used.
type MessageTable struct {
	Used uint32 // number of indices assigned so far
	free uint32 // head of the list of released messages; 0: empty
	// highest index that has ever had an Extra
	ExtraUsed uint32

	Block                uint32                      // block whose hosts send these messages
	IndexBits, indexMask uint32                      // number of bits, and mask, of a message's index within its block
	All                  Array[Array[model.Message]] // messages by block
	extras               [][]model.Extra             // by block: the Extras of its messages
	// by index: how often it has been assigned; empty unless cells move between processes
	Births Array[uint32]
	// by block: the divisions of its messages' latencies; nil unless they are recorded
	Divisions [][]Division
}

// MaxMessages limits the messages of a block by address space (17 GB with their extras). Memory is
// used only for the messages that exist at the same time.
const MaxMessages = 1 << 27

// NewMessageTable returns the table of a block. all and extras are indexed by block, and indexBits
// is the number of bits of a message's index within its block.
func NewMessageTable(all []Array[model.Message], extras [][]model.Extra, block int, indexBits uint32) MessageTable {
	return MessageTable{
		Block: uint32(block), IndexBits: indexBits, indexMask: 1<<indexBits - 1,
		All: ArrayOf(all), extras: extras,
	}
}

// Add returns a message that is zero except for Left, and its ID.
func (t *MessageTable) Add() (model.MsgID, *model.Message) {
	index := t.free
	if index == 0 {
		t.Used++
		index = t.Used
		if index >= t.All.At(t.Block).N {
			panic(model.ErrMessages)
		}
	}
	m := t.All.At(t.Block).At(index)
	if t.free = m.Next; t.free != 0 { // it may have been evicted from the cache, if many were released at once
		prefetch.Line(unsafe.Pointer(t.All.At(t.Block).At(t.free)))
	}
	*m = model.Message{Left: model.Unposted}
	if t.Births.N != 0 {
		*t.Births.At(index)++
	}
	return model.MsgID(t.Block<<t.IndexBits | index), m
}

// At returns a message of any block.
func (t *MessageTable) At(id model.MsgID) *model.Message {
	return t.All.At(uint32(id) >> (t.IndexBits & 31)).At(uint32(id) & t.indexMask)
}

// Attach adds an Extra to a message of this block, and returns it.
func (t *MessageTable) Attach(id model.MsgID) *model.Extra {
	t.At(id).Flags |= model.HasExtra
	t.ExtraUsed = max(t.ExtraUsed, uint32(id)&t.indexMask)
	x := t.Extra(id)
	*x = model.Extra{}
	return x
}

// Extra returns the Extra of a message of any block.
func (t *MessageTable) Extra(id model.MsgID) *model.Extra {
	return &t.extras[uint32(id)>>t.IndexBits][uint32(id)&t.indexMask]
}

// Owner returns the block whose host sent a message, and the message's index in that block.
func (t *MessageTable) Owner(id model.MsgID) (block, index uint32) {
	return uint32(id) >> t.IndexBits, uint32(id) & t.indexMask
}

// Reuse makes the message of this block with the given index the next one that Add returns.
func (t *MessageTable) Reuse(index uint32) {
	t.All.At(t.Block).At(index).Next = t.free
	t.free = index
}

// Live returns, by index, the births of the block's messages, or 0 for those that are free.
func (t *MessageTable) Live() []uint32 {
	list := append([]uint32(nil), t.Births.Slice(0, t.Used+1)...)
	for free := t.free; free != 0; free = t.All.At(t.Block).At(free).Next {
		list[free] = 0
	}
	list[0] = 0
	return list
}

// State visits the messages of the block's hosts.
func (t *MessageTable) State(v *snapshot.Visitor) {
	used, extras := t.Used, t.ExtraUsed
	snapshot.Value(v, &t.Used)
	snapshot.Value(v, &t.free)
	snapshot.Value(v, &t.ExtraUsed)
	WalkFirst(v, t.All.At(t.Block), 1+t.Used, 1+used)
	all := ArrayOf(t.extras[t.Block])
	WalkFirst(v, &all, 1+t.ExtraUsed, 1+extras)
}
