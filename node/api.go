package node

import (
	"fabricast/fabric"
	"fabricast/node/internal/core"
	"fabricast/node/internal/deadlock"
	"fabricast/node/internal/journal"
	"fabricast/node/internal/model"
	"fabricast/node/internal/observe"
	"fabricast/node/internal/onesided"
	"fabricast/node/internal/protocol"
	"fabricast/node/internal/schedule"
)

// The types that programs and the creator of a world use. The internal packages that define them
// have the documentation.
type (
	// Spec holds the parameters of the nodes.
	Spec   = model.Spec
	Intra  = model.Intra  // parameters of messages between ranks of one host
	Losses = model.Losses // recorded times at which a processor was lost
	Noise  = model.Noise  // time that ranks lose to other processes on their processors
	// parameters of processors that take part in communication, as in LogGOPSim
	Processor = model.Processor
	SizeClass = model.SizeClass // a traffic class for messages up to a size

	Buf      = model.Buf      // a message buffer: bytes, or only a size
	Request  = model.Request  // a handle of a started operation
	Envelope = model.Envelope // a received or probed message, in compact form
	Status   = model.Status   // an envelope with fields of type int, for programs
	Delivery = model.Delivery // an envelope with the mark of the message's contents
	Options  = model.Options  // options for sending one message
	Protocol = model.Protocol // the protocol of a message
	Copies   = model.Copies   // whether an eager message is copied at each end
	Access   = core.Access    // the remote memory that a one-sided operation accesses
	Change   = model.Change   // the effect of an atomic operation on a word
	Kind     = model.Kind     // the kind of an operation, or of a wait

	Creation     = model.Creation     // identifies a communicator that a program creates
	CreationKind = model.CreationKind // the way in which it is created
)

// Wildcards, tags and limits.
const (
	AnySource    = model.AnySource
	AnyTag       = model.AnyTag
	NoTag        = model.NoTag        // the tag of puts that no receive or probe can match
	MostPeers    = model.MostPeers    // the largest Spec.Peers
	Endless      = schedule.Endless   // number of doublings for Ops.Patience that stands for no limit
	WorldContext = model.WorldContext // first context of the world communicator
)

// The contexts of a communicator, as offsets from its first context.
const (
	Messages    = core.Messages    // messages of the program
	Collectives = core.Collectives // messages of collectives
	Puts        = core.Puts        // puts of the program
	Transfers   = core.Transfers   // puts that implement messages
)

// ByDevice, a bit of the tags of collectives, marks messages that threads of an accelerator start and
// complete by themselves. They cost the rank no overhead, copies or set-up: what this takes is in the
// times of the collective's algorithm.
const ByDevice = core.ByDevice

// The kinds of operations and of waits.
const (
	Sync     = model.Sync
	Send     = model.Send
	Recv     = model.Recv
	WaitAll  = model.WaitAll
	WaitAny  = model.WaitAny
	Test     = model.Test
	Probe    = model.Probe
	Iprobe   = model.Iprobe
	Exit     = model.Exit
	Put      = model.Put
	Get      = model.Get
	Atomic   = model.Atomic
	WaitNext = model.WaitNext
	TestNext = model.TestNext
)

// The protocols and copying rules of messages, see [Protocol] and [Copies].
const (
	ByExperiment       = model.ByExperiment
	Eager              = model.Eager
	RendezvousWrite    = model.RendezvousWrite
	RendezvousRead     = model.RendezvousRead
	Synchronous        = model.Synchronous
	CopiesByExperiment = model.CopiesByExperiment
	ZeroCopy           = model.ZeroCopy
	OneCopy            = model.OneCopy
)

// The atomic operations, see [Change].
const (
	FetchAdd       = model.FetchAdd
	Swap           = model.Swap
	CompareAndSwap = model.CompareAndSwap
)

// The ways to create a communicator.
const (
	CreatedBySplit   = model.CreatedBySplit
	CreatedForWindow = model.CreatedForWindow
	CreatedBetween   = model.CreatedBetween
	CreatedAlone     = model.CreatedAlone
	CreatedOfSelf    = model.CreatedOfSelf
)

// The types that observers of a run receive.
type (
	Log      = observe.Log      // receives everything that one rank's program does
	Outgoing = observe.Outgoing // a message that is being sent
	Incoming = observe.Incoming // a message that has been received
	Tracer   = observe.Tracer   // receives the activities of ranks as they happen
	Span     = observe.Span     // a period that a rank spent in one state
	State    = observe.State    // the state of a rank
	Step     = observe.Step     // a period in which a rank does one thing, with its cause
	Cause    = observe.Cause    // why a rank waits, or what its software does
	Traced   = observe.Traced   // what a Tracer receives
	Sent     = observe.Sent     // a message that has been delivered

	Stats      = observe.Stats      // totals over a run
	Note       = observe.Note       // a number that a program keeps
	Stray      = observe.Stray      // a message that no receive has matched
	RankRecord = observe.RankRecord // totals of one rank
)

// The states of ranks.
const (
	Computing       = observe.Computing
	InLibrary       = observe.InLibrary       // software time of receives
	Sending         = observe.Sending         // software time of sends
	AwaitingMessage = observe.AwaitingMessage // waiting for a message
	Awaiting        = observe.Awaiting        // in any other wait
)

// The kinds of causes.
const (
	CauseNone    = observe.CauseNone
	CauseMessage = observe.CauseMessage
	CauseRequest = observe.CauseRequest
	CauseData    = observe.CauseData
	CauseFetch   = observe.CauseFetch
	CauseMatch   = observe.CauseMatch
	CauseTimer   = observe.CauseTimer
	CauseAccess  = observe.CauseAccess
	CauseTurn    = observe.CauseTurn
	CausePolling = observe.CausePolling
	CauseSend    = observe.CauseSend
)

// Errors of programs and of runs.
type (
	RankError   = core.RankError   // an error in a rank's program
	PanicError  = core.PanicError  // a panic in a rank's program
	MemoryError = core.MemoryError // an access to unmapped memory
	// an access to memory that the target rank has not registered
	AccessError   = onesided.AccessError
	DeadlockError = deadlock.DeadlockError // the reason why ranks are blocked forever
	Wait          = deadlock.Wait          // what a blocked rank waits for
	JournalError  = journal.JournalError   // an unusable journal
	DivergedError = journal.DivergedError  // a program that behaves differently when it is run again
)

// Size returns a buffer of n bytes without contents.
func Size(n int) Buf { return model.Size(n) }

// Data returns a buffer whose contents are delivered to the receiver.
func Data(b []byte) Buf { return model.Data(b) }

// Anything returns a receive buffer without contents that accepts messages of any size.
func Anything() Buf { return model.Anything() }

// Counters is the number of sums that programs may keep, see Ops.Count.
const Counters = observe.Counters

// ByNIC reports whether a NIC handles message m, without the rank's processor.
func ByNIC(m *fabric.Message) bool { return core.ByNIC(m) }

// NewPanicError returns a PanicError for value, which recover has returned. It must be called in
// the deferred function that recovers, while the stack still shows where the panic happened.
func NewPanicError(value any) PanicError { return core.NewPanicError(value) }

// ForecastPeers returns the memory in bytes of the lists of peers of the given number of ranks.
func ForecastPeers(s *Spec, ranks int) int64 { return protocol.ForecastPeers(s, ranks) }
