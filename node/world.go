package node

import (
	"slices"
	"sync"
	"sync/atomic"

	"fabricast/node/internal/core"
	"fabricast/node/internal/model"

	"fabricast/internal/units"
)

// World is a parallel program on the hosts of a network.
type World struct {
	shared core.Shared
	launch Launcher
	blocks blockList

	others  *others  // nil unless several processes share the world
	lasting Lasting  // pending effects of the programs outside of the simulation; nil if there are none
	saved   bool     // the world may keep a journal, see Across
	fed     *fed     // the journal; nil if none is kept
	moving  struct { // see moves
		once sync.Once
		can  bool
	}
}

// NewWorld returns a world with rank i on host spec.HostOf[i]. Each rank runs the program that
// launch creates for it.
func NewWorld(spec model.Spec, launch Launcher) (*World, error) {
	if err := spec.Check(); err != nil {
		return nil, err
	}
	w := &World{launch: launch}
	return w, w.shared.Init(spec)
}

// Ranks returns the number of ranks.
func (w *World) Ranks() int { return len(w.shared.HostOf) }

// HostOf returns the host that a rank runs on.
func (w *World) HostOf(rank int) int { return int(w.shared.HostOf[rank]) }

// NICs returns the number of NICs of each host.
func (w *World) NICs() int { return w.shared.Spec.NICsPerHost }

// Collectives returns the Spec's Collectives.
func (w *World) Collectives() any { return w.shared.Spec.Collectives }

// Machine returns the Spec's Machine.
func (w *World) Machine() any { return w.shared.Spec.Machine }

// CombineTime returns the time (ps) that a rank takes to reduce two operands of n bytes.
func (w *World) CombineTime(n int64) int64 { return model.WorkTime(n, int64(w.shared.Spec.Combine)) }

// PackTime returns the time (ps) that a rank takes to copy n bytes within a collective.
func (w *World) PackTime(n int64) int64 { return model.WorkTime(n, int64(w.shared.Spec.Pack)) }

// Works reports whether reducing or copying data takes time in collectives.
func (w *World) Works() bool { return w.shared.Spec.Combine > 0 || w.shared.Spec.Pack > 0 }

// NewContexts registers a communicator whose rank i is world rank ranks[i], and returns the first
// of its context IDs. The IDs may differ from run to run and must not influence simulated time. c
// identifies the communicator.
func (w *World) NewContexts(c model.Creation, ranks []int32) (context int32) {
	if c.Kind == model.CreatedOfSelf { // every process creates this one itself
		context = w.shared.Communicators.Add(c, ranks)
		w.shared.Communicators.Self.Store(context / core.ContextsOfEach)
		return context
	}
	if w.others != nil {
		return w.makeContexts(c, ranks)
	}
	return w.shared.Communicators.Add(c, ranks)
}

// OfSelf reports whether the communicator with the given ID stands for the communicators of single
// ranks, in which a rank sends only to itself.
func (w *World) OfSelf(number int) bool {
	return number > 0 && int32(number) == w.shared.Communicators.Self.Load()
}

// KnownContexts is like NewContexts for communicators that are known before a run. If several
// processes share the world, each must register the same communicators in the same order.
func (w *World) KnownContexts(ranks []int32) int32 {
	return w.shared.Communicators.Add(model.Creation{}, ranks)
}

// Communicator returns the ID of the communicator that a context belongs to, and the offset of the
// context in it, such as Collectives. The world communicator has ID 0.
func (w *World) Communicator(context int32) (number int, which int32) {
	return int(context / core.ContextsOfEach), context % core.ContextsOfEach
}

// WorldRank converts a rank of a context's communicator to its world rank. It returns AnySource
// unchanged.
func (w *World) WorldRank(context, rank int32) int32 {
	if rank == model.AnySource {
		return rank
	}
	return w.shared.Communicators.WorldRank(context, rank)
}

// Cancel makes all ranks stop at their next operation. Any goroutine may call it.
func (w *World) Cancel() { w.shared.Cancelled.Store(true) }

// Finished returns the number of ranks whose program has ended. Any goroutine may call it.
func (w *World) Finished() int {
	n := w.finishedHere()
	if w.others != nil {
		for i := range w.others.progress {
			n += w.others.progress[i].finished.Load()
		}
	}
	return int(n)
}

// FinishedHere is like Finished for the ranks that this process runs.
func (w *World) FinishedHere() int { return int(w.finishedHere()) }

// finishedHere is like Finished for the ranks that this process runs.
func (w *World) finishedHere() (n int64) {
	for _, b := range w.blocks.all() {
		n += b.programs.finished.Load()
	}
	return n
}

// Latest returns the latest clock among the ranks of this process, which may be ahead of the
// network. It must not be called while ranks run.
func (w *World) Latest() (latest units.Time) {
	for _, b := range w.blocks.all() {
		for i := range b.ranks {
			latest = max(latest, units.Time(b.ranks[i].Clock))
		}
	}
	return latest
}

// Arrived returns the number of messages that had arrived a few windows ago. Any goroutine may call
// it.
func (w *World) Arrived() int64 {
	n := w.arrivedHere()
	if w.others != nil {
		for i := range w.others.progress {
			n += w.others.progress[i].arrived.Load()
		}
	}
	return n
}

// arrivedHere is like Arrived for the ranks that this process runs.
func (w *World) arrivedHere() (n int64) {
	for _, b := range w.blocks.all() {
		n += b.stats.Announced.Load()
	}
	return n
}

// Failed reports whether a rank has failed. Any goroutine may call it.
func (w *World) Failed() bool { return w.shared.Failure.Any.Load() }

// Err returns the first error of a rank, a *RankError, or nil.
func (w *World) Err() error {
	if first, _ := w.shared.Failure.Err(); first != nil {
		return first
	}
	return nil
}

// Close releases the programs that have not ended. No block may be running.
func (w *World) Close() {
	for _, b := range w.blocks.all() {
		b.close()
	}
}

// EagerUpTo returns the maximum size of messages that are eager unless their options say otherwise.
func (w *World) EagerUpTo() units.Bytes { return units.Bytes(w.shared.Protocols.EagerUpTo) }

// blockList is the list of a world's blocks in this process. Any goroutine may read it.
type blockList struct{ list atomic.Pointer[[]*Block] }

func (l *blockList) all() []*Block {
	if list := l.list.Load(); list != nil {
		return *list
	}
	return nil
}

// add and remove must be called by one goroutine at a time.
func (l *blockList) add(b *Block) {
	list := append(slices.Clone(l.all()), b)
	l.list.Store(&list)
}

func (l *blockList) remove(b *Block) {
	list := slices.DeleteFunc(slices.Clone(l.all()), func(other *Block) bool { return other == b })
	l.list.Store(&list)
}
