package node

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"fabricast/fabric"
	"fabricast/internal/units"
)

// picosecondsPerSecond converts rates per second to picoseconds.
const picosecondsPerSecond = 1_000_000_000_000

// Spec holds the parameters of the nodes. They do not change during a run.
type Spec struct {
	Hosts       int        // of the network
	NICsPerHost int        // messages take them in turn
	Overhead    units.Time // ps of software for each send and each receive
	// Setup is what software takes more (ps) for the send, and for posting the receive, of more than
	// SetupAbove bytes.
	Setup, SetupAbove int64
	Memory            units.Rate // bytes/s of a copy within memory
	// Combine and Pack are the rates in bytes/s at which a rank combines operands and copies within
	// collectives; 0: that takes no time.
	Combine, Pack units.Rate
	OneCopy       bool // copies through a library buffer at both ends
	// messages between two hosts may be delivered in another order than they were posted
	Overtaking bool
	// the transport may announce messages for a NIC in another order than they come into memory, if they
	// are from different hosts
	Unordered bool
	Replies   bool // NICs may answer messages: programs may use one-sided communication
	// Rendezvous is the protocol of messages larger than EagerUpTo: RendezvousWrite,
	// RendezvousRead, or the zero value if all messages are eager. A rendezvous requires Replies.
	Rendezvous Protocol
	EagerUpTo  units.Bytes
	// UntilFetched: an eager send to another host that was copied is complete when the NIC has
	// fetched the copy, as one that was not; otherwise at once.
	UntilFetched bool
	// Notice is how long after the last fetch of a message software sees (ps) that the send is
	// complete, if that takes part in the send's completion.
	Notice units.Time
	// Peers is how many ranks each rank has buffers for: messages up to EagerUpTo are eager only to
	// the first so many ranks of other hosts to which it sends a message of more than EagerToOthers.
	// 0: to all.
	Peers         int
	EagerToOthers units.Bytes
	Processor     *Processor // nil: messages cost the processor when their receives are settled
	// ChooseNIC returns the NIC by which messages from one host to another leave; nil: the messages
	// of a rank use the NICs in turn.
	ChooseNIC func(src, dst int32) int32
	Intra     Intra
	HostOf    []int32     // by rank; several ranks may be on one host
	Classes   []SizeClass // of messages by size, rising; nil: all are of class 0
	Begin     []int64     // ps, by rank: when each begins; nil: all at 0
	Noise     Noise
	// Collectives is passed to programs that run collectives. Its type is agreed on between
	// packages, see pacing.Of.
	Collectives any
	// Serialization and Distance serve statistics only, which are left out if they are nil.
	// Serialization returns how long the packets of `size` bytes take from memory to memory by
	// themselves (ps), without the latencies between. Distance returns the number of links between
	// the routers of two hosts.
	Serialization func(size int64) int64
	Distance      func(src, dst int) int
}

// Intra holds the parameters of messages between ranks of one host.
type Intra struct {
	Latency   units.Time // ps from the end of the sender's copy to the arrival
	Bandwidth units.Rate // bytes/s of that copy; 0: Memory
}

// World is a parallel program on the hosts of a network.
type World struct {
	spec   Spec
	launch Launcher
	layout
	protocols protocols
	blocks    blockList

	payloads payloads

	contexts struct {
		sync.RWMutex
		ranks [][]int32         // by communicator: world rank of each rank; nil if the same
		made  map[int32][]int32 // the same of those that were made while several processes ran
		kept  int32             // the highest number of these that a run has had that goes on
		self  atomic.Int32      // number of the communicator of CreatedOfSelf; 0: none
		creations
	}
	combinations struct {
		sync.RWMutex
		numbers map[any]int64
		made    map[int64]combination // by number
		kept    int64                 // the highest number that a run has had that goes on
	}
	elsewhere *elsewhere // nil unless several processes share the world
	lasting   Lasting    // what the programs leave outside of the simulation; nil if nothing
	saved     bool       // it may keep a journal, see Across
	fed       *fed       // what its programs are fed with when the run goes on; nil if it keeps no journal
	moving    struct {   // see moves
		once sync.Once
		can  bool
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

// The contexts of a communicator, as offsets from its first.
const (
	Messages    int32 = iota // of the program
	Collectives              // messages of collectives
	Puts                     // of the program
	Transfers                // puts in the place of messages
	contextsOfEach
)

// ofPuts reports whether a context is for matching puts.
func ofPuts(context int32) bool { return context%contextsOfEach >= Puts }

// NewWorld returns a world with a rank on each host of spec.HostOf. Each rank runs the program that
// launch makes for it.
func NewWorld(spec Spec, launch Launcher) (*World, error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	if spec.Intra.Bandwidth == 0 {
		spec.Intra.Bandwidth = spec.Memory
	}
	if spec.Processor != nil { // sends cost the processor, and take no notice of NICs
		spec.UntilFetched, spec.Notice = false, 0
	}
	w := &World{spec: spec, launch: launch, protocols: newProtocols(&spec)}
	w.contexts.ranks = make([][]int32, 1)
	var err error
	w.layout, err = newLayout(spec.HostOf, spec.Hosts)
	return w, err
}

// check checks all of the Spec but the mapping.
func (s *Spec) check() error {
	switch {
	case len(s.HostOf) == 0:
		return errors.New("a program needs at least one rank")
	case s.NICsPerHost < 1 || s.NICsPerHost > 1<<15:
		return fmt.Errorf("%d NICs a host: must be 1 to %d", s.NICsPerHost, 1<<15)
	case s.Setup < 0:
		return fmt.Errorf("software of %d ps for a rendezvous: must not be negative", s.Setup)
	case s.Notice < 0:
		return fmt.Errorf("notice of a fetch after %d ps: must not be negative", int64(s.Notice))
	case s.Overhead < 0:
		return fmt.Errorf("software overhead of %d ps: must not be negative", int64(s.Overhead))
	case s.Memory <= 0:
		return fmt.Errorf("memory bandwidth of %d bytes/s: must be positive", int64(s.Memory))
	case s.Combine < 0 || s.Pack < 0:
		return fmt.Errorf("rates of %d and %d bytes/s of work on data: must not be "+
			"negative", int64(s.Combine), int64(s.Pack))
	case s.Intra.Latency < 0 || s.Intra.Bandwidth < 0:
		return fmt.Errorf(
			"messages within a host with a latency of %d ps and %d bytes/s: must not be negative",
			int64(s.Intra.Latency), int64(s.Intra.Bandwidth),
		)
	case s.Rendezvous > Eager && !s.Replies:
		return errors.New("a rendezvous needs NICs that answer messages")
	case s.Peers < 0 || s.Peers > MostPeers:
		return fmt.Errorf("buffers for %d ranks: must be 0 to %d", s.Peers, MostPeers)
	case s.Peers > 0 && s.Rendezvous <= Eager:
		return errors.New("buffers for some ranks need a rendezvous for the others")
	case s.Begin != nil && (len(s.Begin) != len(s.HostOf) || slices.Min(s.Begin) < 0):
		return errors.New("every rank needs a time at which it begins, not before 0")
	case !s.Noise.right():
		return fmt.Errorf(
			"noise that takes %d ps every %d ps: must be positive, and at most half of the time",
			s.Noise.Lose, s.Noise.Every,
		)
	}
	return nil
}

// Ranks returns the number of ranks.
func (w *World) Ranks() int { return len(w.hostOf) }

// HostOf returns the host that a rank runs on.
func (w *World) HostOf(rank int) int { return int(w.hostOf[rank]) }

// NICs returns the number of NICs of a host.
func (w *World) NICs() int { return w.spec.NICsPerHost }

// Collectives returns the Spec's Collectives.
func (w *World) Collectives() any { return w.spec.Collectives }

// copies reports whether a kind of message that differs from the others' copying is copied at both
// ends.
func (w *World) copies(kind uint8) bool { return kind == eagerOtherwise && !w.spec.OneCopy }

// copyTime returns how long the memory takes for a copy of n bytes (ps).
func (w *World) copyTime(n int64) int64 { return transferTime(n, int64(w.spec.Memory)) }

// CombineTime returns how long a rank takes to combine operands of n bytes (ps).
func (w *World) CombineTime(n int64) int64 { return workTime(n, int64(w.spec.Combine)) }

// PackTime returns how long a rank takes to copy n bytes within a collective (ps).
func (w *World) PackTime(n int64) int64 { return workTime(n, int64(w.spec.Pack)) }

// Works reports whether collectives take time for combining or copying data.
func (w *World) Works() bool { return w.spec.Combine > 0 || w.spec.Pack > 0 }

// workTime is transferTime for a rate that may be missing; then it returns 0.
func workTime(n, rate int64) int64 {
	if rate == 0 {
		return 0
	}
	return transferTime(n, rate)
}

// transferTime returns how long n bytes take at a rate in bytes/s (ps).
func transferTime(n, bandwidth int64) int64 {
	hi, lo := bits.Mul64(uint64(n), picosecondsPerSecond)
	rate := uint64(bandwidth)
	if hi >= rate {
		return 1<<62 - 1
	}
	t, _ := bits.Div64(hi, lo, rate)
	return int64(min(t, 1<<62-1))
}

// NewContexts registers a communicator whose rank i is world rank ranks[i], and returns the first
// of its contexts. The numbers may differ from run to run and must not influence simulated time. c
// says which communicator it is.
func (w *World) NewContexts(c Creation, ranks []int32) (context int32) {
	if c.Kind == CreatedOfSelf { // which every process makes at first
		context = w.contextsOf(c, ranks)
		w.contexts.self.Store(context / contextsOfEach)
		return context
	}
	if w.elsewhere != nil {
		return w.makeContexts(c, ranks)
	}
	return w.contextsOf(c, ranks)
}

// OfSelf reports whether a communicator, by its number, stands for those of single ranks, in each of
// which a rank sends to itself.
func (w *World) OfSelf(number int) bool { return number > 0 && int32(number) == w.contexts.self.Load() }

// KnownContexts does what NewContexts does for communicators that are known before a run. Where
// several processes share the world, each must register the same ones in the same order.
func (w *World) KnownContexts(ranks []int32) int32 { return w.contextsOf(Creation{}, ranks) }

// Communicator returns the number of the communicator that a context belongs to, and the context as
// an offset in it, such as Collectives. The world's communicator has the number 0.
func (w *World) Communicator(context int32) (number int, which int32) {
	return int(context / contextsOfEach), context % contextsOfEach
}

// WorldRank returns the world rank of a rank of a context's communicator. It returns AnySource
// unchanged.
func (w *World) WorldRank(context, rank int32) int32 {
	if rank == AnySource {
		return rank
	}
	return w.worldRank(context, rank)
}

// worldRank returns the world rank of a rank of a context's communicator.
func (w *World) worldRank(context, rank int32) int32 {
	if context < contextsOfEach { // those of the world
		return rank
	}
	if ranks := w.RanksOf(context); ranks != nil {
		return ranks[rank]
	}
	return rank
}

// sourceOf returns the world rank that sent a message.
func (w *World) sourceOf(m *fabric.Message) int32 {
	if w.several {
		return w.worldRank(m.Context, m.SrcRank)
	}
	host := m.Src
	// a branch is cheaper than the division
	if nics := int32(w.spec.NICsPerHost); nics > 1 {
		host /= nics
	}
	if w.straight {
		return host
	}
	return w.rankAt[host]
}

// Cancel makes all ranks stop at their next operation. Any goroutine may call it.
func (w *World) Cancel() { w.cancelled.Store(true) }

// Finished returns the number of ranks whose program has ended. Any goroutine may call it.
func (w *World) Finished() int {
	n := w.finishedHere()
	if w.elsewhere != nil {
		for i := range w.elsewhere.heard {
			n += w.elsewhere.heard[i].finished.Load()
		}
	}
	return int(n)
}

// FinishedHere does what Finished does for the ranks of this process, where several share the world.
func (w *World) FinishedHere() int { return int(w.finishedHere()) }

// finishedHere does what Finished does for the ranks of this process.
func (w *World) finishedHere() (n int64) {
	for _, b := range w.blocks.all() {
		n += b.programs.finished.Load()
	}
	return n
}

// Latest returns the latest clock of the ranks of this process, which may be ahead of the network. It
// must not be called while ranks run.
func (w *World) Latest() (latest units.Time) {
	for _, b := range w.blocks.all() {
		for i := range b.ranks {
			latest = max(latest, units.Time(b.ranks[i].clock))
		}
	}
	return latest
}

// Arrived returns the number of messages that had arrived some windows ago. Any goroutine may call
// it.
func (w *World) Arrived() int64 {
	n := w.arrivedHere()
	if w.elsewhere != nil {
		for i := range w.elsewhere.heard {
			n += w.elsewhere.heard[i].arrived.Load()
		}
	}
	return n
}

// arrivedHere does what Arrived does for the ranks of this process.
func (w *World) arrivedHere() (n int64) {
	for _, b := range w.blocks.all() {
		n += b.stats.told.Load()
	}
	return n
}

// Close releases the programs that have not ended. No block may be running.
func (w *World) Close() {
	for _, b := range w.blocks.all() {
		b.close()
	}
}
