package record

// LatencyTable holds the distributions of message latency, by distance and by size.
const LatencyTable = "latency.parquet"

// Values of Latency.By: the property by which messages are divided into classes.
const (
	ByDistance = "distance" // of the hosts, in links between routers
	BySize     = "size"     // bytes of payload
)

// Latency is a row of latency.parquet: the latencies (ps) from send to delivery of the messages of
// one class. Percentiles are at most 0.4 % too low.
type Latency struct {
	By    string `parquet:"by,dict" holds:"of size distance"`
	From  int64  `parquet:"from"` // least value of the class
	To    int64  `parquet:"to"`   // first value beyond the class
	Count int64  `parquet:"count"`
	Mean  int64  `parquet:"mean_ps"`
	Min   int64  `parquet:"min_ps"`
	P5    int64  `parquet:"p5_ps"`
	P25   int64  `parquet:"p25_ps"`
	P50   int64  `parquet:"p50_ps"`
	P75   int64  `parquet:"p75_ps"`
	P95   int64  `parquet:"p95_ps"`
	P99   int64  `parquet:"p99_ps"`
	Max   int64  `parquet:"max_ps"`
}
