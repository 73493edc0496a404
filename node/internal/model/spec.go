package model

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"fabricast/internal/units"
)

// picosecondsPerSecond converts between rates per second and times in picoseconds.
const picosecondsPerSecond = 1_000_000_000_000

// Spec holds the parameters of the nodes. They are constant during a run.
type Spec struct {
	Hosts       int        // number of hosts in the network
	NICsPerHost int        // messages use the NICs of a host in turn
	Overhead    units.Time // software time of each send and each receive
	// Setup is additional software time (ps) for the send, and for posting the receive, of more
	// than SetupAbove bytes.
	Setup, SetupAbove int64
	Memory            units.Rate // bytes/s of a copy within memory
	// Combine and Pack are the rates in bytes/s at which a rank reduces operands and copies data
	// within collectives; 0: no time.
	Combine, Pack units.Rate
	OneCopy       bool // messages are copied through a library buffer at both ends
	// Overtaking: the network may deliver messages between two hosts in an order other than that of
	// posting.
	Overtaking bool
	// Unordered: messages from different hosts to one NIC may be announced in an order other than
	// that in which they come into memory.
	Unordered bool
	Replies   bool // NICs may reply to messages, so programs may use one-sided communication
	// Rendezvous is the protocol of messages larger than EagerUpTo: RendezvousWrite,
	// RendezvousRead, or the zero value if all messages are eager. A rendezvous requires Replies.
	Rendezvous Protocol
	EagerUpTo  units.Bytes
	// UntilFetched: an eager send that was copied and goes to another host is complete when the NIC
	// has fetched the copy, like a send that was not copied. Otherwise it is complete at once.
	UntilFetched bool
	// Notice is the delay (ps) from a NIC's last fetch of a message to the time at which software
	// learns that the send is complete, for sends that complete by the fetch.
	Notice units.Time
	// Peers is the number of ranks for which each rank has buffers. Messages up to EagerUpTo are
	// eager only to the first Peers ranks of other hosts to which the rank sends a message of more
	// than EagerToOthers. 0: to all ranks.
	Peers         int
	EagerToOthers units.Bytes
	Processor     *Processor // nil: messages occupy the processor when their receives are completed
	// ChooseNIC returns the NIC that messages from host src to host dst use; nil: the messages of a
	// rank use the NICs in turn.
	ChooseNIC func(src, dst int32) int32
	Intra     Intra
	HostOf    []int32 // host, by rank; a host may have several ranks
	// traffic classes of messages, by ascending size; nil: all messages have class 0
	Classes []SizeClass
	Begin   []int64 // start time (ps), by rank; nil: all start at 0
	// Stops is when a host goes down for good (ps), by host; nil: none does. From then on its ranks do
	// nothing more, and messages that arrive there are discarded. The network keeps its messages back.
	Stops []int64
	// Slow multiplies the computation of a rank, by rank; nil: all by 1.
	Slow  []float64
	Noise Noise
	// Collectives is passed to programs that run collectives. The packages involved agree on its
	// type, see pacing.Of.
	Collectives any
	// Machine says where the ranks are, for algorithms of collectives: a *collective.Machine, or nil.
	Machine any
	// Serialization and Distance are used for statistics only, which are omitted if they are nil.
	// Serialization returns the time (ps) that the packets of `size` bytes take from memory to
	// memory on their own, excluding latencies. Distance returns the number of links between the
	// routers of two hosts.
	Serialization func(size int64) int64
	Distance      func(src, dst int) int
}

// Intra holds the parameters of messages between ranks of one host.
type Intra struct {
	Latency   units.Time // ps from the end of the sender's copy to the arrival
	Bandwidth units.Rate // bytes/s of the sender's copy; 0: Memory
}

// Check checks all of the Spec except the mapping of ranks.
func (s *Spec) Check() error {
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
	case s.Stops != nil && (len(s.Stops) != s.Hosts || slices.Min(s.Stops) < 0):
		return errors.New("every host needs a time at which it goes down, not before 0")
	case s.Slow != nil && (len(s.Slow) != len(s.HostOf) || !(slices.Min(s.Slow) > 0)):
		return errors.New("every rank needs a factor of its computation above 0")
	case !s.Noise.Valid():
		return fmt.Errorf(
			"noise that takes %d ps every %d ps: must be positive, and at most half of the time",
			s.Noise.Lose, s.Noise.Every,
		)
	}
	return nil
}

// WorkTime is like TransferTime, but returns 0 if the rate is 0.
func WorkTime(n, rate int64) int64 {
	if rate == 0 {
		return 0
	}
	return TransferTime(n, rate)
}

// TransferTime returns the time (ps) that n bytes take at a rate in bytes/s.
func TransferTime(n, bandwidth int64) int64 {
	hi, lo := bits.Mul64(uint64(n), picosecondsPerSecond)
	rate := uint64(bandwidth)
	if hi >= rate {
		return 1<<62 - 1
	}
	t, _ := bits.Div64(hi, lo, rate)
	return int64(min(t, 1<<62-1))
}

// WorldContext is the first context of the world communicator.
const WorldContext int32 = 0

// MostPeers is the largest Spec.Peers.
const MostPeers = 4096
