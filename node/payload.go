package node

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
	concurrent bool // several blocks use it
	shards     [payloadShards]payloadShard
	// handles that the store gives out: the shards of processes take turns. processes is 0 for 1
	process, processes uint32
	// handles up to here are of contents that were in flight when the run was saved
	kept   uint32
	before struct {
		sync.Mutex
		contents map[uint32]contents // by handle
	}
}

type payloadShard struct {
	sync.Mutex
	slots []contents
	free  [payloadClasses + 1][]uint32 // slots by class; those of the last have no buffer
}

// contents is the contents of one message, with the mark that the program has given them.
type contents struct {
	data  []byte
	mark  uint64
	label uint64 // of a journal, 0 if there is none
}

// payloadClass returns the size class of contents of n bytes; n is at least 1.
func payloadClass(n int) int {
	return min(bits.Len(uint(n-1)/leastPayload), payloadClasses)
}

// put stores a copy of the contents and returns its handle, which is not 0.
func (p *payloads) put(rank int32, data []byte, mark uint64) uint32 {
	shard := uint32(0)
	if p.concurrent {
		shard = uint32(rank) % payloadShards
	}
	s := &p.shards[shard]
	if p.concurrent {
		s.Lock()
		defer s.Unlock()
	}
	return p.handle(shard, s.put(data, mark))
}

// handle returns the handle of a slot of a shard.
func (p *payloads) handle(shard, slot uint32) uint32 {
	n := slot*payloadShards + shard
	if p.processes > 1 {
		n = n*p.processes + p.process
	}
	return p.kept + n + 1
}

// slotOf returns the slot that a handle stands for, and its shard. REQUIRES: the store has given it out.
func (p *payloads) slotOf(handle uint32) (s *payloadShard, slot uint32) {
	n := handle - p.kept - 1
	if p.processes > 1 {
		n /= p.processes
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
		c.data = make([]byte, 0, len(data))
	}
	c.data, c.mark, c.label = append(c.data[:0], data...), mark, 0
	return i
}

// grow adds slots of a class.
func (s *payloadShard) grow(class int) {
	first := uint32(len(s.slots))
	if class == payloadClasses {
		s.slots = append(s.slots, contents{})
		s.free[class] = append(s.free[class], first)
		return
	}
	size := leastPayload << class
	slab := make([]byte, max(size, payloadSlab))
	for at := len(slab) - size; at >= 0; at -= size {
		s.free[class] = append(s.free[class], uint32(len(s.slots)))
		s.slots = append(s.slots, contents{data: slab[at : at : at+size]})
	}
}

// label labels the contents behind a handle.
func (p *payloads) label(handle uint32, label uint64) {
	s, i := p.slotOf(handle)
	if p.concurrent {
		s.Lock()
		defer s.Unlock()
	}
	s.slots[i].label = label
}

// view returns the contents behind a handle. They stay valid until drop.
func (p *payloads) view(handle uint32) contents {
	if handle <= p.kept {
		p.before.Lock()
		defer p.before.Unlock()
		return p.before.contents[handle]
	}
	s, i := p.slotOf(handle)
	if p.concurrent {
		s.Lock()
		defer s.Unlock()
	}
	return s.slots[i]
}

// has reports whether the contents behind a handle are in this process.
func (p *payloads) has(handle uint32) bool {
	if handle > p.kept {
		return p.processes <= 1 || (handle-p.kept-1)%p.processes == p.process
	}
	p.before.Lock()
	defer p.before.Unlock()
	_, here := p.before.contents[handle]
	return here
}

// drop removes contents from the store.
func (p *payloads) drop(handle uint32) {
	if handle <= p.kept {
		p.before.Lock()
		defer p.before.Unlock()
		delete(p.before.contents, handle)
		return
	}
	s, i := p.slotOf(handle)
	if p.concurrent {
		s.Lock()
		defer s.Unlock()
	}
	class := payloadClass(max(1, cap(s.slots[i].data)))
	if class == payloadClasses {
		s.slots[i].data = nil
	}
	s.slots[i].label = 0
	s.free[class] = append(s.free[class], i)
}

// labels appends where labelled contents are.
func (p *payloads) labels(list []labelled) []labelled {
	for shard := range p.shards {
		for i, c := range p.shards[shard].slots {
			if c.label != 0 {
				list = append(list, labelled{c.label, uint64(p.handle(uint32(shard), uint32(i)))})
			}
		}
	}
	for handle, c := range p.before.contents {
		list = append(list, labelled{c.label, uint64(handle)})
	}
	return list
}

// keep stores the contents that were in flight, under the handles that they had. All of them must have
// been sent again.
func (p *payloads) keep(list []labelled, found map[uint64]contents) bool {
	p.before.contents = make(map[uint32]contents, len(found))
	for _, l := range list {
		if l.Handle == 0 || l.Handle > math.MaxUint32 {
			return false
		}
		p.kept = max(p.kept, uint32(l.Handle))
		if c, here := found[l.Label]; here {
			p.before.contents[uint32(l.Handle)] = c
		}
	}
	if len(p.before.contents) != len(found) {
		return false
	}
	return true
}

// labelled is where contents with a label are.
type labelled struct {
	Label  uint64
	Handle uint64
}
