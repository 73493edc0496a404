package abstract

import "fabricast/fabric"

// chunk is the number of messages that are allocated at once.
const (
	chunkBits = 10
	chunk     = 1 << chunkBits
)

// maxMessages limits the number of messages of a block that are in flight at once.
const maxMessages = 1 << 31

var errMessages = &fabric.LimitError{Reason: "more messages under way at once than can be numbered"}

// pool holds the messages that a block's hosts fill in, and those that have been received. Their
// addresses never change. A MsgID is an index; 0 is not used.
type pool struct {
	messages []*[chunk]fabric.Message
	extras   []*[chunk]fabric.Extra // nil for chunks in which no message has one
	used     uint32                 // number of indices assigned so far
	free     uint32                 // head of the list of released messages; 0: empty
}

// take returns a message with undefined contents.
func (p *pool) take() (fabric.MsgID, *fabric.Message) {
	if id := p.free; id != 0 {
		m := p.at(id)
		p.free = m.Next
		return fabric.MsgID(id), m
	}
	p.used++
	if p.used >= maxMessages {
		panic(errMessages)
	}
	if int(p.used>>chunkBits) == len(p.messages) {
		p.messages = append(p.messages, new([chunk]fabric.Message))
		p.extras = append(p.extras, nil)
	}
	return fabric.MsgID(p.used), p.at(p.used)
}

func (p *pool) at(id uint32) *fabric.Message { return &p.messages[id>>chunkBits][id%chunk] }

// extra returns the Extra of a message.
func (p *pool) extra(id uint32) *fabric.Extra {
	part := &p.extras[id>>chunkBits]
	if *part == nil {
		*part = new([chunk]fabric.Extra)
	}
	return &(*part)[id%chunk]
}

// give returns a message to the pool.
func (p *pool) give(id uint32) {
	p.at(id).Next = p.free
	p.free = id
}

// newPool returns an empty pool. Its first index is 1.
func newPool() pool {
	return pool{
		messages: []*[chunk]fabric.Message{new([chunk]fabric.Message)},
		extras:   make([]*[chunk]fabric.Extra, 1),
	}
}

// NewMessage returns a zeroed message.
func (b *Block) NewMessage() (fabric.MsgID, *fabric.Message) {
	id, m := b.pool.take()
	*m = fabric.Message{}
	return id, m
}

// Message returns a message by its ID.
func (b *Block) Message(id fabric.MsgID) *fabric.Message { return b.pool.at(uint32(id)) }

// Attach adds a zeroed Extra to a message and returns it.
func (b *Block) Attach(id fabric.MsgID) *fabric.Extra {
	b.pool.at(uint32(id)).Flags |= fabric.HasExtra
	x := b.pool.extra(uint32(id))
	*x = fabric.Extra{}
	return x
}

// Extra returns the Extra of a message that has one.
func (b *Block) Extra(id fabric.MsgID) *fabric.Extra { return b.pool.extra(uint32(id)) }

// Release returns a received message, or one that was never posted, for reuse.
func (b *Block) Release(id fabric.MsgID) { b.pool.give(uint32(id)) }
