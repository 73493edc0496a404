package record

// Tables with one row per packet, message or state of a rank.
const (
	BufferLogTable = "buffer_log.parquet"
	MessagesTable  = "messages.parquet"
	TimelineTable  = "timeline.parquet"
)

// Passage is a row of buffer_log.parquet: a packet that passed through an input buffer of a
// selected router.
type Passage struct {
	Router          int32 `parquet:"router" holds:"router"`
	Port            int32 `parquet:"port" holds:"link"` // input port
	VC              int32 `parquet:"vc"`
	OutPort         int32 `parquet:"out_port" holds:"link"`
	OutVC           int32 `parquet:"out_vc"`
	Message         int64 `parquet:"message" holds:"any"`
	SourceHost      int32 `parquet:"source_host" holds:"nic"`
	DestinationHost int32 `parquet:"destination_host" holds:"nic"`
	Bytes           int64 `parquet:"wire_bytes"`
	In              int64 `parquet:"in_ps"`  // earliest time at which the packet could have left the buffer
	Out             int64 `parquet:"out_ps"` // time at which the packet started to leave the buffer
	Order           int64 `parquet:"order_ps"`
	Credit          int64 `parquet:"no_credit_ps"`
	BusyOutput      int64 `parquet:"busy_output_ps"`
	BusyCrossbar    int64 `parquet:"busy_crossbar_ps"`
}

// Message is a row of messages.parquet: a delivered message.
type Message struct {
	Message int64 `parquet:"message" holds:"any"`
	// world rank; in synthetic traffic, which has no ranks, the NIC
	Source          int32 `parquet:"source" holds:"rank"`
	Destination     int32 `parquet:"destination" holds:"rank"`
	SourceHost      int32 `parquet:"source_host" holds:"nic"`
	DestinationHost int32 `parquet:"destination_host" holds:"nic"`
	// network, or local (between ranks of the same host)
	Kind       string `parquet:"kind,dict" holds:"of network local"`
	Collective string `parquet:"collective,dict"`
	Tag        int32  `parquet:"tag" holds:"any"` // in synthetic traffic: 1 for a reply, otherwise 0
	Bytes      int64  `parquet:"payload_bytes"`
	Send       int64  `parquet:"send_ps"`     // time of the send call
	Delivery   int64  `parquet:"delivery_ps"` // time at which the whole message is in memory
	Distance   int32  `parquet:"distance_hops"`
	Class      int32  `parquet:"class"`
}

// Values of Message.Kind.
const (
	MessageNetwork = "network"
	MessageLocal   = "local"
)

// Values of Span.State: the state of a rank.
const (
	StateCompute     = "compute"
	StateOverhead    = "overhead"     // in the communication library, after a message has been received
	StateSend        = "send"         // in the communication library, for a send
	StateReceiveWait = "receive-wait" // waiting for a message
	StateWait        = "wait"         // waiting for other operations, such as the completion of sends
)

// Span is a row of timeline.parquet: an interval in which a rank is in the same state.
type Span struct {
	Rank       int32  `parquet:"rank" holds:"rank"`
	Begin      int64  `parquet:"begin_ps"`
	End        int64  `parquet:"end_ps"`
	State      string `parquet:"state,dict" holds:"of compute overhead send receive-wait wait"`
	Collective string `parquet:"collective,dict"`             // current collective, or ""
	Step       int32  `parquet:"step" holds:"number or none"` // step of the collective; -1 outside of collectives
	Peer       int32  `parquet:"peer" holds:"rank or none"`   // world rank of the peer; -1 if there is none
}
