package model

// MsgID identifies a message in flight. It is valid only in the transport that issued it, and may
// be reused after the message's Release.
type MsgID uint32

// NoMsg is the MsgID that no message has.
const NoMsg MsgID = 0

// Message is one message in flight between two hosts. It takes one cache line. The sending endpoint
// sets all fields but Next and Left before Post; the transport sets these two.
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
	Flags    uint8  // the endpoint's own, but for HasExtra and SourceQueued
}

// Flags of a message.
const (
	// HasExtra is set if the message has an Extra.
	HasExtra = 1 << 7
	// SourceQueued is set if the message waited at its source from Sent to Post, behind earlier
	// messages that the NIC had not fetched, in a queue that the endpoint does not keep in the NIC.
	SourceQueued = 1 << 6
)

// Since returns when the message began to wait to be sent (ps), from which its age counts.
func (m *Message) Since() int64 {
	if m.Flags&SourceQueued != 0 {
		return m.Sent
	}
	return m.Post
}

// Extra holds the fields that only some messages need, in a cache line of its own. Messages without
// an Extra do not pay for it.
type Extra struct {
	// read by the transport: how many packet times the NIC pauses after each packet, at most MaxGap
	Gap    uint32
	Rank   int32    // all that follows is the endpoint's own: the rank at the destination host
	Local  uint32   // request at the end that began the exchange
	Remote uint32   // request at the other end
	Length int64    // bytes of data that the exchange is about
	Place  uint64   // in the memory of the other end
	Value  [4]int64 // operands and results
}

// Endpoint is the software on the hosts of one partition block. The transport calls it. The calls
// for a host have non-decreasing `now`, and the calls for the hosts of one block never run in
// parallel. An endpoint may call the transport from inside any of these methods.
type Endpoint interface {
	// Wake is called at the simulated time now (ps), which the host's latest SetTimer named.
	Wake(host int32, now int64)
	// Delivered announces, at or before the time `at` (ps), that the message's last byte will be in
	// the destination host's memory at that time. For one NIC `at` never decreases from call to
	// call, but in networks without packets; between the NICs of a host it may. The endpoint owns the message from this call on, and
	// returns it with Release.
	Delivered(host int32, id MsgID, at int64)
	// Fetched announces, at or before the time `at` (ps), that the source NIC will have read the
	// message's last byte from memory at that time. The send buffer may be reused then. request is
	// the message's Request field.
	Fetched(host int32, request uint32, at int64)
}

// Prefetcher is an Endpoint that can prefetch into the cache what Wake will use. In a large network
// the fabric calls it for hosts whose timers are due. Not all of them are woken in the end. Its
// methods must not change any state.
type Prefetcher interface {
	// PrefetchHost prefetches the host's record, some router activations before Wake.
	PrefetchHost(host int32)
	// PrefetchWork prefetches what the host's record refers to, some activations after
	// PrefetchHost.
	PrefetchWork(host int32)
	// PrefetchMatch prefetches what the first message that has arrived at the host will meet, after
	// PrefetchWork.
	PrefetchMatch(host int32)
	// PrefetchDelivery prefetches what Delivered will use of the host.
	PrefetchDelivery(host int32)
	// PrefetchQueue prefetches where Delivered will look for what the message meets, and
	// PrefetchReceive what it meets. Each is called some steps after the one before; the message may
	// have been released meanwhile.
	PrefetchQueue(host int32, id MsgID)
	PrefetchReceive(host int32, id MsgID)
	// PrefetchFetched prefetches what Fetched will use of a message's Request at the host.
	PrefetchFetched(host int32, request uint32)
}

// ProgressPublisher is an Endpoint that publishes its progress to other goroutines.
type ProgressPublisher interface {
	// PublishProgress publishes the progress. The fabric calls it from time to time between two windows.
	PublishProgress()
}

// Transport carries messages between hosts. The fabric's blocks and the oracle implement it, with
// identical behaviour. Only the block that owns the host may call it.
type Transport interface {
	// NewMessage returns a zeroed message for the caller to fill in and Post.
	NewMessage() (MsgID, *Message)
	// Message returns a message by its ID. The pointer stays valid until Release.
	Message(id MsgID) *Message
	// Attach adds a zeroed Extra to a message that has not been posted, and returns it.
	Attach(id MsgID) *Extra
	// Extra returns the Extra of a message that has one. The pointer stays valid until Release.
	Extra(id MsgID) *Extra
	// Post hands a message to its source NIC at the time m.Post (ps), which must not be in the
	// past. Successive posts to one NIC must not have a decreasing m.Post. The NIC sends its
	// messages in the order of posting, or in turns, packet by packet (Spec.TakeTurns),
	// or those without payload first (Spec.ControlFirst).
	Post(id MsgID)
	// Release returns a delivered message, or one that was never posted, for reuse.
	Release(id MsgID)
	// SetTimer makes the transport call Endpoint.Wake(host, at) at the time `at` (ps, not in the
	// past). It replaces the host's earlier timer. Forever cancels the timer.
	SetTimer(host int32, at int64)
}

// Sequencer is a Transport that keeps to an order of the wakes of one instant.
type Sequencer interface {
	// SetTurn does what SetTimer does. Of the hosts that are woken at one instant, those with a lower
	// number come first. A number has 63 bits.
	SetTurn(host int32, at int64, number uint64)
}

// Reader is a Transport that reports whether its NICs are still reading from memory.
type Reader interface {
	// Reading reports whether a NIC of the host still has to read bytes of a message posted to it.
	// For all other messages Fetched has been called.
	Reading(host int32) bool
}

// VirtualTime is a Transport that knows how far the whole network has been simulated.
type VirtualTime interface {
	// GVT returns the global virtual time (ps): no event on any host will be earlier.
	GVT() int64
}

// Forever is a time (ps) later than every event.
const Forever int64 = 1<<63 - 1
