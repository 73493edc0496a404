package core

import (
	"sync"
	"sync/atomic"

	"fabricast/node/internal/model"
)

// The contexts of a communicator, as offsets from its first context.
const (
	Messages    int32 = iota // messages of the program
	Collectives              // messages of collectives
	Puts                     // puts of the program
	Transfers                // puts that implement messages
	ContextsOfEach
)

// OfPuts reports whether a context is one of those in which puts are matched.
func OfPuts(context int32) bool { return context%ContextsOfEach >= Puts }

// ByDevice, a bit of the tags of collectives, marks messages that threads of an accelerator start and
// complete by themselves. They cost the rank no software time.
const ByDevice int32 = 1 << 22

// OfDevice reports whether a message is one of those that ByDevice marks.
func OfDevice(context, tag int32) bool {
	return tag&ByDevice != 0 && context%ContextsOfEach == Collectives
}

// firstMade is the lowest ID of a communicator that is created while several processes run. The
// processes use disjoint IDs from there on.
const firstMade = 1 << 20

// communicators is the registry of a world's communicators.
type communicators struct {
	sync.RWMutex
	Ranks [][]int32         // by communicator ID: world rank of each rank; nil for world order
	made  map[int32][]int32 // the same for communicators created while several processes ran
	// the highest ID in made of a communicator that existed when the run was resumed
	kept int32
	own  int32        // number of communicators in made that this process has created
	Self atomic.Int32 // ID of the communicator of CreatedOfSelf; 0: none
	creations
}

// creations maps creations to communicator IDs in a world that keeps a journal.
type creations struct {
	Numbers map[model.Creation]int32 // nil if the world keeps no journal
	known   int32                    // number of communicators that were known before the run
	// Again: a program is run again, and its communicators get their former IDs.
	Again bool
}

// Add registers a communicator and returns the first of its contexts.
func (x *communicators) Add(c model.Creation, ranks []int32) (context int32) {
	x.Lock()
	defer x.Unlock()
	if c.Kind == model.CreatedBefore && x.Numbers != nil {
		c.Number = x.known
		x.known++
	}
	n := x.numberOf(c, int32(len(x.Ranks)))
	if n >= firstMade {
		x.keep(n, ranks)
		return n * ContextsOfEach
	}
	for int(n) >= len(x.Ranks) {
		x.Ranks = append(x.Ranks, nil)
	}
	x.Ranks[n] = ranks
	return n * ContextsOfEach
}

// AddAmong registers a communicator in one of several processes that share the world. It returns an
// ID that no other process uses.
func (x *communicators) AddAmong(c model.Creation, ranks []int32, process, processes int) (number int32) {
	x.Lock()
	defer x.Unlock()
	next := max(firstMade, x.kept+1) + x.own*int32(processes) + int32(process)
	number = x.numberOf(c, next)
	if number == next {
		x.own++
	}
	x.keep(number, ranks)
	return number
}

// Take registers a communicator that another process has created.
func (x *communicators) Take(number int32, ranks []int32) {
	x.Lock()
	defer x.Unlock()
	x.keep(number, ranks)
}

// keep stores the ranks of a communicator; a nil list means all ranks in world order. REQUIRES: the
// lock is held.
func (x *communicators) keep(number int32, ranks []int32) {
	if x.made == nil {
		x.made = make(map[int32][]int32)
	}
	x.made[number] = ranks
}

// Members returns the world ranks of the communicator with the given ID, by rank; nil for all ranks
// in world order.
func (x *communicators) Members(number int) []int32 {
	x.RLock()
	defer x.RUnlock()
	if number < len(x.Ranks) {
		return x.Ranks[number]
	}
	return x.made[int32(number)]
}

// WorldRank converts a rank of a context's communicator to its world rank.
func (x *communicators) WorldRank(context, rank int32) int32 {
	if context < ContextsOfEach { // a context of the world communicator
		return rank
	}
	if ranks := x.Members(int(context / ContextsOfEach)); ranks != nil {
		return ranks[rank]
	}
	return rank
}

// numberOf returns the ID of a communicator: its former ID if its program is run again, and new
// otherwise.
func (x *creations) numberOf(c model.Creation, new int32) int32 {
	if x.Numbers == nil {
		return new
	}
	if before, ok := x.Numbers[c]; x.Again && ok {
		new = before
	}
	x.Numbers[c] = new
	return new
}

// Restore restores the IDs in list. Communicators created later get higher IDs.
func (x *communicators) Restore(list []Numbered[model.Creation, int32]) {
	clear(x.Numbers)
	x.kept = 0
	for _, c := range list {
		x.Numbers[c.Key] = c.Value
		if c.Value >= firstMade {
			x.kept = max(x.kept, c.Value)
		}
	}
}
