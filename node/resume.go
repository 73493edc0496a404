package node

import (
	"errors"
	"runtime/debug"

	"fabricast/fabric"
	"fabricast/internal/cluster"
	"fabricast/internal/snapshot"
	"fabricast/node/internal/core"
	"fabricast/node/internal/journal"
	"fabricast/node/internal/model"
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
	w.shared.Communicators.Numbers = map[model.Creation]int32{}
	if w.others != nil && w.others.group.Rank() > 0 {
		flush = w.sendJournal
	}
	for i, b := range w.blocks.all() {
		x := &callJournal{journal.Journal{
			World: &w.shared, Number: first + i, Time: b.transport.(fabric.VirtualTime), Flush: flush,
		}}
		j := &x.Journal
		b.journal, b.ops.journal, b.rma.Journal, b.rendezvous.Journal = j, x, j, j
	}
}

// FlushJournal hands over all records, and gathers what State saves at the first process. No block may
// be running. All processes call it before each State that saves.
func (w *World) FlushJournal() {
	if w.fed == nil {
		return
	}
	for _, b := range w.blocks.all() {
		b.journal.FlushAll()
	}
	kept := &w.fed.kept
	kept.Contexts = kept.Contexts[:0]
	for c, n := range w.shared.Communicators.Numbers {
		kept.Contexts = append(kept.Contexts, core.Numbered[model.Creation, int32]{Key: c, Value: n})
	}
	kept.Combination = w.shared.Combinations.Highest()
	kept.Contents = w.shared.Payloads.Labels(kept.Contents[:0])
	if w.others != nil {
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
	if err := w.RunAgain(v.Err()); err != nil {
		v.Fail(err)
	}
}

// takeNumbers takes over which numbers communicators have, and from where on there are others.
func (w *World) takeNumbers() {
	w.shared.Communicators.Restore(w.fed.kept.Contexts)
	w.shared.Combinations.Kept = w.fed.kept.Combination
}

// RunAgain runs the programs again up to where they were, unless err says that this process cannot.
func (w *World) RunAgain(err error) error {
	shared := &journal.Feeds{
		Contents: map[uint64]core.Contents{}, Combinations: map[int64]int64{}, Alias: w.sameCombination, Err: err,
	}
	if w.others != nil {
		var own []int32
		for _, b := range w.blocks.all() {
			for i := range b.ranks {
				own = append(own, b.ranks[i].ID)
			}
		}
		shared.Across = journal.NewFeedsAcross(
			w.others.group, w.others.control, w.others.markFrom, own, len(w.shared.HostOf),
		)
	}
	var list []*journal.Feed
	for _, b := range w.blocks.all() {
		f := &journal.Feed{
			Feeds: shared, Journal: b.journal, Runs: rerun{b}, More: w.fed.read(b.journal.Number),
			Live: map[uint32]core.Buffer{}, Numbers: make([]uint64, len(b.ranks)),
		}
		b.journal.Feed = f
		list = append(list, f)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // as where programs run else
	w.shared.Communicators.Again = true
	err = shared.PassAll(list)
	w.shared.Communicators.Again = false
	for _, f := range list {
		f.Journal.Feed, f.Journal.Inside = nil, false
	}
	if err == nil && !w.shared.Payloads.Keep(w.fed.kept.Contents, shared.Contents) {
		err = journal.ErrJournal
	}
	for i, b := range w.blocks.all() {
		if err == nil && !b.requests.Rebuild(list[i].Live) {
			err = journal.ErrJournal
		}
	}
	return err
}

// sendJournal passes records of a block to the first process, which keeps the journal.
func (w *World) sendJournal(block int, records []byte) {
	w.others.kinds.journal.Send(0, true, int32(block), records)
}

// gatherJournal brings what the other processes keep of their journals to the first.
func (w *World) gatherJournal() {
	w.exchangeControl()
	kept := &w.fed.kept
	known := map[model.Creation]bool{}
	for _, c := range kept.Contexts {
		known[c.Key] = true
	}
	for p, of := range cluster.GatherFirst(w.others.group, *kept) {
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
	w.shared.Combinations.Alias(before, now)
	if w.others != nil {
		w.others.kinds.number.Send(cluster.Everyone, true, renumbered{before, now}, nil)
	}
}

// keptJournal is what a checkpoint holds of the journals of all processes.
type keptJournal struct {
	Contexts    []core.Numbered[model.Creation, int32]
	Combination int64 // the highest number of one
	Contents    []core.Labelled
}

// ErrStacks is why the state of a world whose programs are not Stateful can only be saved with a
// journal.
var ErrStacks = errors.New("its ranks keep their state on stacks or elsewhere, not in a few numbers")

// Saveable returns why the state of a world cannot be saved and restored; nil if it can. To find out
// it makes the program of a rank that is never run. Call it before the first window.
func (w *World) Saveable() error {
	if len(w.shared.Communicators.Ranks) > 1 {
		return errors.New("ranks are in communicators that a program has made")
	}
	for _, b := range w.blocks.all() {
		switch {
		case b.logs.By != nil:
			return errors.New("what ranks do is logged")
		case b.clocks.Tracer != nil || b.stats.Tracer != nil:
			return errors.New("what ranks do is recorded")
		}
	}
	program := w.launch(len(w.shared.HostOf))(0)
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
		program := w.launch(len(w.shared.HostOf))(0)
		if s, ok := program.(Stopper); ok {
			defer s.Stop()
		}
		_, leaves := program.(Finisher)
		w.moving.can = !leaves && w.lasting == nil && w.Saveable() == nil
	})
	return w.moving.can
}

// rerun is the journal's view of a block whose programs run again.
type rerun struct{ *Block }

func (b rerun) RankAt(slot int32) int { return int(b.ranks[slot].ID) }

func (b rerun) RunAgain(slot int32) (last model.Kind, err error) {
	r := &b.ranks[slot]
	if b.programs.running[slot] == nil {
		b.programs.running[slot] = b.programs.start(int(r.ID))
	}
	b.resume(r, slot)
	if b.ops.last == model.Failed {
		return model.Failed, b.ops.err
	}
	return b.ops.last, nil
}

func (b rerun) Ended(slot int32) { b.programs.running[slot] = nil }

func (b rerun) MemoryOf(slot int32, region int64) (data []byte, open bool) {
	if b.rma.Regions == nil {
		return nil, true
	}
	own := b.rma.Regions[slot]
	if region < 0 || int(region) > len(own) || own[region-1] == nil {
		return nil, false
	}
	return own[region-1].Bytes(), true
}
