package fabric

// MsgID names a message in flight. It means something only to the transport
// that issued it, and may be reused once the message has been released.
type MsgID uint32

// NoMsg is no message.
const NoMsg MsgID = 0

// Message is one message in flight between two hosts, in one cache line. The
// endpoint that sends fills in all but Next and Left before Post; those the transport keeps.
type Message struct {
	Src, Dst int32 // global NIC numbers
	SrcRank  int32 // this rank, the context, tag, request and payload are the
	Context  int32 // endpoint's own; the transport only carries them
	Tag      int32
	Request  uint32 // the sender's request, in the sender's endpoint
	Payload  uint32 // the endpoint's handle of the contents
	Next     uint32 // next message in the NIC's queue, or of those given back
	Size     int64  // payload bytes
	Sent     int64  // ps: when the program called send
	Post     int64  // ps: when the NIC may start on it
	Left     uint32 // packets not yet in the destination's memory
	Order    uint16 // the endpoint's own
	Class    uint8  // for Arbiter Priority: the greater, the more urgent
	Flags    uint8  // the endpoint's own, but for HasExtra
}

// HasExtra is the flag of a message that has an Extra.
const HasExtra = 1 << 7

// Extra is what only some messages have, in a cache line beside the message's own: it
// costs nothing where no message has one.
type Extra struct {
	Gap    uint32   // the transport's: how many packet times the NIC pauses after each packet, at most MaxGap
	Rank   int32    // all that follows is the endpoint's own: the rank at the destination host
	Local  uint32   // request at the end that began the exchange
	Remote uint32   // request at the other end
	Length int64    // bytes of data that the exchange is about
	Place  uint64   // in the memory of the other end
	Value  [4]int64 // operands and results
}

// Endpoint is what sits on the hosts of one partition block. The transport
// calls it; a host's calls come in non-decreasing `now`, and never two at once
// for hosts of one block. An endpoint may call the transport back from inside
// any of these.
type Endpoint interface {
	// Wake is called at simulated time now, which is the time that the latest
	// SetTimer for this host named.
	Wake(host int32, now int64)
	// Delivered tells, at some time before or at `at`, that the message's last
	// byte will be in the destination host's memory at the time `at`. For one
	// NIC the `at` never decrease from call to call; between NICs of a host
	// they may. The endpoint owns the message from now on and gives it back with
	// Release.
	Delivered(host int32, id MsgID, at int64)
	// Fetched tells, at some time before or at `at`, that the source NIC will
	// have read the message's last byte from memory at the time `at`: the send
	// buffer may then be used again. Request is the message's Request field.
	Fetched(host int32, request uint32, at int64)
}

// Prefetcher is an Endpoint that can load ahead into the cache what Wake will use. In a large network it is asked to for hosts
// that are due, some of which may not be woken. It must change nothing.
type Prefetcher interface {
	// PrefetchHost loads what stands at a fixed place for the host, some visits of routers before Wake.
	PrefetchHost(host int32)
	// PrefetchWork loads what that names, some visits after PrefetchHost.
	PrefetchWork(host int32)
}

// Transport carries messages between hosts. The fabric's blocks implement it,
// and so does the oracle; an endpoint cannot tell them apart. All calls come
// from the block that owns the host.
type Transport interface {
	// NewMessage returns a zeroed message to fill in and Post.
	NewMessage() (MsgID, *Message)
	// Message returns a message by its ID. The pointer stays valid until Release.
	Message(id MsgID) *Message
	// Attach gives a message that is being filled in an Extra, zeroed, and returns it.
	Attach(id MsgID) *Extra
	// Extra returns the Extra of a message that has one. The pointer stays valid until Release.
	Extra(id MsgID) *Extra
	// Post hands a filled-in message to its source NIC at m.Post, which must not
	// be before the present; posts of one NIC must come with non-decreasing Post. The NIC serves
	// its messages in the order of posting.
	Post(id MsgID)
	// Release gives back a delivered message, or one that was not posted.
	Release(id MsgID)
	// SetTimer asks for Endpoint.Wake(host, at) at the time at (ps, not before
	// the present), replacing the host's earlier timer. Forever cancels it.
	SetTimer(host int32, at int64)
}

// Reader is a Transport that can tell what its NICs have done.
type Reader interface {
	// Reading tells whether a NIC of the host has yet to read some of a message that has been posted to it: of all others Fetched
	// has been called.
	Reading(host int32) bool
}

// VirtualTime is a Transport that can tell how far all the network has got.
type VirtualTime interface {
	// GVT is the global virtual time (ps): before it nothing can happen on any host any more.
	GVT() int64
}

// Forever is a time that never comes.
const Forever int64 = 1<<63 - 1
