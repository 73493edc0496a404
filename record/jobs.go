package record

// Tables of runs with several jobs.
const (
	JobsTable = "jobs.parquet"
	// JobLinksTable holds the traffic of each job on each link when the job runs alone, for runs
	// with --interference.
	JobLinksTable = "job_links.parquet"
)

// Job is a row of jobs.parquet: one of several jobs. In other tables, the ranks of the job are
// FirstRank to FirstRank+Ranks-1.
type Job struct {
	Job       int32  `parquet:"job" holds:"row"` // index in the list of jobs
	Name      string `parquet:"name,dict"`
	Program   string `parquet:"program,dict"`
	FirstRank int32  `parquet:"first_rank"`
	Ranks     int32  `parquet:"ranks"` // 0: traffic
	Hosts     int32  `parquet:"hosts"`
	Start     int64  `parquet:"start_ps"`
	End       int64  `parquet:"end_ps"`
	Messages  int64  `parquet:"messages"`
	Bytes     int64  `parquet:"payload_bytes"`
	Latency   int64  `parquet:"mean_latency_ps"`
	Wait      int64  `parquet:"mean_wait_ps"` // mean of its ranks
	Compute   int64  `parquet:"mean_compute_ps"`
	Overhead  int64  `parquet:"mean_overhead_ps"`
	// duration in ps if the job runs alone on the same hosts; -1 if not simulated
	Alone    int64   `parquet:"alone_ps" holds:"number or none"`
	Slowdown float64 `parquet:"slowdown"` // 0 if the job alone was not simulated
}

// JobLink is a row of job_links.parquet: the traffic of a job that runs alone on a link between
// routers.
type JobLink struct {
	Link    int32 `parquet:"link" holds:"link"` // row in links.parquet
	Job     int32 `parquet:"job"`
	Packets int64 `parquet:"packets"`
	Bytes   int64 `parquet:"wire_bytes"`
}
