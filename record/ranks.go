package record

// Rank is a row of ranks.parquet: times and traffic of a rank over the whole run.
type Rank struct {
	Rank int32 `parquet:"rank" holds:"row"`
	Host int32 `parquet:"host" holds:"nic"`
	End  int64 `parquet:"end_ps"` // end of its program
	Wait int64 `parquet:"wait_ps"`
	// part of Wait in which the awaited message is in the network
	Network int64 `parquet:"wait_network_ps"`
	// part of Network that the bytes of the message take on an idle path
	Serialization    int64 `parquet:"wait_serialization_ps"`
	NetworkWaits     int64 `parquet:"network_waits"` // number of waits for a message in the network
	Compute          int64 `parquet:"compute_ps"`
	Overhead         int64 `parquet:"overhead_ps"` // in the communication library, including copies
	MessagesSent     int64 `parquet:"messages_sent"`
	MessagesReceived int64 `parquet:"messages_received"`
	BytesSent        int64 `parquet:"sent_bytes"`
	BytesReceived    int64 `parquet:"received_bytes"`
}
