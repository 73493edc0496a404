package record

// Tables of flows that are followed, in networks that drop or pause packets.
const (
	FlowsTable    = "flows.parquet"
	FlowBinsTable = "flow_bins.parquet"
)

// Flow is a row of flows.parquet: a flow from one NIC to another.
type Flow struct {
	Flow        int32 `parquet:"flow" holds:"row"`
	Source      int32 `parquet:"source_nic" holds:"nic"`
	Destination int32 `parquet:"destination_nic" holds:"nic"`
	Class       int32 `parquet:"class"`
	Bytes       int64 `parquet:"payload_bytes"` // posted
	Begin       int64 `parquet:"begin_ps"`      // when the first message was posted
	// when all that had been posted was acknowledged; -1: never
	End         int64 `parquet:"end_ps" holds:"number or none"`
	SampledFrom int64 `parquet:"sampled_from_ps"`
}

// FlowBin is a row of flow_bins.parquet: what a flow did in an interval, and how it was at the end
// of it. Intervals in which nothing happened, and those of idle flows, have no row.
type FlowBin struct {
	Flow     int32 `parquet:"flow,delta" holds:"number or none"`
	Bin      int32 `parquet:"bin,delta"`
	Begin    int64 `parquet:"begin_ps,delta"`
	Interval int64 `parquet:"interval_ps"`
	// bytes on the wire that might be under way; -1: any number
	Window   int64   `parquet:"window_bytes" holds:"number or none"`
	Rate     float64 `parquet:"rate_bytes_per_s"` // at which packets might leave; 0: that of the link
	UnderWay int64   `parquet:"under_way_bytes"`
	Bytes    int64   `parquet:"wire_bytes"` // sent in the interval, again or not
	Again    int64   `parquet:"sent_again"`
	Marked   int64   `parquet:"marked"` // marks that the sender learnt of
	Timeouts int64   `parquet:"timeouts"`
}
