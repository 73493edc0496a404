package record

// Rank is a row of ranks.parquet: what one rank did over the whole run.
type Rank struct {
	Rank int32 `parquet:"rank" holds:"row"`
	Host int32 `parquet:"host" holds:"nic"`
	End  int64 `parquet:"end_ps"` // when its program ended
	Wait int64 `parquet:"wait_ps"`
	// part of wait: while the awaited message was in the network
	Network int64 `parquet:"wait_network_ps"`
	// part of that: time that the message's bytes take on an idle path
	Serialization    int64 `parquet:"wait_serialization_ps"`
	NetworkWaits     int64 `parquet:"network_waits"` // number of such waits
	Compute          int64 `parquet:"compute_ps"`
	Overhead         int64 `parquet:"overhead_ps"` // in the communication library, copies included
	MessagesSent     int64 `parquet:"messages_sent"`
	MessagesReceived int64 `parquet:"messages_received"`
	BytesSent        int64 `parquet:"sent_bytes"`
	BytesReceived    int64 `parquet:"received_bytes"`
}
