package node

import (
	"math"
	"runtime/debug"

	"fabricast/fabric"
	"fabricast/internal/snapshot"
)

// fed is what the programs of a world are fed with that goes on from a file.
type fed struct {
	read func(block int) (more func() ([]byte, error)) // nil: the run begins
	list []labelled
}

// labelled is where contents with a label are.
type labelled struct {
	Label  uint64
	Handle uint64
}

// Journal makes the world keep journals, so that it can be saved although its programs are not
// Stateful. flush gets the records of a block from time to time. Different blocks call it at the
// same time. If the run goes on from a file, read returns the records of a block up to there, piece
// by piece and then io.EOF; else it is nil. Call Journal before the first window, and State where
// the state of the world's blocks is saved, before them.
func (w *World) Journal(
	flush func(block int, records []byte), read func(block int) (more func() ([]byte, error)),
) {
	w.fed = &fed{read: read}
	w.contexts.numbers = map[Creation]int32{}
	for i, b := range w.blocks.all() {
		j := &journal{block: b, number: i, time: b.transport.(fabric.VirtualTime), flush: flush}
		b.journal, b.ops.journal, b.rma.journal, b.rendezvous.journal = j, j, j, j
	}
}

// FlushJournal hands over all records. No block may be running.
func (w *World) FlushJournal() {
	if w.fed == nil {
		return
	}
	for _, b := range w.blocks.all() {
		b.journal.flushAll()
	}
}

// State goes over what belongs to the journals of a world beside the state of its blocks. If it
// restores that from a file, it also runs the programs again.
func (w *World) State(v *snapshot.Visitor) {
	if w.fed == nil {
		return
	}
	stateOf(v, &w.contexts.list, w.contexts.numbers)
	list := w.fed.list[:0]
	if !v.Restores() {
		list = w.payloads.labels(list)
	}
	snapshot.List(v, &list)
	if w.lasting != nil {
		w.lasting.State(v)
	}
	if w.fed.list = list; v.Err() != nil || !v.Fresh() {
		return
	}
	if w.lasting != nil {
		w.lasting.Again(true)
		defer w.lasting.Again(false)
	}
	if err := w.again(); err != nil {
		v.Fail(err)
	}
}

// again runs the programs again up to where they were.
func (w *World) again() error {
	shared := &feeds{contents: map[uint64]contents{}, combinations: map[int64]int64{}}
	var list []*feed
	for i, b := range w.blocks.all() {
		f := &feed{
			feeds: shared, journal: b.journal, block: b, more: w.fed.read(i),
			live: map[uint32]buffer{}, numbers: make([]uint64, len(b.ranks)),
		}
		b.journal.feed = f
		list = append(list, f)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // as where programs run else
	w.contexts.again = true
	err := passAll(list)
	w.contexts.again = false
	for _, f := range list {
		f.journal.feed, f.journal.inside = nil, false
		if err == nil {
			err = f.block.requests.rebuild(f.live)
		}
	}
	if err == nil {
		err = w.payloads.rebuild(w.fed.list, shared.contents)
	}
	if err == nil {
		err = w.renumber(shared.combinations)
	}
	return err
}

// passAll feeds programs window by window, until nothing is left.
func passAll(list []*feed) error {
	for {
		next := int64(math.MaxInt64)
		for _, f := range list {
			next = min(next, f.window())
		}
		for _, f := range list {
			if next < math.MaxInt64 && f.window() == next {
				f.pass(next)
			}
			if f.err != nil {
				return f.err
			}
		}
		if next == math.MaxInt64 {
			return nil
		}
	}
}

// renumber gives combinations the numbers that they had before. Others follow.
func (w *World) renumber(now map[int64]int64) error {
	c := &w.combinations
	list := make([]combination, 0, len(c.list))
	moved := map[int64]int64{} // by the number that it has now, the one that it had
	for before, n := range now {
		if before == 0 {
			continue
		}
		if _, twice := moved[n]; twice || before < 0 || before > math.MaxInt32 {
			return errJournal
		}
		moved[n] = before
		list = append(list, make([]combination, max(0, int(before)-len(list)))...)
		list[before-1] = c.list[n-1]
	}
	for i, x := range c.list {
		if _, ok := moved[int64(i)+1]; !ok {
			list = append(list, x)
			moved[int64(i)+1] = int64(len(list))
		}
	}
	for key, n := range c.numbers {
		c.numbers[key] = moved[n]
	}
	c.list = list
	return nil
}

// rebuild makes the pool of buffers hold those that are in use.
func (p *requests) rebuild(live map[uint32]buffer) error {
	p.buffers = pool[buffer]{}
	for id := range live {
		for !p.buffers.has(id) {
			if id >= maxElements {
				return errJournal
			}
			p.buffers.grow()
		}
		p.buffers.used = max(p.buffers.used, id+1)
	}
	for id := p.buffers.used; id > 1; id-- {
		if b, used := live[id-1]; used {
			*p.buffers.at(id - 1) = b
		} else {
			p.buffers.release(id - 1)
		}
	}
	return nil
}

// labels appends where labelled contents are.
func (p *payloads) labels(list []labelled) []labelled {
	for shard := range p.shards {
		for i, c := range p.shards[shard].slots {
			if c.label != 0 {
				list = append(list, labelled{c.label, uint64(i*payloadShards + shard + 1)})
			}
		}
	}
	return list
}

// rebuild puts contents where they were. All of them must have been somewhere.
func (p *payloads) rebuild(list []labelled, all map[uint64]contents) error {
	if len(list) != len(all) {
		return errJournal
	}
	clear(p.shards[:])
	used := map[uint64]bool{}
	for _, l := range list {
		c, ok := all[l.Label]
		if !ok || l.Handle == 0 || l.Handle > math.MaxUint32 {
			return errJournal
		}
		used[l.Handle] = true
		s, i := &p.shards[(l.Handle-1)%payloadShards], int((l.Handle-1)/payloadShards)
		s.slots = append(s.slots, make([]contents, max(0, i+1-len(s.slots)))...)
		room := len(c.data)
		if class := payloadClass(room); class < payloadClasses {
			room = leastPayload << class
		}
		c.data = append(make([]byte, 0, room), c.data...)
		s.slots[i] = c
	}
	for shard := range p.shards {
		s := &p.shards[shard]
		for i := range s.slots {
			if !used[uint64(i*payloadShards+shard+1)] {
				s.free[payloadClasses] = append(s.free[payloadClasses], uint32(i))
			}
		}
	}
	return nil
}

// locksState goes over the locks of regions. The regions themselves are there.
func (s *rma) locksState(v *snapshot.Visitor) {
	for _, own := range s.regions {
		if v.Length(len(own)) != len(own) {
			v.Fail(errJournal)
			return
		}
		for _, g := range own {
			if g != nil {
				snapshot.Value(v, &g.lock)
			}
		}
	}
}
