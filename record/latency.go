package record

// LatencyTable has how long messages took, by what they are told apart by.
const LatencyTable = "latency.parquet"

// What rows of LatencyTable are about.
const (
	ByDistance = "distance" // of the hosts, in links between routers
	BySize     = "size"     // bytes of payload
)

// Latency is a row of latency.parquet: the latencies, from send to delivery, of the
// messages of one class. Percentiles are at most 0.4 % too low.
type Latency struct {
	By    string `parquet:"by,dict"`
	From  int64  `parquet:"from"` // the least value of the class
	To    int64  `parquet:"to"`   // the first beyond it
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
