package record

// Tables of runs with several jobs.
const (
	JobsTable = "jobs.parquet"
	// JobLinksTable holds what each job sends when it runs alone, for runs with --interference.
	JobLinksTable = "job_links.parquet"
)

// Job is a row of jobs.parquet: one of several jobs. Other tables number the job's ranks from
// FirstRank on.
type Job struct {
	Job       int32  `parquet:"job" holds:"row"` // its place in the list
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
	Wait      int64  `parquet:"mean_wait_ps"` // of its ranks
	Compute   int64  `parquet:"mean_compute_ps"`
	Overhead  int64  `parquet:"mean_overhead_ps"`
	// ps, of the job alone on the same hosts; -1 if that was not simulated
	Alone    int64   `parquet:"alone_ps" holds:"number or none"`
	Slowdown float64 `parquet:"slowdown"` // 0 if that was not simulated
}

// JobLink is a row of job_links.parquet: what a job alone sent over a link between routers.
type JobLink struct {
	Link    int32 `parquet:"link" holds:"link"` // its row in links.parquet
	Job     int32 `parquet:"job"`
	Packets int64 `parquet:"packets"`
	Bytes   int64 `parquet:"wire_bytes"`
}
