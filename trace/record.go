package trace

// Kind is the kind of a record. The numbers are part of the format of package native.
type Kind uint8

const (
	Compute    Kind = iota // computation of a duration
	Send                   // a send that returns when its buffer may be used again
	Receive                // a receive that returns when the message has arrived
	Start                  // a send or receive that is waited for later
	Wait                   // wait for started sends and receives
	Exchange               // a send and a receive at once, until both are complete
	Collective             // a collective of a group
	Enter                  // begin of a region of the program
	Leave                  // its end
	Skipped                // a call that cannot be replayed
	Software               // software time of the MPI library
	// Beside is computation that runs concurrently with later records and is waited for later.
	Beside
	Probe  // wait until a message has arrived, without receiving it
	Cancel // cancel a started receive
	// Put and Get copy data to or from another rank's memory, and are waited for later. A put
	// without a request is never waited for. A receive can match a put that has a tag.
	Put
	Get
	// Test tests whether a started message is complete. If so, a later wait for the message has no
	// effect.
	Test
)

// LastKind is the highest Kind.
const LastKind = Test

// NoTag is the tag of puts that no receive can match.
const NoTag = -1

// Any is the source or tag of a receive that accepts any source or tag.
const Any = -1

// Message is one end of a message between two ranks: its send or its receive.
type Message struct {
	Receive bool  // the receiver's end
	Peer    int32 // the other rank, as a world rank; Any for receives
	Tag     int32 // Any for receives
	Group   int32 // communicator that it is sent in: an index of Source.Groups, or Self
	Size    int64 // bytes
	Request uint64
	Options MessageOptions
}

// MessageOptions select how a message travels if it differs from the experiment's default. Most
// formats do not have them.
type MessageOptions struct {
	// Context is the context in the communicator: 0 for messages of the program, 1 for messages of
	// collectives, 2 and 3 for puts that implement either.
	Context  uint8
	Protocol uint8  // a node.Protocol; 0: the experiment's
	Copies   uint8  // a node.Copies; 0: the experiment's
	NIC      int32  // 1 + the NIC to use; 0: selected by the experiment
	Gap      uint32 // packet times between its packets
}

// Self is the group that consists of the rank itself.
const Self int32 = -1

// Record is one action of a rank. Which fields are used depends on the kind.
type Record struct {
	Kind     Kind
	Duration int64 // ps, of Compute, Software and Beside
	// Message is used for Send, Receive, Start, Probe, Put and Get, and for the send of Exchange.
	// Beside, Cancel and Test use only its Request.
	Message  Message
	Other    Message   // the receive of Exchange
	Requests []uint64  // of Wait: those of Start, Beside, Put and Get. Valid until the next record is read.
	Call     Operation // of Collective
	Name     string    // of Enter and Leave: the region; of Skipped: the call, and why
}

// Operation is the call of a collective with its operands.
type Operation struct {
	Kind  CollectiveKind
	Group int32 // an index of Source.Groups
	Root  int32 // rank in the group; 0 if the collective has no root
	// Size, in bytes, is the size of a rank's buffer in a broadcast, a reduction or a scan, and the
	// size of the block for each pair or of each rank in other collectives. If the blocks differ,
	// it is their mean.
	Size int64
	// Uneven means that blocks of ranks may differ, and that ranks may give different sizes.
	Uneven bool
	// Blocks, if not nil, holds the size in bytes of the block for each rank of the group, in an
	// uneven all-to-all, scatter or reduce-scatter. Valid until the next record is read.
	Blocks []int64
}

// CollectiveKind is a kind of collective, as in MPI.
type CollectiveKind uint8

// The collectives.
const (
	Barrier CollectiveKind = iota
	Broadcast
	Gather
	Scatter
	Allgather
	Alltoall
	Allreduce
	Reduce
	ReduceScatter
	Scan
	Exscan
)

var collectiveNames = [...]string{
	"barrier", "broadcast", "gather", "scatter", "allgather", "alltoall", "allreduce", "reduce",
	"reduce-scatter", "scan", "exscan",
}

// String returns the name of the collective.
func (k CollectiveKind) String() string { return collectiveNames[k] }
