package record

// LatencyTable holds the distributions of message latency, by distance, size and class.
const LatencyTable = "latency.parquet"

// Values of Latency.By: the property by which messages are classified.
const (
	ByDistance = "distance" // number of links between routers on the path
	BySize     = "size"     // payload in bytes
	ByClass    = "class"    // number of the class
)

// Latency is a row of latency.parquet: the distribution of the latency, from send to delivery, of a
// class of messages. Percentiles are at most 0.4 % too low.
type Latency struct {
	By    string `parquet:"by,dict" holds:"of size distance class"`
	From  int64  `parquet:"from"` // smallest value in the class
	To    int64  `parquet:"to"`   // smallest value above the class
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
