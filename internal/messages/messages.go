// Package messages has the pool of the messages of a block, of network models other than package
// fabric.
package messages

import "fabricast/fabric"

// chunk is the number of messages that are allocated at once.
const (
	chunkBits = 10
	chunk     = 1 << chunkBits
)

// most limits the number of messages of a block that are in flight at once.
const most = 1 << 31

var errMessages = &fabric.LimitError{Reason: "more messages under way at once than can be numbered"}

// Pool holds the messages that a block's hosts fill in, and those that have been received. Their
// addresses never change. A fabric.MsgID is an index; 0 is not used. It has the methods of
// fabric.Transport that are about memory.
type Pool struct {
	messages []*[chunk]fabric.Message
	extras   []*[chunk]fabric.Extra // nil for chunks in which no message has one
	used     uint32                 // number of indices assigned so far
	free     uint32                 // head of the list of released messages; 0: empty
}

// NewPool returns an empty pool. Its first index is 1.
func NewPool() Pool {
	return Pool{
		messages: []*[chunk]fabric.Message{new([chunk]fabric.Message)},
		extras:   make([]*[chunk]fabric.Extra, 1),
	}
}

// Take returns a message with undefined contents. It panics if there are too many.
func (p *Pool) Take() (fabric.MsgID, *fabric.Message) {
	if id := p.free; id != 0 {
		m := p.at(id)
		p.free = m.Next
		return fabric.MsgID(id), m
	}
	p.used++
	if p.used >= most {
		panic(errMessages)
	}
	if int(p.used>>chunkBits) == len(p.messages) {
		p.messages = append(p.messages, new([chunk]fabric.Message))
		p.extras = append(p.extras, nil)
	}
	return fabric.MsgID(p.used), p.at(p.used)
}

func (p *Pool) at(id uint32) *fabric.Message { return &p.messages[id>>chunkBits][id%chunk] }

// NewMessage returns a zeroed message.
func (p *Pool) NewMessage() (fabric.MsgID, *fabric.Message) {
	id, m := p.Take()
	*m = fabric.Message{}
	return id, m
}

// Message returns a message by its ID.
func (p *Pool) Message(id fabric.MsgID) *fabric.Message { return p.at(uint32(id)) }

// Attach adds a zeroed Extra to a message and returns it.
func (p *Pool) Attach(id fabric.MsgID) *fabric.Extra {
	p.at(uint32(id)).Flags |= fabric.HasExtra
	x := p.Extra(id)
	*x = fabric.Extra{}
	return x
}

// Extra returns the Extra of a message, with undefined contents unless it has one.
func (p *Pool) Extra(id fabric.MsgID) *fabric.Extra {
	part := &p.extras[uint32(id)>>chunkBits]
	if *part == nil {
		*part = new([chunk]fabric.Extra)
	}
	return &(*part)[uint32(id)%chunk]
}

// Release returns a received message, or one that was never posted, for reuse.
func (p *Pool) Release(id fabric.MsgID) {
	p.at(uint32(id)).Next = p.free
	p.free = uint32(id)
}
