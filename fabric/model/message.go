package model

// MsgID identifies a message in flight. It is valid only in the transport that issued it, and may
// be reused after the message's Release.
type MsgID uint32

// NoMsg is a MsgID that no message has.
const NoMsg MsgID = 0

// Message is a message in flight between two hosts. It occupies one cache line. The sending
// endpoint sets all fields except Next and Left before Post; the transport sets these two.
type Message struct {
	Src, Dst int32 // global NIC IDs
	SrcRank  int32 // SrcRank, Context, Tag, Request and Payload are for the endpoint;
	Context  int32 // the transport only carries them
	Tag      int32
	Request  uint32 // ID of the sender's request in the sender's endpoint
	Payload  uint32 // the endpoint's handle for the contents
	Next     uint32 // next message in the NIC's queue, or in the list of released messages
	Size     int64  // payload bytes
	Sent     int64  // when the program called send (ps)
	Post     int64  // when the NIC may start sending it (ps)
	Left     uint32 // packets not yet in the destination's memory, or a mark from KeptBack on
	Order    uint16 // set and read only by the endpoint
	Class    uint8  // with the arbiter Priority: the greater, the more urgent
	Flags    uint8  // for the endpoint, except for HasExtra and SourceQueued
}

// Flags of a message.
const (
	// HasExtra is set if the message has an Extra.
	HasExtra = 1 << 7
	// SourceQueued is set if the message waited at its source from Sent to Post, behind earlier
	// messages that the NIC had not fetched yet, in a queue of the endpoint.
	SourceQueued = 1 << 6
)

// Marks in Message.Left, which are no numbers of packets.
const (
	// KeptBack is set by the endpoint: the message is in memory, and waits for earlier ones.
	KeptBack = 1<<32 - 2
	// Unposted is set by the transport until the message is posted.
	Unposted = 1<<32 - 1
)

// Arriving reports whether a message has been posted and packets of it are not yet in the destination's
// memory. It is then linked in the queue of its source, and otherwise in one of the endpoint, if in any.
func (m *Message) Arriving() bool { return 0 < m.Left && m.Left < KeptBack }

// Since returns the time (ps) from which the message waited to be sent. Its age counts from this
// time.
func (m *Message) Since() int64 {
	if m.Flags&SourceQueued != 0 {
		return m.Sent
	}
	return m.Post
}

// Extra holds fields that only some messages need, in a separate cache line. Messages without an
// Extra do not pay for it.
type Extra struct {
	// Gap is read by the transport: the pause of the NIC after each packet, in packet times, at
	// most MaxGap.
	Gap    uint32
	Rank   int32    // this and the following fields are for the endpoint: the rank at the destination host
	Local  uint32   // ID of the request at the end that started the exchange
	Remote uint32   // ID of the request at the other end
	Length int64    // number of bytes that are exchanged
	Place  uint64   // offset in the memory of the other end
	Value  [4]int64 // operands, results, and other data of the endpoint
}

// Endpoint is the software on the hosts of one block. The transport calls it. For each host, `now`
// never decreases from call to call, and calls for the hosts of one block never run concurrently.
// An endpoint may call the transport from any of these methods.
type Endpoint interface {
	// Wake is called at the simulated time now (ps), as requested by the host's latest SetTimer.
	Wake(host int32, now int64)
	// Delivered announces, at or before the time `at` (ps), that the message's last byte will be in
	// the destination host's memory at that time. For each NIC, `at` never decreases from call to
	// call, except in networks without packets. Across the NICs of a host it may decrease. The
	// endpoint owns the message from this call on, and must return it with Release.
	Delivered(host int32, id MsgID, at int64)
	// Fetched announces, at or before the time `at` (ps), that the source NIC will have read the
	// message's last byte from memory at that time. The send buffer may be reused from then on.
	// request is the message's Request field.
	Fetched(host int32, request uint32, at int64)
}

// Prefetcher is an Endpoint that can prefetch data that Wake will use into the cache. In a large
// network, the fabric calls it for hosts whose timers are due, though not all of them will be
// woken. Its methods must not change any state.
type Prefetcher interface {
	// PrefetchHost prefetches the host's record, some router activations before Wake.
	PrefetchHost(host int32)
	// PrefetchWork prefetches the data that the host's record refers to, some activations after
	// PrefetchHost.
	PrefetchWork(host int32)
	// PrefetchMatch prefetches the data that the first message received by the host will be matched
	// with, after PrefetchWork.
	PrefetchMatch(host int32)
	// PrefetchDelivery prefetches the data of the host that Delivered will use.
	PrefetchDelivery(host int32)
	// PrefetchQueue prefetches the queue in which Delivered will search for a match for the
	// message, and PrefetchReceive prefetches the match. Each is called some steps after the
	// previous one. The message may have been released meanwhile.
	PrefetchQueue(host int32, id MsgID)
	PrefetchReceive(host int32, id MsgID)
	// PrefetchFetched prefetches the data that Fetched will use for a message's Request at the
	// host.
	PrefetchFetched(host int32, request uint32)
}

// ProgressPublisher is an Endpoint that publishes its progress to other goroutines.
type ProgressPublisher interface {
	// PublishProgress publishes the progress. The fabric calls it periodically between two windows.
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
	// Post passes a message to its source NIC at the time m.Post (ps), which must not be in the
	// past. For each NIC, m.Post must not decrease from post to post. The NIC sends its messages in
	// the order of posting, unless Spec.TakeTurns selects turns, packet by packet, or
	// Spec.ControlFirst puts messages without payload first.
	Post(id MsgID)
	// Release returns a delivered message, or one that was never posted, for reuse.
	Release(id MsgID)
	// SetTimer makes the transport call Endpoint.Wake(host, at) at the time `at` (ps), which must
	// not be in the past. It replaces the host's earlier timer. Forever cancels the timer.
	SetTimer(host int32, at int64)
}

// Sequencer is a Transport that can order the calls of Wake at the same instant.
type Sequencer interface {
	// SetTurn is like SetTimer. Of the hosts woken at the same instant, those with a lower number
	// are woken first. A number has 63 bits.
	SetTurn(host int32, at int64, number uint64)
}

// Reader is a Transport that reports whether its NICs are still reading from memory.
type Reader interface {
	// Reading reports whether a NIC of the host still has to read bytes of a message posted to it.
	// If not, Fetched has been called for all of them.
	Reading(host int32) bool
}

// VirtualTime is a Transport that knows up to which time the whole network has been simulated.
type VirtualTime interface {
	// GVT returns the global virtual time (ps): no event on any host will be earlier.
	GVT() int64
}

// Forever is a time (ps) later than every event.
const Forever int64 = 1<<63 - 1
