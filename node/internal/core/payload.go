package core

import (
	"math"
	"math/bits"
	"sync"
	"sync/atomic"
)

// payloadShards is the number of shards of the store of contents, each with a lock; a power of two.
const payloadShards = 64

// Contents are stored in reusable buffers whose sizes are powers of two. The largest buffers are
// left to the garbage collector: they are few, and would occupy the memory of a program's largest
// messages for the rest of the run.
const (
	leastPayload   = 64
	payloadClasses = 16 // size classes with reusable buffers: up to 2 MiB
	payloadSlab    = 16 << 10
)

// payloads stores the contents of messages in flight. One block stores them and another one removes
// them. Messages without contents never use it.
//
// If several processes share the run, each of them has a store, and their handles are disjoint. So
// contents that were in flight when a run was saved keep their handles when the run is resumed,
// although they may be in a different process: the one that runs the receiver.
type payloads struct {
	Concurrent bool // several blocks use the store
	// Copied counts the bytes that are copied into the store and from it to receivers; nil: nobody counts.
	Copied *atomic.Int64
	shards [payloadShards]payloadShard
	// The handles of the shards of all processes interleave. Processes is 0 for a single process.
	Process, Processes uint32
	// kept is the highest handle of contents that were in flight when the run was saved.
	kept   uint32
	before struct {
		sync.Mutex
		contents map[uint32]Contents // contents that were in flight, by handle
	}
}

type payloadShard struct {
	sync.Mutex
	slots []Contents
	// unused slots by size class; those of the last class have no buffer
	free [payloadClasses + 1][]uint32
}

// Contents is the contents of one message, with the mark that the program has attached.
type Contents struct {
	Data  []byte
	Mark  uint64
	Label uint64 // identifies the contents in a journal; 0 if there is none
	// Data is memory of the sender, which leaves it unchanged until it takes the loan back.
	lent bool
	from int32 // world rank of the sender, if Data is lent
	// loans counts the loans for which this place has been used, so that an earlier one is recognized.
	loans uint32
}

// Loan identifies contents that are lent: they stay in the sender's memory until the receiver copies
// them, or until Reclaim. The zero Loan is none.
type Loan struct{ handle, number uint32 }

// payloadClass returns the size class for contents of n bytes; n is at least 1.
func payloadClass(n int) int {
	return min(bits.Len(uint(n-1)/leastPayload), payloadClasses)
}

// Put stores a copy of data and returns its handle, which is not 0.
func (p *payloads) Put(rank int32, data []byte, mark uint64) uint32 {
	shard := uint32(0)
	if p.Concurrent {
		shard = uint32(rank) % payloadShards
	}
	p.copied(len(data))
	s := &p.shards[shard]
	if p.Concurrent {
		s.Lock()
		defer s.Unlock()
	}
	return p.handle(shard, s.put(data, mark))
}

// Lend is like Put without a copy: the contents stay where they are. The sender must not change data
// before the receiver has taken it, and calls Reclaim before it gives data away. REQUIRES: there are no
// journals, and no other processes.
func (p *payloads) Lend(rank int32, data []byte, mark uint64) (handle uint32, loan Loan) {
	shard := uint32(0)
	if p.Concurrent {
		shard = uint32(rank) % payloadShards
	}
	s := &p.shards[shard]
	if p.Concurrent {
		s.Lock()
		defer s.Unlock()
	}
	i := s.take(payloadClasses)
	c := &s.slots[i]
	c.Data, c.Mark, c.Label, c.lent, c.from = data, mark, 0, true, rank
	c.loans++
	handle = p.handle(shard, i)
	return handle, Loan{handle, c.loans}
}

// Lent reports whether the receiver has not taken the contents of a loan yet.
func (p *payloads) Lent(l Loan) bool {
	s, i := p.slotOf(l.handle)
	if p.Concurrent {
		s.Lock()
		defer s.Unlock()
	}
	return s.slots[i].of(l)
}

// Reclaim ends a loan: if the receiver has not taken the contents yet, it will find a copy.
func (p *payloads) Reclaim(l Loan) {
	s, i := p.slotOf(l.handle)
	if p.Concurrent {
		s.Lock()
		defer s.Unlock()
	}
	c := &s.slots[i]
	if !c.of(l) {
		return
	}
	n := len(c.Data)
	room := n
	if class := payloadClass(n); class < payloadClasses {
		room = leastPayload << class
	}
	c.Data = append(make([]byte, 0, room), c.Data...)
	c.lent = false
	p.copied(n)
}

// of reports whether the place still holds the contents of a loan.
func (c *Contents) of(l Loan) bool { return c.lent && c.loans == l.number }

// Move copies contents to a buffer, truncated to its size, and removes them from the store. fill does
// the copying.
func (p *payloads) Move(handle uint32, fill func(c *Contents)) (mark uint64) {
	c := p.View(handle)
	if !c.lent {
		fill(&c)
		p.Drop(handle)
		return c.Mark
	}
	p.moveLent(handle, fill)
	return c.Mark
}

// moveLent implements Move for contents that are lent, or were a moment ago. It keeps the lock while it
// copies: the sender cannot take them back meanwhile.
func (p *payloads) moveLent(handle uint32, fill func(c *Contents)) {
	s, i := p.slotOf(handle)
	if p.Concurrent {
		s.Lock()
		defer s.Unlock()
	}
	fill(&s.slots[i])
	s.drop(i)
}

// copied counts bytes that have been copied, if somebody counts.
func (p *payloads) copied(n int) {
	if p.Copied != nil {
		p.Copied.Add(int64(n))
	}
}

// handle returns the handle for a slot of a shard.
func (p *payloads) handle(shard, slot uint32) uint32 {
	n := slot*payloadShards + shard
	if p.Processes > 1 {
		n = n*p.Processes + p.Process
	}
	return p.kept + n + 1
}

// slotOf returns the shard and slot of a handle. REQUIRES: the store has issued the handle.
func (p *payloads) slotOf(handle uint32) (s *payloadShard, slot uint32) {
	n := handle - p.kept - 1
	if p.Processes > 1 {
		n /= p.Processes
	}
	return &p.shards[n%payloadShards], n / payloadShards
}

func (s *payloadShard) put(data []byte, mark uint64) uint32 {
	class := payloadClass(len(data))
	i := s.take(class)
	c := &s.slots[i]
	if class == payloadClasses {
		c.Data = make([]byte, 0, len(data))
	}
	c.Data, c.Mark, c.Label = append(c.Data[:0], data...), mark, 0
	return i
}

// take returns an unused slot of a size class.
func (s *payloadShard) take(class int) uint32 {
	if len(s.free[class]) == 0 {
		s.grow(class)
	}
	free := s.free[class]
	i := free[len(free)-1]
	s.free[class] = free[:len(free)-1]
	return i
}

// grow adds unused slots of a size class.
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

// Label sets the label of the contents behind a handle.
func (p *payloads) Label(handle uint32, label uint64) {
	s, i := p.slotOf(handle)
	if p.Concurrent {
		s.Lock()
		defer s.Unlock()
	}
	s.slots[i].Label = label
}

// View returns the contents behind a handle. They stay valid until Drop.
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

// Has reports whether this process has the contents behind a handle.
func (p *payloads) Has(handle uint32) bool {
	if handle > p.kept {
		return p.Processes <= 1 || (handle-p.kept-1)%p.Processes == p.Process
	}
	p.before.Lock()
	defer p.before.Unlock()
	_, here := p.before.contents[handle]
	return here
}

// Drop removes the contents behind a handle from the store.
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
	s.drop(i)
}

// drop makes a slot unused.
func (s *payloadShard) drop(i uint32) {
	c := &s.slots[i]
	class := payloadClass(max(1, cap(c.Data)))
	if c.lent {
		class = payloadClasses
	}
	if class == payloadClasses {
		c.Data = nil
	}
	c.Label, c.lent = 0, false
	s.free[class] = append(s.free[class], i)
}

// Labels appends the labels and handles of all labelled contents.
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

// Keep stores the contents that were in flight when the run was saved, under their former handles.
// It returns false if some contents in found, which programs have sent again, are not in list.
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

// Labelled maps the label of contents to their handle.
type Labelled struct {
	Label  uint64
	Handle uint64
}
