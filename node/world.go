package node

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
)

// picosecondsPerSecond is what rates are divided by.
const picosecondsPerSecond = 1_000_000_000_000

// Spec is what does not change about the nodes during a run.
type Spec struct {
	Hosts       int   // of the network
	NICsPerHost int   // messages take them in turn
	Overhead    int64 // ps of software for each send and each receive
	Memory      int64 // bytes/s of a copy within memory
	OneCopy     bool  // copies through a library buffer at both ends
	Overtaking  bool  // the network may deliver messages between two hosts in another order than that of posting
	Replies     bool  // NICs may answer messages: programs may use one-sided communication
	// Rendezvous, RendezvousWrite or RendezvousRead, is for messages larger than EagerUpTo (bytes);
	// otherwise all messages are eager. It needs Replies.
	Rendezvous Protocol
	EagerUpTo  int64
	// ChooseNIC is the NIC by which messages from one host to another leave; nil: a rank's messages take them in turn.
	ChooseNIC func(src, dst int32) int32
	Intra     Intra
	HostOf    []int32     // by rank; several ranks may be on one host
	Classes   []SizeClass // of messages by size, rising; nil: all are of class 0
	Begin     []int64     // ps, by rank: when each begins; nil: all at 0
	Noise     Noise
	// Collectives is what programs are told of collectives, by an agreement between packages: see pacing.Of.
	Collectives any
	// Both are for statistics only, which are not made without them. Serialization is how long the packets of
	// so many bytes take from memory to memory by themselves, in ps, without the ways between; Distance is
	// how far two hosts are apart, in links between routers.
	Serialization func(size int64) int64
	Distance      func(src, dst int) int
}

// Intra is how messages between ranks of one host travel.
type Intra struct {
	Latency   int64 // ps from the end of the sender's copy to the arrival
	Bandwidth int64 // bytes/s of that copy; 0: Memory
}

// World is a parallel program on the hosts of a network.
type World struct {
	spec   Spec
	launch Launcher
	layout
	protocols protocols
	blocks    []*Block

	payloads payloads

	contexts struct {
		sync.RWMutex
		ranks [][]int32 // by communicator: world rank of each rank; nil if the same
	}
	combinations struct {
		sync.RWMutex
		numbers map[any]int64
		list    []combination
	}
	cancelled atomic.Bool
	failure   struct {
		sync.Mutex
		first *RankError
		found int64 // ps: the time of the rank's host when the first came up
		any   atomic.Bool
	}
}

// WorldContext is the first context of the communicator of all ranks in their own order.
const WorldContext int32 = 0

// The contexts of a communicator, relative to its first.
const (
	Messages    int32 = iota // of the program
	Collectives              // messages of collectives
	Puts                     // of the program
	Transfers                // puts in the place of messages
	contextsOfEach
)

// ofPuts tells whether what matches in a context are puts.
func ofPuts(context int32) bool { return context%contextsOfEach >= Puts }

// NewWorld returns a world with a rank on each host of spec.HostOf, which runs
// what launch makes for it.
func NewWorld(spec Spec, launch Launcher) (*World, error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	if spec.Intra.Bandwidth == 0 {
		spec.Intra.Bandwidth = spec.Memory
	}
	w := &World{spec: spec, launch: launch, protocols: newProtocols(&spec)}
	w.contexts.ranks = make([][]int32, 1)
	var err error
	w.layout, err = newLayout(spec.HostOf, spec.Hosts)
	return w, err
}

// check looks at all but the mapping.
func (s *Spec) check() error {
	switch {
	case len(s.HostOf) == 0:
		return errors.New("a program needs at least one rank")
	case s.NICsPerHost < 1 || s.NICsPerHost > 1<<15:
		return fmt.Errorf("%d NICs a host: must be 1 to %d", s.NICsPerHost, 1<<15)
	case s.Overhead < 0:
		return fmt.Errorf("software overhead of %d ps: must not be negative", s.Overhead)
	case s.Memory <= 0:
		return fmt.Errorf("memory bandwidth of %d bytes/s: must be positive", s.Memory)
	case s.Intra.Latency < 0 || s.Intra.Bandwidth < 0:
		return fmt.Errorf("messages within a host with a latency of %d ps and %d bytes/s: must not be negative", s.Intra.Latency, s.Intra.Bandwidth)
	case s.Rendezvous > Eager && !s.Replies:
		return errors.New("a rendezvous needs NICs that answer messages")
	case s.Begin != nil && (len(s.Begin) != len(s.HostOf) || slices.Min(s.Begin) < 0):
		return errors.New("every rank needs a time at which it begins, not before 0")
	case !s.Noise.right():
		return fmt.Errorf("noise that takes %d ps every %d ps: must be positive, and at most half of the time", s.Noise.Lose, s.Noise.Every)
	}
	return nil
}

// Ranks is the number of ranks.
func (w *World) Ranks() int { return len(w.hostOf) }

// HostOf is the host that a rank runs on.
func (w *World) HostOf(rank int) int { return int(w.hostOf[rank]) }

// NICs is the number of NICs of a host.
func (w *World) NICs() int { return w.spec.NICsPerHost }

// Collectives is what the Spec says of collectives.
func (w *World) Collectives() any { return w.spec.Collectives }

// copies tells whether a kind of message that is not as others is copied at both ends.
func (w *World) copies(kind uint8) bool { return kind == eagerOtherwise && !w.spec.OneCopy }

// copyTime is how long the memory takes for a copy of n bytes, in ps.
func (w *World) copyTime(n int64) int64 { return transferTime(n, w.spec.Memory) }

// transferTime is how long n bytes take at a rate (bytes/s), in ps.
func transferTime(n, bandwidth int64) int64 {
	hi, lo := bits.Mul64(uint64(n), picosecondsPerSecond)
	rate := uint64(bandwidth)
	if hi >= rate {
		return 1<<62 - 1
	}
	t, _ := bits.Div64(hi, lo, rate)
	return int64(min(t, 1<<62-1))
}

// NewContexts registers a communicator whose rank i is world rank ranks[i]. It
// returns the first of its contexts. The numbers may differ from run
// to run and must not influence simulated time.
func (w *World) NewContexts(ranks []int32) int32 {
	w.contexts.Lock()
	defer w.contexts.Unlock()
	c := len(w.contexts.ranks)
	w.contexts.ranks = append(w.contexts.ranks, ranks)
	return int32(c) * contextsOfEach
}

// worldRank translates a rank of a context's communicator.
func (w *World) worldRank(context, rank int32) int32 {
	if context < contextsOfEach { // those of the world
		return rank
	}
	w.contexts.RLock()
	defer w.contexts.RUnlock()
	if ranks := w.contexts.ranks[context/contextsOfEach]; ranks != nil {
		return ranks[rank]
	}
	return rank
}

// Cancel makes all ranks stop at their next operation. Any goroutine may call it.
func (w *World) Cancel() { w.cancelled.Store(true) }

// Finished is the number of ranks whose program has ended. Any goroutine may call it.
func (w *World) Finished() int {
	n := 0
	for _, b := range w.blocks {
		n += int(b.finished.Load())
	}
	return n
}

// Close releases the programs that have not ended. No block may be running.
func (w *World) Close() {
	for _, b := range w.blocks {
		b.close()
	}
}
