package node

import (
	"slices"

	"fabricast/internal/cluster"
	"fabricast/internal/snapshot"
	"fabricast/node/internal/core"
	"fabricast/node/internal/model"
)

// Common is state that the ranks of the programs share, other than the world. If several processes
// share the world, each of them has a Common for its own ranks.
type Common interface {
	// Begin is called with the world of the ranks before any rank starts. It registers, with
	// World.Control, the kinds of control messages that Commons of different processes exchange.
	Begin(w *World)
	// Mark translates a mark of another process to the mark that this process uses for the same
	// object.
	Mark(process int, mark uint64) uint64
	// Combination returns the functions for a key of another process, given its description (see
	// Described).
	Combination(description []byte) (combine func(memory, data []byte), gather func(data, memory []byte))
	// Last is called when the run has ended, and may still send control messages. Settle is called
	// after that, to make all processes agree on the result of the run.
	Last()
	Settle(g cluster.Group)
}

// Lasting is a Common of programs that have effects outside of the simulation while they run, such
// as output.
type Lasting interface {
	Common
	// State saves or restores pending effects that have not yet left the Common. Restoring changes
	// the Common only.
	State(v *snapshot.Visitor)
	// Again notifies the Common that the programs are run again, up to a checkpoint (runs is true),
	// and later that this has ended (runs is false).
	Again(runs bool)
}

// Described is a key of World.Combine or World.Scatter that other processes can interpret.
type Described interface {
	// Description returns a description from which Common.Combination recreates the functions.
	Description() []byte
}

// Apart reports whether the world has ranks in several processes.
func (w *World) Apart() bool { return w.others != nil }

// MayPart reports whether state shared by ranks must be kept consistent by control messages: either
// the world has ranks in several processes, or it keeps a journal, with which it may be resumed in
// several processes.
func (w *World) MayPart() bool { return w.others != nil || w.saved }

// Saved reports whether the run writes checkpoints, or has been resumed from one.
func (w *World) Saved() bool { return w.saved }

// Process returns the index of this process among those that share the world.
func (w *World) Process() int {
	if w.others == nil {
		return 0
	}
	return w.others.group.Rank()
}

// Processes returns the number of processes that share the world.
func (w *World) Processes() int {
	if w.others == nil {
		return 1
	}
	return w.others.group.Size()
}

// Control returns the carrier of control messages to the processes that share the world; nil if
// there is a single process.
func (w *World) Control() *cluster.Control {
	if w.others == nil {
		return nil
	}
	return w.others.control
}

// Here returns the number of ranks in a list that this process runs; a nil list stands for all
// ranks.
func (w *World) Here(ranks []int32) int {
	n := 0
	if ranks != nil && w.others == nil {
		return len(ranks)
	}
	if ranks == nil {
		for _, b := range w.blocks.all() {
			n += len(b.ranks)
		}
		return n
	}
	e := w.others
	e.once.Do(func() {
		e.own = make([]bool, len(w.shared.HostOf))
		for _, b := range w.blocks.all() {
			for i := range b.ranks {
				e.own[b.ranks[i].ID] = true
			}
		}
	})
	for _, r := range ranks {
		if e.own[r] {
			n++
		}
	}
	return n
}

// GVT returns the global virtual time (ps) known to the first block of this process, or 0 if there
// is none.
func (w *World) GVT() int64 {
	if len(w.blocks.all()) == 0 {
		return 0
	}
	return w.blocks.all()[0].ops.GVT()
}

// kinds holds the kinds of control messages of a world.
type kinds struct {
	// ID and ranks of a communicator that a program has created
	contexts    cluster.Kind[int32, int32]
	combination cluster.Kind[int64, byte]      // ID and description of a combination
	journal     cluster.Kind[int32, byte]      // block and records, to the first process
	number      cluster.Kind[renumbered, byte] // IDs of a combination of a program that is run again
}

// renumbered is the old and the new ID of a combination that a program has created again.
type renumbered struct{ Before, Now int64 }

// register registers the control messages of the world.
func (w *World) register(c *cluster.Control) kinds {
	return kinds{
		contexts: cluster.Register(c, func(_ int, number int32, ranks []int32) {
			w.shared.Communicators.Take(number, ranks)
		}),
		combination: cluster.Register(c, func(_ int, number int64, description []byte) {
			var x core.Combination
			x.Combine, x.Gather = w.others.common.Combination(slices.Clone(description))
			w.shared.Combinations.Take(number, x)
		}),
		journal: cluster.Register(c, func(_ int, block int32, records []byte) {
			w.fed.flush(int(block), records)
		}),
		number: cluster.Register(c, func(_ int, of renumbered, _ []byte) {
			w.shared.Combinations.Alias(of.Before, of.Now)
		}),
	}
}

// exchangeControl delivers all remaining control messages to the other processes. All processes
// must call it.
func (w *World) exchangeControl() {
	if c := w.others.common; c != nil {
		c.Last()
	}
	w.others.control.Exchange()
}

// makeContexts implements NewContexts where several processes share the world: it announces the
// communicator to all of them.
func (w *World) makeContexts(c model.Creation, ranks []int32) int32 {
	g := w.others.group
	number := w.shared.Communicators.AddAmong(c, ranks, g.Rank(), g.Size())
	w.others.kinds.contexts.Send(cluster.Everyone, true, number, ranks)
	return number * core.ContextsOfEach
}

// RanksOf returns the world ranks of the communicator that a context belongs to, by rank; nil for
// all ranks in world order.
func (w *World) RanksOf(context int32) []int32 {
	return w.Members(int(context / core.ContextsOfEach))
}

// Members returns the world ranks of the communicator with the given ID (see Communicator), by
// rank; nil for all ranks in world order.
func (w *World) Members(number int) []int32 { return w.shared.Communicators.Members(number) }

// makeCombination implements number where several processes share the world.
func (w *World) makeCombination(key any, x core.Combination) int64 {
	described, ok := key.(Described)
	if !ok {
		panic(ErrShared)
	}
	g := w.others.group
	n, made := w.shared.Combinations.Add(key, x, g.Rank(), g.Size())
	if made {
		w.others.kinds.combination.Send(cluster.Everyone, true, n, described.Description())
	}
	return n
}
