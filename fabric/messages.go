package fabric

import "fabricast/internal/offheap"

// messagePool holds the messages that a block's hosts have sent. Their
// addresses do not change, so that the receiving block can read and release
// them. A MsgID is block << indexBits | index; index 0 is no message.
type messagePool struct {
	used uint32 // indexes handed out so far
	free uint32 // the one given back last, which links to the one before; 0 = none
}

// maxMessages bounds the messages of a block by address space (17 GB with their extras); memory
// is used only for as many as there really are at once.
const maxMessages = 1 << 27

// reserveMessages makes room for the messages of a block.
func (n *Network) reserveMessages(b *Block) (err error) {
	most := min(maxMessages, 1<<n.indexBits)
	if err = n.messages[b.index].reserve(&b.arena, most); err != nil {
		return err
	}
	n.extras[b.index], err = offheap.Make[Extra](&b.arena, most)
	return err
}

// NewMessage returns a zeroed message.
func (b *Block) NewMessage() (MsgID, *Message) {
	pool := &b.messages
	index := pool.free
	if index == 0 {
		pool.used++
		index = pool.used
		if index >= b.sent.at(uint32(b.index)).n {
			panic(errMessages)
		}
	}
	m := b.sent.at(uint32(b.index)).at(index)
	pool.free = m.Next
	*m = Message{}
	return MsgID(uint32(b.index)<<b.indexBits | index), m
}

// Message returns a message of any block by its ID.
func (b *Block) Message(id MsgID) *Message {
	return b.sent.at(uint32(id) >> (b.indexBits & 31)).at(uint32(id) & b.indexMask)
}

// Attach gives a message of this block an Extra.
func (b *Block) Attach(id MsgID) *Extra {
	b.Message(id).Flags |= HasExtra
	x := b.Extra(id)
	*x = Extra{}
	return x
}

// Extra returns the Extra of a message of any block.
func (b *Block) Extra(id MsgID) *Extra {
	return &b.extras[uint32(id)>>b.indexBits][uint32(id)&b.indexMask]
}

// Release gives back a delivered message, or one that was not posted.
func (b *Block) Release(id MsgID) {
	owner := uint32(id) >> b.indexBits
	index := uint32(id) & b.indexMask
	if owner == uint32(b.index) {
		b.reuse(index)
		return
	}
	box := b.outgoing(int(owner))
	box.released = append(box.released, index)
}

// reuse makes a message of this block the next to be handed out.
func (b *Block) reuse(index uint32) {
	b.sent.at(uint32(b.index)).at(index).Next = b.messages.free
	b.messages.free = index
}
