package node

import (
	"encoding/binary"
	"errors"
	"fabricast/fabric"
	"fabricast/internal/processes"
	"fabricast/internal/snapshot"
	"runtime/debug"
)

// fed is what the programs of a world are fed with that goes on from a file.
type fed struct {
	read  func(block int) (more func() ([]byte, error)) // nil: the run begins
	flush func(block int, records []byte)               // at the process that keeps the journal
	kept  keptJournal
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
	w.shared.communicators.numbers = map[Creation]int32{}
	if w.elsewhere != nil && w.elsewhere.group.Rank() > 0 {
		flush = w.tellJournal
	}
	for i, b := range w.blocks.all() {
		x := &callJournal{journal{
			world: &w.shared, number: first + i, time: b.transport.(fabric.VirtualTime), flush: flush,
		}}
		j := &x.journal
		b.journal, b.ops.journal, b.rma.journal, b.rendezvous.journal = j, x, j, j
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
	for c, n := range w.shared.communicators.numbers {
		kept.Contexts = append(kept.Contexts, numbered[Creation, int32]{c, n})
	}
	kept.Combination = w.shared.combinations.highest()
	kept.Contents = w.shared.payloads.labels(kept.Contents[:0])
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
	w.shared.communicators.restore(w.fed.kept.Contexts)
	w.shared.combinations.kept = w.fed.kept.Combination
}

// again runs the programs again up to where they were, unless err says that this process cannot.
func (w *World) again(err error) error {
	shared := &feeds{
		contents: map[uint64]contents{}, combinations: map[int64]int64{}, alias: w.sameCombination, err: err,
	}
	if w.elsewhere != nil {
		var own []int32
		for _, b := range w.blocks.all() {
			for i := range b.ranks {
				own = append(own, b.ranks[i].id)
			}
		}
		shared.across = newFeedsAcross(w.elsewhere.group, w, own, len(w.shared.hostOf))
	}
	var list []*feed
	for _, b := range w.blocks.all() {
		f := &feed{
			feeds: shared, journal: b.journal, runs: b, more: w.fed.read(b.journal.number),
			live: map[uint32]buffer{}, numbers: make([]uint64, len(b.ranks)),
		}
		b.journal.feed = f
		list = append(list, f)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // as where programs run else
	w.shared.communicators.again = true
	err = shared.passAll(list)
	w.shared.communicators.again = false
	for _, f := range list {
		f.journal.feed, f.journal.inside = nil, false
	}
	if err == nil && !w.shared.payloads.keep(w.fed.kept.Contents, shared.contents) {
		err = errJournal
	}
	for i, b := range w.blocks.all() {
		if err == nil && !b.requests.rebuild(list[i].live) {
			err = errJournal
		}
	}
	return err
}

// tellJournal passes records of a block to the first process, which keeps the journal.
func (w *World) tellJournal(block int, records []byte) {
	news := binary.LittleEndian.AppendUint32(nil, uint32(block))
	w.elsewhere.tell(0, true, newJournal, append(news, records...))
}

func (w *World) hearJournal(news []byte) {
	w.fed.flush(int(binary.LittleEndian.Uint32(news)), news[4:])
}

// gatherJournal brings what the other processes keep of their journals to the first.
func (w *World) gatherJournal() {
	w.exchangeNews()
	kept := &w.fed.kept
	known := map[Creation]bool{}
	for _, c := range kept.Contexts {
		known[c.Key] = true
	}
	for p, of := range processes.GatherFirst(w.elsewhere.group, *kept) {
		if p == 0 {
			continue
		}
		for _, c := range of.Contexts {
			if !known[c.Key] {
				known[c.Key] = true
				kept.Contexts = append(kept.Contexts, c)
			}
		}
		kept.Combination = max(kept.Combination, of.Combination)
		kept.Contents = append(kept.Contents, of.Contents...)
	}
}

// sameCombination makes a combination of a program that runs again known, in all processes, by the number
// that it had before.
func (w *World) sameCombination(before, now int64) {
	if before == 0 {
		return
	}
	w.shared.combinations.alias(before, now)
	if w.elsewhere != nil {
		news := binary.LittleEndian.AppendUint64(nil, uint64(before))
		w.elsewhere.tell(ToAll, true, newNumber, binary.LittleEndian.AppendUint64(news, uint64(now)))
	}
}

func (w *World) hearNumber(news []byte) {
	before, now := int64(binary.LittleEndian.Uint64(news)), int64(binary.LittleEndian.Uint64(news[8:]))
	w.shared.combinations.alias(before, now)
}

// keptJournal is what a checkpoint holds of the journals of all processes.
type keptJournal struct {
	Contexts    []numbered[Creation, int32]
	Combination int64 // the highest number of one
	Contents    []labelled
}

// ErrStacks is why the state of a world whose programs are not Stateful can only be saved with a
// journal.
var ErrStacks = errors.New("its ranks keep their state on stacks or elsewhere, not in a few numbers")

// Saveable returns why the state of a world cannot be saved and restored; nil if it can. To find out
// it makes the program of a rank that is never run. Call it before the first window.
func (w *World) Saveable() error {
	if len(w.shared.communicators.ranks) > 1 {
		return errors.New("ranks are in communicators that a program has made")
	}
	for _, b := range w.blocks.all() {
		switch {
		case b.logs.by != nil:
			return errors.New("what ranks do is logged")
		case b.clocks.tracer != nil || b.stats.tracer != nil:
			return errors.New("what ranks do is recorded")
		}
	}
	program := w.launch(len(w.shared.hostOf))(0)
	if s, ok := program.(Stopper); ok {
		defer s.Stop()
	}
	if _, ok := program.(Stateful); !ok {
		return ErrStacks
	}
	return nil
}

// moves reports whether ranks can go on in another process: their state can be saved, and they leave
// nothing behind. The answer is that of the first call.
func (w *World) moves() bool {
	w.moving.once.Do(func() {
		program := w.launch(len(w.shared.hostOf))(0)
		if s, ok := program.(Stopper); ok {
			defer s.Stop()
		}
		_, leaves := program.(Finisher)
		w.moving.can = !leaves && w.lasting == nil && w.Saveable() == nil
	})
	return w.moving.can
}

// rankAt, again, ended and memoryOf implement runsAgain.

func (b *Block) rankAt(slot int32) int { return int(b.ranks[slot].id) }

func (b *Block) again(slot int32) (last Kind, err error) {
	r := &b.ranks[slot]
	if b.programs.running[slot] == nil {
		b.programs.running[slot] = b.programs.start(int(r.id))
	}
	b.resume(r, slot)
	if b.ops.last == failed {
		return failed, b.ops.err
	}
	return b.ops.last, nil
}

func (b *Block) ended(slot int32) { b.programs.running[slot] = nil }

func (b *Block) memoryOf(slot int32, region int64) (data []byte, open bool) {
	if b.rma.regions == nil {
		return nil, true
	}
	own := b.rma.regions[slot]
	if region < 0 || int(region) > len(own) || own[region-1] == nil {
		return nil, false
	}
	return own[region-1].Bytes(), true
}
