package record

// Tables with a row for each event.
const (
	BufferLogTable = "buffer_log.parquet"
	MessagesTable  = "messages.parquet"
	TimelineTable  = "timeline.parquet"
)

// Passage is a row of buffer_log.parquet: a packet that passed an input buffer of a selected
// router.
type Passage struct {
	Router          int32 `parquet:"router" holds:"router"`
	Port            int32 `parquet:"port" holds:"link"` // by which it came
	VC              int32 `parquet:"vc"`
	OutPort         int32 `parquet:"out_port" holds:"link"`
	OutVC           int32 `parquet:"out_vc"`
	Message         int64 `parquet:"message" holds:"any"`
	SourceHost      int32 `parquet:"source_host" holds:"nic"`
	DestinationHost int32 `parquet:"destination_host" holds:"nic"`
	Bytes           int64 `parquet:"wire_bytes"`
	In              int64 `parquet:"in_ps"`  // earliest time at which it could have left
	Out             int64 `parquet:"out_ps"` // when it started to leave
	Order           int64 `parquet:"order_ps"`
	Credit          int64 `parquet:"no_credit_ps"`
	BusyOutput      int64 `parquet:"busy_output_ps"`
	BusyCrossbar    int64 `parquet:"busy_crossbar_ps"`
}

// Message is a row of messages.parquet: a message that was delivered.
type Message struct {
	Message int64 `parquet:"message" holds:"any"`
	// world rank; of synthetic traffic, which has none, the NIC
	Source          int32 `parquet:"source" holds:"rank"`
	Destination     int32 `parquet:"destination" holds:"rank"`
	SourceHost      int32 `parquet:"source_host" holds:"nic"`
	DestinationHost int32 `parquet:"destination_host" holds:"nic"`
	// network, or local within a host
	Kind       string `parquet:"kind,dict" holds:"of network local"`
	Collective string `parquet:"collective,dict"`
	Tag        int32  `parquet:"tag" holds:"any"` // of synthetic traffic: 1 of a reply, else 0
	Bytes      int64  `parquet:"payload_bytes"`
	Send       int64  `parquet:"send_ps"`     // when send was called
	Delivery   int64  `parquet:"delivery_ps"` // when all of it was in memory
	Distance   int32  `parquet:"distance_hops"`
}

// Values of Message.Kind.
const (
	MessageNetwork = "network"
	MessageLocal   = "local"
)

// Values of Span.State: what a rank did.
const (
	StateCompute     = "compute"
	StateOverhead    = "overhead"     // in the communication library, after a message has come
	StateSend        = "send"         // in the communication library, for a send
	StateReceiveWait = "receive-wait" // waiting for a message
	StateWait        = "wait"         // waiting for anything else, such as the end of sends
)

// Span is a row of timeline.parquet: a span of time in which a rank was in one state.
type Span struct {
	Rank       int32  `parquet:"rank" holds:"rank"`
	Begin      int64  `parquet:"begin_ps"`
	End        int64  `parquet:"end_ps"`
	State      string `parquet:"state,dict" holds:"of compute overhead send receive-wait wait"`
	Collective string `parquet:"collective,dict"`             // "" outside of collectives
	Step       int32  `parquet:"step" holds:"number or none"` // -1 outside
	Peer       int32  `parquet:"peer" holds:"rank or none"`   // world rank; -1 if there is none
}
