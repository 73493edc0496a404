package fabric

import "fabricast/internal/offheap"

// messagePool holds the messages that a block's hosts have sent. Their
// addresses do not change, so that the receiving block can read and release
// them. A MsgID is block << indexBits | index.
type messagePool struct {
	arena  *offheap.Arena
	chunks [maxChunks]*messageChunk
	used   uint32 // indexes handed out so far; 0 is no message
	free   []uint32
}

const (
	chunkBits = 12
	maxChunks = 1 << 14
)

type messageChunk [1 << chunkBits]Message

// NewMessage returns a zeroed message.
func (b *Block) NewMessage() (MsgID, *Message) {
	pool := &b.messages
	var index uint32
	if n := len(pool.free); n > 0 {
		index = pool.free[n-1]
		pool.free = pool.free[:n-1]
	} else {
		index = pool.grow()
	}
	m := &pool.chunks[index>>chunkBits][index&(1<<chunkBits-1)]
	*m = Message{}
	return MsgID(uint32(b.index)<<b.net.indexBits | index), m
}

func (p *messagePool) grow() uint32 {
	p.used++
	chunk := p.used >> chunkBits
	if chunk >= maxChunks {
		panic(errMessages)
	}
	if p.chunks[chunk] == nil {
		m, err := offheap.Make[messageChunk](p.arena, 1)
		if err != nil {
			panic(err)
		}
		p.chunks[chunk] = &m[0]
	}
	return p.used
}

// Message returns a message of any block by its ID.
func (b *Block) Message(id MsgID) *Message {
	bits := b.net.indexBits
	index := uint32(id) & (1<<bits - 1)
	return &b.net.blocks[uint32(id)>>bits].messages.chunks[index>>chunkBits][index&(1<<chunkBits-1)]
}

// Release gives back a delivered message.
func (b *Block) Release(id MsgID) {
	owner := uint32(id) >> b.net.indexBits
	index := uint32(id) & (1<<b.net.indexBits - 1)
	if owner == uint32(b.index) {
		b.messages.free = append(b.messages.free, index)
		return
	}
	box := b.outgoing(int(owner))
	box.released = append(box.released, index)
}

// SetTimer asks for the endpoint's Wake of a host at a time.
func (b *Block) SetTimer(host int32, at int64) {
	router := b.hosts[host]
	lr := &b.routers[router]
	timer := uint32(host) - lr.hosts
	if at == Forever {
		b.disarm(lr, timer)
		return
	}
	b.arm(router, timer, at)
}
