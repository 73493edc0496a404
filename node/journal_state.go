package node

import (
	"math"
	"runtime/debug"

	"fabricast/fabric"
	"fabricast/internal/snapshot"
)

// fed is what the programs of a world are fed with that goes on from a file.
type fed struct {
	read  func(block int) (more func() ([]byte, error)) // nil: the run begins
	flush func(block int, records []byte)               // at the process that keeps the journal
	kept  keptJournal
}

// keptJournal is what a checkpoint holds of the journals of all processes.
type keptJournal struct {
	Contexts    []numbered[Creation, int32]
	Combination int64 // the highest number of one
	Contents    []labelled
}

// labelled is where contents with a label are.
type labelled struct {
	Label  uint64
	Handle uint64
}

// Journal makes the world keep journals, so that it can be saved although its programs are not
// Stateful. first is the number of the first of its blocks among those of all processes. flush gets the
// records of a block from time to time, in the first process those of all blocks; others do not call
// it. Different blocks call it at the same time. If the run goes on from a file, read returns the
// records of a block up to there, piece by piece and then io.EOF; else it is nil. Call Journal before
// the first window, and State where the state of the world's blocks is saved, before them.
func (w *World) Journal(
	first int, flush func(block int, records []byte), read func(block int) (more func() ([]byte, error)),
) {
	w.fed = &fed{read: read, flush: flush}
	w.contexts.numbers = map[Creation]int32{}
	if w.elsewhere != nil && w.elsewhere.group.Rank() > 0 {
		flush = w.tellJournal
	}
	for i, b := range w.blocks.all() {
		j := &journal{block: b, number: first + i, time: b.transport.(fabric.VirtualTime), flush: flush}
		b.journal, b.ops.journal, b.rma.journal, b.rendezvous.journal = j, j, j, j
	}
}

// FlushJournal hands over all records, and gathers what State saves at the first process. No block may
// be running. All processes call it before each State that saves.
func (w *World) FlushJournal() {
	if w.fed == nil {
		return
	}
	for _, b := range w.blocks.all() {
		b.journal.flushAll()
	}
	kept := &w.fed.kept
	kept.Contexts = kept.Contexts[:0]
	for c, n := range w.contexts.numbers {
		kept.Contexts = append(kept.Contexts, numbered[Creation, int32]{c, n})
	}
	kept.Combination = w.combinations.kept
	for n := range w.combinations.made {
		kept.Combination = max(kept.Combination, n)
	}
	kept.Contents = w.payloads.labels(kept.Contents[:0])
	if w.elsewhere != nil {
		w.gatherJournal()
	}
}

// State goes over what belongs to the journals of a world beside the state of its blocks. If it
// restores that from a file, it also runs the programs again. All processes restore it at the same time.
func (w *World) State(v *snapshot.Visitor) {
	if w.fed == nil {
		return
	}
	kept := &w.fed.kept
	snapshot.List(v, &kept.Contexts)
	snapshot.Value(v, &kept.Combination)
	snapshot.List(v, &kept.Contents)
	if w.lasting != nil {
		w.lasting.State(v)
	}
	if !v.Fresh() {
		return
	}
	w.takeNumbers()
	if w.lasting != nil {
		w.lasting.Again(true)
		defer w.lasting.Again(false)
	}
	if err := w.again(v.Err()); err != nil {
		v.Fail(err)
	}
}

// takeNumbers takes over which numbers communicators have, and from where on there are others.
func (w *World) takeNumbers() {
	x := &w.contexts
	clear(x.numbers)
	for _, c := range w.fed.kept.Contexts {
		x.numbers[c.Key] = c.Value
	}
	x.kept, w.combinations.kept = x.highest(), w.fed.kept.Combination
}

// again runs the programs again up to where they were, unless err says that this process cannot.
func (w *World) again(err error) error {
	shared := &feeds{contents: map[uint64]contents{}, combinations: map[int64]int64{}, err: err}
	if w.elsewhere != nil {
		shared.across = newFeedsAcross(w)
	}
	var list []*feed
	for _, b := range w.blocks.all() {
		f := &feed{
			feeds: shared, journal: b.journal, block: b, more: w.fed.read(b.journal.number),
			live: map[uint32]buffer{}, numbers: make([]uint64, len(b.ranks)),
		}
		b.journal.feed = f
		list = append(list, f)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // as where programs run else
	w.contexts.again = true
	err = shared.passAll(list)
	w.contexts.again = false
	for _, f := range list {
		f.journal.feed, f.journal.inside = nil, false
	}
	if err == nil {
		err = w.payloads.keep(w.fed.kept.Contents, shared)
	}
	for _, f := range list {
		if err == nil {
			err = f.block.requests.rebuild(f.live)
		}
	}
	return err
}

// passAll feeds programs window by window, until nothing is left.
func (s *feeds) passAll(list []*feed) error {
	for {
		next := int64(math.MaxInt64)
		for _, f := range list {
			next = min(next, f.window())
			s.fail(f.err)
		}
		if s.across != nil {
			next = s.across.meet(s, next)
		}
		if s.err != nil || next == math.MaxInt64 {
			return s.err
		}
		for _, f := range list {
			if s.err == nil && f.window() == next {
				f.pass(next)
			}
			s.fail(f.err)
		}
	}
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
func (p *payloads) keep(list []labelled, s *feeds) error {
	p.before.contents = make(map[uint32]contents, len(s.contents))
	for _, l := range list {
		if l.Handle == 0 || l.Handle > math.MaxUint32 {
			return errJournal
		}
		p.kept = max(p.kept, uint32(l.Handle))
		if c, here := s.contents[l.Label]; here {
			p.before.contents[uint32(l.Handle)] = c
		}
	}
	if len(p.before.contents) != len(s.contents) {
		return errJournal
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
