package core

import (
	"sync"
	"sync/atomic"

	"fabricast/node/internal/model"
)

// The contexts of a communicator, as offsets from its first.
const (
	Messages    int32 = iota // of the program
	Collectives              // messages of collectives
	Puts                     // of the program
	Transfers                // puts in the place of messages
	ContextsOfEach
)

// OfPuts reports whether a context is for matching puts.
func OfPuts(context int32) bool { return context%ContextsOfEach >= Puts }

// Communicators that are made while several processes run have numbers from firstMade on, of which
// every process has its own.
const firstMade = 1 << 20

// communicators is the registry of the communicators of a world.
type communicators struct {
	sync.RWMutex
	Ranks [][]int32         // by communicator: world rank of each rank; nil if the same
	made  map[int32][]int32 // the same of those that were made while several processes ran
	kept  int32             // the highest number of these that a run has had that goes on
	own   int32             // how many of these this process has made
	Self  atomic.Int32      // number of the communicator of CreatedOfSelf; 0: none
	creations
}

// creations are the numbers of the communicators of a world that keeps a journal.
type creations struct {
	Numbers map[model.Creation]int32 // nil if it keeps none
	known   int32                    // how many were known before the run
	// a program runs again, and its communicators get the numbers that they had
	Again bool
}

// Add registers a communicator, and returns the first of its contexts.
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

// AddAmong registers a communicator in one of several processes that share the world, and returns
// its number, which no other process gives to another one.
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

// Take registers a communicator that another process has made.
func (x *communicators) Take(number int32, ranks []int32) {
	x.Lock()
	defer x.Unlock()
	x.keep(number, ranks)
}

// keep stores the ranks of a communicator, none if they are all in their order. REQUIRES: the lock.
func (x *communicators) keep(number int32, ranks []int32) {
	if x.made == nil {
		x.made = make(map[int32][]int32)
	}
	x.made[number] = ranks
}

// Members returns the world ranks of a communicator, by rank; nil for all ranks in their order.
func (x *communicators) Members(number int) []int32 {
	x.RLock()
	defer x.RUnlock()
	if number < len(x.Ranks) {
		return x.Ranks[number]
	}
	return x.made[int32(number)]
}

// WorldRank returns the world rank of a rank of a context's communicator.
func (x *communicators) WorldRank(context, rank int32) int32 {
	if context < ContextsOfEach { // those of the world
		return rank
	}
	if ranks := x.Members(int(context / ContextsOfEach)); ranks != nil {
		return ranks[rank]
	}
	return rank
}

// numberOf returns the number of a communicator: the one that it had, if its program runs again, and
// else a new one.
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

// Restore takes over the numbers that communicators had, and numbers others from there on.
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
