package host

// Op is an operation that a rank leaves for the node: fc_op in host.h.
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

// Kinds of operations.
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

// Reasons for which a rank hands over.
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
	Exit
	Abort
	Failed
	Crashed
)

// Status is what a received or probed message is like: fc_status.
type Status struct {
	Source, Tag int32
	Size        int64
	Mark        uint64
}

// Mismatch is a place at which a receiver takes bytes for something else than their sender.
type Mismatch struct {
	Text  string
	Site  int64 // of the call, as Call.Site
	Times int64 // that it has come up
	Rank  int   // the lowest to whom it has
}

// What Job.CheckTypes may be told.
const (
	IgnoreTypes = iota
	TellTypes
	FailTypes
)

// Request is the part of a request that the simulator sees: fc_request.
type Request struct {
	Node     uint32 // the node's name for it; 0 if it has none
	Done     int32
	Status   Status
	Capacity int64
	Strand   int64
}

// Call is a collective: fc_call. Sizes, counts and offsets are in bytes.
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

// What a Call may be.
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

// Batch is how many operations a rank leaves at once at most.
const Batch = 128

// Small is how many bytes a SendWhole has at most. The list of operations is followed by so many for each.
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
}
