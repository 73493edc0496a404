package trace

// Kind is the kind of a record. The numbers are part of the format of package native.
type Kind uint8

const (
	Compute    Kind = iota // computation of a duration
	Send                   // a send that returns when its buffer may be used again
	Receive                // a receive that returns when the message is there
	Start                  // a send or receive that is waited for later
	Wait                   // wait for started sends and receives
	Exchange               // a send and a receive at once, until both are complete
	Collective             // a collective of a group
	Enter                  // begin of a region of the program
	Leave                  // its end
	Skipped                // a call that cannot be replayed
	Software               // software time of the library, of a duration
	// computation of a duration that goes on while the rank does other things, and is waited for
	// later
	Beside
	Probe  // wait until a message is there, which stays
	Cancel // a started receive is taken back
	// One-sided: data is copied to another rank's memory, or from there, which is waited for later.
	// A put without a request nobody waits for; one with a tag a receive may find.
	Put
	Get
	// A look whether a started message is complete. If so, waits for it later find nothing to do.
	Test
)

// LastKind is the highest number of a kind.
const LastKind = Test

// NoTag is the tag of puts that no receive finds.
const NoTag = -1

// Any is the source or tag of a receive that accepts any.
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
	// of the communicator: 0 for the program's messages, 1 for those of collectives, 2 and 3 for
	// puts in place of either
	Context  uint8
	Protocol uint8  // a node.Protocol; 0: as the experiment says
	Copies   uint8  // a node.Copies; 0: as the experiment says
	NIC      int32  // 1 + the NIC that it leaves by; 0: as the experiment says
	Gap      uint32 // packet times between its packets
}

// Self is the group that consists of the rank itself.
const Self int32 = -1

// Record is one action of a rank. Which fields are used depends on the kind.
type Record struct {
	Kind     Kind
	Duration int64 // ps, of Compute, Software and Beside
	// of Send, Receive, Start, Probe, Put and Get, and the send of Exchange; of Beside, Cancel and Test
	// only Request
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
	Root  int32 // in the numbering of the group; 0 where the collective has no root
	// Size is, in bytes, that of a rank's buffer in a broadcast, a reduction or a scan. In others
	// it is that of the block for each pair, or of each rank. If the blocks of ranks differ it is
	// their mean.
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
