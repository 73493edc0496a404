package record

// Tables of single events.
const (
	BufferLogTable = "buffer_log.parquet"
	MessagesTable  = "messages.parquet"
	TimelineTable  = "timeline.parquet"
)

// Passage is a row of buffer_log.parquet: a packet that has passed an input buffer of a chosen router.
type Passage struct {
	Router          int32 `parquet:"router"`
	Port            int32 `parquet:"port"` // by which it came
	VC              int32 `parquet:"vc"`
	OutPort         int32 `parquet:"out_port"`
	OutVC           int32 `parquet:"out_vc"`
	Message         int64 `parquet:"message"`
	SourceHost      int32 `parquet:"source_host"`
	DestinationHost int32 `parquet:"destination_host"`
	Bytes           int64 `parquet:"wire_bytes"`
	In              int64 `parquet:"in_ps"`  // when it might have left at the earliest
	Out             int64 `parquet:"out_ps"` // when it started to leave
	Order           int64 `parquet:"order_ps"`
	Credit          int64 `parquet:"no_credit_ps"`
	BusyOutput      int64 `parquet:"busy_output_ps"`
	BusyCrossbar    int64 `parquet:"busy_crossbar_ps"`
}

// Message is a row of messages.parquet.
type Message struct {
	Message         int64  `parquet:"message"`
	Source          int32  `parquet:"source"` // world rank
	Destination     int32  `parquet:"destination"`
	SourceHost      int32  `parquet:"source_host"`
	DestinationHost int32  `parquet:"destination_host"`
	Kind            string `parquet:"kind,dict"` // network, or local within a host
	Collective      string `parquet:"collective,dict"`
	Tag             int32  `parquet:"tag"`
	Bytes           int64  `parquet:"payload_bytes"`
	Send            int64  `parquet:"send_ps"`     // when send was called
	Delivery        int64  `parquet:"delivery_ps"` // when all of it was in memory
	Distance        int32  `parquet:"distance_hops"`
}

// Kinds of messages.
const (
	MessageNetwork = "network"
	MessageLocal   = "local"
)

// States of ranks.
const (
	StateCompute     = "compute"
	StateOverhead    = "overhead"     // in the communication library, after a message has come
	StateSend        = "send"         // in the communication library, for a send
	StateReceiveWait = "receive-wait" // for a message
	StateWait        = "wait"         // for anything else, such as the end of sends
)

// Span is a row of timeline.parquet: what a rank did for some time.
type Span struct {
	Rank       int32  `parquet:"rank"`
	Begin      int64  `parquet:"begin_ps"`
	End        int64  `parquet:"end_ps"`
	State      string `parquet:"state,dict"`
	Collective string `parquet:"collective,dict"` // "" outside of collectives
	Step       int32  `parquet:"step"`            // -1 outside
	Peer       int32  `parquet:"peer"`            // world rank; -1 if there is none
}
