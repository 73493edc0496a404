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

// What programs and the builder of a world name, by the names of the rooms that define it.
type (
	// Spec holds the parameters of the nodes.
	Spec      = model.Spec
	Intra     = model.Intra     // messages between ranks of one host
	Noise     = model.Noise     // time that ranks lose to others on their processors
	Processor = model.Processor // that takes part in communication, as in LogGOPSim
	SizeClass = model.SizeClass // traffic classes by size

	Buf      = model.Buf      // a message buffer: bytes, or only a size
	Request  = model.Request  // a handle of a started operation
	Envelope = model.Envelope // a received or probed message, in compact form
	Status   = model.Status   // the same for programs
	Delivery = model.Delivery // an envelope with the mark of its contents
	Options  = model.Options  // how one message is sent
	Protocol = model.Protocol // by which it is sent
	Copies   = model.Copies   // whether an eager message is copied at each end
	Access   = core.Access    // which memory a one-sided operation accesses
	Change   = model.Change   // the effect of an atomic operation
	Kind     = model.Kind     // of an operation, or of what a rank waits for

	Creation     = model.Creation     // identifies a communicator that a program makes
	CreationKind = model.CreationKind // how it is made
)

// Wildcards, tags and limits.
const (
	AnySource    = model.AnySource
	AnyTag       = model.AnyTag
	NoTag        = model.NoTag        // of puts that no receive or probe can find
	MostPeers    = model.MostPeers    // the largest Spec.Peers
	Endless      = schedule.Endless   // doublings of Ops.Patience without limit
	WorldContext = model.WorldContext // first context of the communicator of all ranks
)

// The contexts of a communicator, as offsets from its first.
const (
	Messages    = core.Messages    // of the program
	Collectives = core.Collectives // messages of collectives
	Puts        = core.Puts        // of the program
	Transfers   = core.Transfers   // puts in the place of messages
)

// Kinds of operations, and of waits.
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

// Protocols and copies of messages, see [Protocol] and [Copies].
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

// Atomic operations, see [Change].
const (
	FetchAdd       = model.FetchAdd
	Swap           = model.Swap
	CompareAndSwap = model.CompareAndSwap
)

// Ways to make a communicator.
const (
	CreatedBySplit   = model.CreatedBySplit
	CreatedForWindow = model.CreatedForWindow
	CreatedBetween   = model.CreatedBetween
	CreatedAlone     = model.CreatedAlone
	CreatedOfSelf    = model.CreatedOfSelf
)

// What observers receive.
type (
	Log      = observe.Log      // everything that one rank's program does
	Outgoing = observe.Outgoing // a message that is sent
	Incoming = observe.Incoming // a message that has been received
	Tracer   = observe.Tracer   // what ranks do while they do it
	Span     = observe.Span     // a period that a rank spent in a state
	State    = observe.State    // what a rank does
	Sent     = observe.Sent     // a message that has been delivered

	Stats      = observe.Stats      // sums over a run
	Stray      = observe.Stray      // a message that no receive has met
	RankRecord = observe.RankRecord // what one rank did
)

// The states of ranks.
const (
	Computing       = observe.Computing
	InLibrary       = observe.InLibrary       // software time of receives
	Sending         = observe.Sending         // software time of sends
	AwaitingMessage = observe.AwaitingMessage // in a wait for a message
	Awaiting        = observe.Awaiting        // in any other wait
)

// Errors of programs and of runs.
type (
	RankError     = core.RankError         // of a rank's program
	PanicError    = core.PanicError        // a panic of one
	MemoryError   = core.MemoryError       // an access to memory that is not mapped
	AccessError   = onesided.AccessError   // to memory that the other rank has not registered
	DeadlockError = deadlock.DeadlockError // why ranks cannot go on
	Wait          = deadlock.Wait          // what a blocked rank waits for
	JournalError  = journal.JournalError   // a journal that cannot be used
	DivergedError = journal.DivergedError  // a program that does something else when it runs again
)

// Size returns a buffer of n bytes without contents.
func Size(n int) Buf { return model.Size(n) }

// Data returns a buffer whose contents are delivered.
func Data(b []byte) Buf { return model.Data(b) }

// Anything returns a receive buffer without contents that accepts messages of any size.
func Anything() Buf { return model.Anything() }

// ByNIC reports whether a NIC handles a message, without the rank's processor.
func ByNIC(m *fabric.Message) bool { return core.ByNIC(m) }

// NewPanicError returns a PanicError for a value that recover returned. Call it in the same
// deferred function, while the stack still shows where the panic happened.
func NewPanicError(value any) PanicError { return core.NewPanicError(value) }

// ForecastPeers returns the memory (bytes) of the lists of peers of so many ranks.
func ForecastPeers(s *Spec, ranks int) int64 { return protocol.ForecastPeers(s, ranks) }
