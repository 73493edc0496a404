package trace

// Kind is the kind of a record. The numbers are part of the format of package native.
type Kind uint8

const (
	Compute    Kind = iota // computation for the time Duration
	Send                   // a blocking send, as MPI_Send: returns when its buffer may be reused
	Receive                // a blocking receive, as MPI_Recv
	Start                  // a nonblocking send or receive, completed by a later Wait
	Wait                   // wait for nonblocking operations to complete
	Exchange               // a concurrent send and receive, as MPI_Sendrecv: returns when both are complete
	Collective             // a collective operation of a group of ranks
	Enter                  // the rank enters a region of the program
	Leave                  // the rank leaves the region
	Skipped                // a call that cannot be replayed
	Software               // time that the rank spends in the software of the MPI library
	// Beside starts a computation that runs concurrently with the following records. A later Wait
	// waits for it.
	Beside
	Probe  // wait until a message can be received, without receiving it, as MPI_Probe
	Cancel // cancel a nonblocking receive
	// Put and Get start a copy to or from the memory of another rank; a later Wait waits for it.
	// Nothing waits for a put without a request. A receive can match a put that has a tag.
	Put
	Get
	// Test tests whether a nonblocking send or receive is complete. If it is, a later Wait for the
	// same request returns at once.
	Test
)

// LastKind is the highest Kind.
const LastKind = Test

// NoTag is the tag of puts that no receive can match.
const NoTag = -1

// Any is the source or tag of a receive that accepts any source or tag.
const Any = -1

// Message describes the send or the receive of a message between two ranks.
type Message struct {
	Receive bool  // true for a receive, false for a send
	Peer    int32 // the other rank, as a world rank; Any for receives
	Tag     int32 // Any for receives
	Group   int32 // communicator of the message: an index in Trace.Groups, or Self
	Size    int64 // bytes
	Request uint64
	Options MessageOptions
}

// MessageOptions override, for one message, how the experiment transfers messages. Most trace
// formats have no such options.
type MessageOptions struct {
	// Context separates messages of the same communicator that must not match each other: 0 for
	// messages of the program, 1 for messages of collectives, 2 for puts of the program, 3 for puts
	// of collectives.
	Context  uint8
	Protocol uint8  // a node.Protocol; 0: the experiment's
	Copies   uint8  // a node.Copies; 0: the experiment's
	NIC      int32  // 1 + the NIC to use; 0: selected by the experiment
	Gap      uint32 // pause between consecutive packets, in packet transmission times
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
	Requests []uint64  // of Wait: the requests of earlier records. Valid until the next record is read.
	Call     Operation // of Collective
	Name     string    // of Enter and Leave: the region; of Skipped: the call, and why it is skipped
}

// Operation describes one rank's call of a collective.
type Operation struct {
	Kind  CollectiveKind
	Group int32 // index in Trace.Groups of the ranks that take part
	Root  int32 // root as a rank in the group; 0 if the collective has no root
	// Size is in bytes. In a broadcast, reduction or scan, it is the size of a rank's whole buffer.
	// In other collectives it is the size of one data block: the part of a buffer that goes to one
	// rank or comes from one rank. If the data blocks have different sizes, it is their mean.
	Size int64
	// Uneven means that the data blocks may have different sizes, as in MPI_Alltoallv, and that
	// ranks may specify different sizes.
	Uneven bool
	// Blocks, if not nil, holds the size in bytes of the data block for each rank of the group. It
	// is used for uneven all-to-all, scatter and reduce-scatter. Valid until the next record is
	// read.
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
