package record

// Rank is a row of ranks.parquet: what one rank did.
type Rank struct {
	Rank             int32 `parquet:"rank"`
	Host             int32 `parquet:"host"`
	End              int64 `parquet:"end_ps"` // when its program ended
	Wait             int64 `parquet:"wait_ps"`
	Network          int64 `parquet:"wait_network_ps"`       // of it: while the message waited for was under way
	Serialization    int64 `parquet:"wait_serialization_ps"` // of that: as long as its bytes take by themselves
	NetworkWaits     int64 `parquet:"network_waits"`         // how often it waited so
	Compute          int64 `parquet:"compute_ps"`
	Overhead         int64 `parquet:"overhead_ps"` // in the communication library, copies included
	MessagesSent     int64 `parquet:"messages_sent"`
	MessagesReceived int64 `parquet:"messages_received"`
	BytesSent        int64 `parquet:"sent_bytes"`
	BytesReceived    int64 `parquet:"received_bytes"`
}
