package core

import (
	"math"
	"math/bits"
	"sync"
)

// payloadShards is the number of locks over which the store of payloads is spread; a power of two.
const payloadShards = 64

// Contents are stored in buffers of a power of two of bytes, which are reused. The largest are left
// to the garbage collector: they are few, and would hold the memory of a program's largest messages
// forever.
const (
	leastPayload   = 64
	payloadClasses = 16 // that are used again: up to 2 MiB
	payloadSlab    = 16 << 10
)

// payloads stores the contents of messages in flight. One block stores them and another removes
// them. Messages without contents never use it.
//
// Where several processes share the run, each of them has a store, whose handles are those of no other.
// So contents that were in flight when a run was saved keep their handles, in whichever process they
// are afterwards: that of the rank that gets them.
type payloads struct {
	Concurrent bool // several blocks use it
	shards     [payloadShards]payloadShard
	// handles that the store gives out: the shards of processes take turns. processes is 0 for 1
	Process, Processes uint32
	// handles up to here are of contents that were in flight when the run was saved
	kept   uint32
	before struct {
		sync.Mutex
		contents map[uint32]Contents // by handle
	}
}

type payloadShard struct {
	sync.Mutex
	slots []Contents
	free  [payloadClasses + 1][]uint32 // slots by class; those of the last have no buffer
}

// Contents is the contents of one message, with the mark that the program has given them.
type Contents struct {
	Data  []byte
	Mark  uint64
	Label uint64 // of a journal, 0 if there is none
}

// payloadClass returns the size class of contents of n bytes; n is at least 1.
func payloadClass(n int) int {
	return min(bits.Len(uint(n-1)/leastPayload), payloadClasses)
}

// Put stores a copy of the contents and returns its handle, which is not 0.
func (p *payloads) Put(rank int32, data []byte, mark uint64) uint32 {
	shard := uint32(0)
	if p.Concurrent {
		shard = uint32(rank) % payloadShards
	}
	s := &p.shards[shard]
	if p.Concurrent {
		s.Lock()
		defer s.Unlock()
	}
	return p.handle(shard, s.put(data, mark))
}

// handle returns the handle of a slot of a shard.
func (p *payloads) handle(shard, slot uint32) uint32 {
	n := slot*payloadShards + shard
	if p.Processes > 1 {
		n = n*p.Processes + p.Process
	}
	return p.kept + n + 1
}

// slotOf returns the slot that a handle stands for, and its shard. REQUIRES: the store has given it out.
func (p *payloads) slotOf(handle uint32) (s *payloadShard, slot uint32) {
	n := handle - p.kept - 1
	if p.Processes > 1 {
		n /= p.Processes
	}
	return &p.shards[n%payloadShards], n / payloadShards
}

func (s *payloadShard) put(data []byte, mark uint64) uint32 {
	class := payloadClass(len(data))
	free := s.free[class]
	if len(free) == 0 {
		s.grow(class)
		free = s.free[class]
	}
	i := free[len(free)-1]
	s.free[class] = free[:len(free)-1]
	c := &s.slots[i]
	if class == payloadClasses {
		c.Data = make([]byte, 0, len(data))
	}
	c.Data, c.Mark, c.Label = append(c.Data[:0], data...), mark, 0
	return i
}

// grow adds slots of a class.
func (s *payloadShard) grow(class int) {
	first := uint32(len(s.slots))
	if class == payloadClasses {
		s.slots = append(s.slots, Contents{})
		s.free[class] = append(s.free[class], first)
		return
	}
	size := leastPayload << class
	slab := make([]byte, max(size, payloadSlab))
	for at := len(slab) - size; at >= 0; at -= size {
		s.free[class] = append(s.free[class], uint32(len(s.slots)))
		s.slots = append(s.slots, Contents{Data: slab[at : at : at+size]})
	}
}

// Label labels the contents behind a handle.
func (p *payloads) Label(handle uint32, label uint64) {
	s, i := p.slotOf(handle)
	if p.Concurrent {
		s.Lock()
		defer s.Unlock()
	}
	s.slots[i].Label = label
}

// View returns the contents behind a handle. They stay valid until drop.
func (p *payloads) View(handle uint32) Contents {
	if handle <= p.kept {
		p.before.Lock()
		defer p.before.Unlock()
		return p.before.contents[handle]
	}
	s, i := p.slotOf(handle)
	if p.Concurrent {
		s.Lock()
		defer s.Unlock()
	}
	return s.slots[i]
}

// Has reports whether the contents behind a handle are in this process.
func (p *payloads) Has(handle uint32) bool {
	if handle > p.kept {
		return p.Processes <= 1 || (handle-p.kept-1)%p.Processes == p.Process
	}
	p.before.Lock()
	defer p.before.Unlock()
	_, here := p.before.contents[handle]
	return here
}

// Drop removes contents from the store.
func (p *payloads) Drop(handle uint32) {
	if handle <= p.kept {
		p.before.Lock()
		defer p.before.Unlock()
		delete(p.before.contents, handle)
		return
	}
	s, i := p.slotOf(handle)
	if p.Concurrent {
		s.Lock()
		defer s.Unlock()
	}
	class := payloadClass(max(1, cap(s.slots[i].Data)))
	if class == payloadClasses {
		s.slots[i].Data = nil
	}
	s.slots[i].Label = 0
	s.free[class] = append(s.free[class], i)
}

// Labels appends where labelled contents are.
func (p *payloads) Labels(list []Labelled) []Labelled {
	for shard := range p.shards {
		for i, c := range p.shards[shard].slots {
			if c.Label != 0 {
				list = append(list, Labelled{c.Label, uint64(p.handle(uint32(shard), uint32(i)))})
			}
		}
	}
	for handle, c := range p.before.contents {
		list = append(list, Labelled{c.Label, uint64(handle)})
	}
	return list
}

// Keep stores the contents that were in flight, under the handles that they had. All of them must have
// been sent again.
func (p *payloads) Keep(list []Labelled, found map[uint64]Contents) bool {
	p.before.contents = make(map[uint32]Contents, len(found))
	for _, l := range list {
		if l.Handle == 0 || l.Handle > math.MaxUint32 {
			return false
		}
		p.kept = max(p.kept, uint32(l.Handle))
		if c, here := found[l.Label]; here {
			p.before.contents[uint32(l.Handle)] = c
		}
	}
	return len(p.before.contents) == len(found)
}

// Labelled is where contents with a label are.
type Labelled struct {
	Label  uint64
	Handle uint64
}
