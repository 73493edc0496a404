package node

import (
	"slices"

	"fabricast/internal/cluster"
	"fabricast/internal/snapshot"
	"fabricast/node/internal/core"
	"fabricast/node/internal/model"
)

// Common is what the ranks of programs share beside the world. Where several processes share the
// world, each of them has a Common for its own ranks.
type Common interface {
	// Begin is called before any rank begins, with the world of the ranks. It registers the kinds of
	// control messages by which Commons of different processes reach each other, with World.Control.
	Begin(w *World)
	// Mark returns the mark by which this process knows what another process has marked so.
	Mark(process int, mark uint64) uint64
	// Combination returns the functions that a key of another process describes (see Described).
	Combination(description []byte) (combine func(memory, data []byte), gather func(data, memory []byte))
	// Last is called when the run has ended, and may still send control messages. Settle is called after
	// that: all processes agree on what comes of the run.
	Last()
	Settle(g cluster.Group)
}

// Lasting is a Common of programs that leave something outside of the simulation while they run, such
// as output.
type Lasting interface {
	Common
	// State goes over what they have not left there yet. It restores that into the Common alone.
	State(v *snapshot.Visitor)
	// Again says that the programs now run again, up to a checkpoint, and then that they have done
	// so.
	Again(runs bool)
}

// Described is a key of World.Combine and World.Scatter that other processes can understand.
type Described interface {
	// Description returns what Common.Combination makes the same functions of.
	Description() []byte
}

// Apart reports whether the world has ranks in several processes.
func (w *World) Apart() bool { return w.others != nil }

// MayPart reports whether what ranks share has to go through control messages: the world has ranks in
// several processes, or keeps a journal, with which it may go on in several.
func (w *World) MayPart() bool { return w.others != nil || w.saved }

// Saved reports whether the run leaves checkpoints, or goes on from one.
func (w *World) Saved() bool { return w.saved }

// Process is the number of this process among those that share the world, and Processes is how many
// there are.
func (w *World) Process() int {
	if w.others == nil {
		return 0
	}
	return w.others.group.Rank()
}

// Processes is the number of processes that share the world.
func (w *World) Processes() int {
	if w.others == nil {
		return 1
	}
	return w.others.group.Size()
}

// Control carries control messages of this process to those that share the world; nil if there is one.
func (w *World) Control() *cluster.Control {
	if w.others == nil {
		return nil
	}
	return w.others.control
}

// Here returns how many ranks of a list this process runs; a nil list stands for all ranks.
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

// GVT returns the global virtual time (ps) as the first block of this process knows it, 0 if there
// is none.
func (w *World) GVT() int64 {
	if len(w.blocks.all()) == 0 {
		return 0
	}
	return w.blocks.all()[0].ops.GVT()
}

// kinds are the control messages of a world.
type kinds struct {
	contexts    cluster.Kind[int32, int32]     // number and ranks of a communicator that a program has made
	combination cluster.Kind[int64, byte]      // number and description of a combination
	journal     cluster.Kind[int32, byte]      // block and records, for the first process
	number      cluster.Kind[renumbered, byte] // of a combination of a program that runs again
}

// renumbered is a combination that a program has made again.
type renumbered struct{ Before, Now int64 }

// register makes the control messages of the world known.
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

// exchangeControl brings all control messages that are left to the other processes. All processes call it.
func (w *World) exchangeControl() {
	if c := w.others.common; c != nil {
		c.Last()
	}
	w.others.control.Exchange()
}

// makeContexts does what NewContexts does where several processes share the world: they all get to
// know the communicator.
func (w *World) makeContexts(c model.Creation, ranks []int32) int32 {
	g := w.others.group
	number := w.shared.Communicators.AddAmong(c, ranks, g.Rank(), g.Size())
	w.others.kinds.contexts.Send(cluster.Everyone, true, number, ranks)
	return number * core.ContextsOfEach
}

// RanksOf returns the world ranks of the communicator that a context belongs to, by rank; nil for
// all ranks in their order.
func (w *World) RanksOf(context int32) []int32 {
	return w.Members(int(context / core.ContextsOfEach))
}

// Members returns the world ranks of a communicator by its number (Communicator), by rank; nil for all
// ranks in their order.
func (w *World) Members(number int) []int32 { return w.shared.Communicators.Members(number) }

// makeCombination does what number does where several processes share the world.
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
