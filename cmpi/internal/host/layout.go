package host

// Op is an operation that a rank passes to the node: fc_op in host.h.
type Op struct {
	Kind    int32
	Peer    int32
	Self    int32
	Tag     int32
	Context int32
	Omit    int32
	Size    int64
	Data    *byte
	Request *Request

	Place      int64 // sends: mark of the contents
	Result     *byte
	ResultSize int64 // sends, puts and accumulates: options
	Op, Type   int32 // sends: Op is the name
	Layout     *byte
}

// Values of Op.Kind.
const (
	Send = iota + 1
	Recv
	Compute
	Ssend
	Put
	Get
	Accumulate
	Exchange
	Swap
	Lock
	Unlock
	Notice
	Hear
	PutTagged
	Poll
	Unregister
	SendWhole
	CancelSend
)

// Values of Rank.Why: the reason why a rank has switched back.
const (
	Sync = iota
	WaitAll
	WaitAny
	Test
	Probe
	Iprobe
	Collective
	Start
	Context
	Register
	Cancel
	Prefer
	Settle
	Attach
	Exit
	Abort
	Failed
	Crashed
)

// Status describes a received or probed message: fc_status.
type Status struct {
	Source, Tag int32
	Size        int64
	Mark        uint64
}

// Mismatch is a place at which data is received with a datatype that does not match the sender's.
type Mismatch struct {
	Text  string
	Site  int64  // of the call, as Call.Site
	Times int64  // number of occurrences
	Rank  int    // lowest rank concerned
	Key   string // the same for all mismatches of the place, in any process
}

// Blocking is a send of a large message that blocks in libraries that do not buffer it. Number
// counts the large messages from the rank to the peer.
type Blocking struct {
	Peer   int32 // world rank
	Number uint32
	Size   int64 // bytes
	Site   int64 // of the call, as Call.Site
}

// Blocked is a message that a rank received after a send of its own: fc_blocked.
type Blocked struct {
	Source int32 // world rank
	Number uint32
	Own    Blocking
}

// Arguments of Job.CheckTypes: what happens when datatypes do not match.
const (
	IgnoreTypes = iota
	TellTypes
	FailTypes
)

// Request is the part of an MPI request that the simulator sees: fc_request.
type Request struct {
	Node     uint32 // number of the node's request; 0 if there is none
	Done     int32
	Status   Status
	Capacity int64
	Strand   int64
}

// Call describes the call of a collective: fc_call. Sizes, counts and offsets are in bytes.
type Call struct {
	What                    int32
	Context                 int32
	Rank, Size, Root        int32
	Omit                    int32
	Sequence                int32
	Elem                    int32
	Commutative             int32
	Color, Key              int32
	_                       int32
	Ranks                   *int32
	Send, Recv              *byte
	SendSize, RecvSize      int64
	SendCounts, SendOffsets *int64
	RecvCounts, RecvOffsets *int64
	Owner                   *Rank
	Op, Type                int32
	NewRanks                *int32
	NewContext              int32
	NewSize, NewRank        int32
	NewLocal                int32
	Request                 *Request

	Remote                        *int32
	RemoteSize, SendContext       int32
	LocalContext, NewSend         int32
	CutSize, CutRoom              int64
	CutSource                     int32
	Signature                     int32
	Sources, Destinations         *int32
	SourceCount, DestinationCount int32
	Site                          int64

	Mark                    uint64
	Marks                   *uint64
	Takes                   *int32
	Taken                   int32
	WrongSource, WrongTaken int32
	WrongMark               uint64
	WrongBytes              int64
	Name                    *byte
}

// Values of Call.What.
const (
	Barrier = iota + 1
	Broadcast
	Gather
	Scatter
	Allgather
	Alltoall
	Reduce
	Allreduce
	ReduceScatter
	Gatherv
	Scatterv
	Allgatherv
	Alltoallv
	ReduceScatterv
	Scan
	Exscan
	Split
	Window
	Duplicate
	Neighbour
	Ordered
)

// Batch is the largest number of operations that a rank passes at once.
const Batch = 128

// Small is the largest size of a SendWhole in bytes. The list of operations is followed by that
// many bytes for each.
const Small = 64

// Rank is the part of a rank that the simulator sees: fc_rank. It lies in C memory.
type Rank struct {
	ID, Size                   int32
	Why                        int32
	Ops                        int32
	List                       *Op
	Waits                      **Request
	NWaits                     int64
	Source, Tag, Context, Flag int32
	Status                     Status
	Clock                      int64
	Index                      int64
	Call                       *Call
	Message                    *byte
	Code                       int64
	Name                       *byte
	Initialized, Finalized     int32
	Leaks                      int32
	Omit                       int32
	SelfContext                int32
	Host                       int32
	NICs, MaxGap, Small        int32
	Fault                      int64
}

// Fault is an address at which a program's memory was missing. Functions that access it panic with
// a Fault.
type Fault uintptr

// Addr returns the address, as runtime errors of Go do.
func (f Fault) Addr() uintptr { return uintptr(f) }
