package model

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

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

// Check checks all of the Spec but the mapping.
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
	case !s.Noise.Valid():
		return fmt.Errorf(
			"noise that takes %d ps every %d ps: must be positive, and at most half of the time",
			s.Noise.Lose, s.Noise.Every,
		)
	}
	return nil
}

// WorkTime is transferTime for a rate that may be missing; then it returns 0.
func WorkTime(n, rate int64) int64 {
	if rate == 0 {
		return 0
	}
	return TransferTime(n, rate)
}

// TransferTime returns how long n bytes take at a rate in bytes/s (ps).
func TransferTime(n, bandwidth int64) int64 {
	hi, lo := bits.Mul64(uint64(n), picosecondsPerSecond)
	rate := uint64(bandwidth)
	if hi >= rate {
		return 1<<62 - 1
	}
	t, _ := bits.Div64(hi, lo, rate)
	return int64(min(t, 1<<62-1))
}

// WorldContext is the first context of the communicator of all ranks in their own order.
const WorldContext int32 = 0

// MostPeers is the largest Spec.Peers.
const MostPeers = 4096
