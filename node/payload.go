package node

import (
	"math/bits"
	"sync"
)

// payloadShards spreads the store of payloads over locks; a power of two.
const payloadShards = 64

// Contents are kept in buffers of a power of two of bytes, which are used again. The largest are left to
// the garbage collector: they are few, and would keep the memory of a program's largest messages for good.
const (
	leastPayload   = 64
	payloadClasses = 16 // that are used again: up to 2 MiB
	payloadSlab    = 16 << 10
)

// payloads keeps the contents of messages in flight, which one block puts in
// and another takes out. Messages without contents never touch it.
type payloads struct {
	concurrent bool // several blocks use it
	shards     [payloadShards]payloadShard
}

type payloadShard struct {
	sync.Mutex
	slots [][]byte
	free  [payloadClasses + 1][]uint32 // slots by class; those of the last have no buffer
}

// payloadClass is the class of contents of n bytes, which are at least one.
func payloadClass(n int) int {
	return min(bits.Len(uint(n-1)/leastPayload), payloadClasses)
}

// put stores a copy of the contents and returns its handle, which is not 0.
func (p *payloads) put(rank int32, data []byte) uint32 {
	shard := uint32(0)
	if p.concurrent {
		shard = uint32(rank) % payloadShards
	}
	s := &p.shards[shard]
	if p.concurrent {
		s.Lock()
		defer s.Unlock()
	}
	return s.put(data)*payloadShards + shard + 1
}

func (s *payloadShard) put(data []byte) uint32 {
	class := payloadClass(len(data))
	free := s.free[class]
	if len(free) == 0 {
		s.grow(class)
		free = s.free[class]
	}
	i := free[len(free)-1]
	s.free[class] = free[:len(free)-1]
	if class == payloadClasses {
		s.slots[i] = make([]byte, 0, len(data))
	}
	s.slots[i] = append(s.slots[i][:0], data...)
	return i
}

// grow adds slots of a class.
func (s *payloadShard) grow(class int) {
	first := uint32(len(s.slots))
	if class == payloadClasses {
		s.slots = append(s.slots, nil)
		s.free[class] = append(s.free[class], first)
		return
	}
	size := leastPayload << class
	slab := make([]byte, max(size, payloadSlab))
	for at := len(slab) - size; at >= 0; at -= size {
		s.free[class] = append(s.free[class], uint32(len(s.slots)))
		s.slots = append(s.slots, slab[at:at:at+size])
	}
}

// view is the contents behind a handle; they stay there until drop.
func (p *payloads) view(handle uint32) []byte {
	s := &p.shards[(handle-1)%payloadShards]
	if p.concurrent {
		s.Lock()
		defer s.Unlock()
	}
	return s.slots[(handle-1)/payloadShards]
}

// drop removes contents from the store.
func (p *payloads) drop(handle uint32) {
	s := &p.shards[(handle-1)%payloadShards]
	if p.concurrent {
		s.Lock()
		defer s.Unlock()
	}
	i := (handle - 1) / payloadShards
	class := payloadClass(max(1, cap(s.slots[i])))
	if class == payloadClasses {
		s.slots[i] = nil
	}
	s.free[class] = append(s.free[class], i)
}

// moveTo removes contents from the store, as far as there is room for them to a buffer.
func (p *payloads) moveTo(buffer []byte, handle uint32) {
	copy(buffer, p.view(handle))
	p.drop(handle)
}

// deposit takes contents, if the handle is of any, to where they go.
func (b *Block) deposit(buffer []byte, handle uint32) {
	if handle != 0 {
		b.world.payloads.moveTo(buffer, handle)
	}
}

// buffer is where the contents of a message go.
type buffer struct {
	_    uint32 // the pool's
	data []byte
	told *Status // of the message; nil if the program asks for it
}
