package data

import (
	"encoding/json"

	"fabricast/internal/units"
	"fabricast/sweep"
)

// Schema is the schema name and version of a Manifest as JSON.
const Schema = "fabricast.report/2"

// Manifest holds all data of a report except its arrays. Times are in ps, sizes in bytes.
type Manifest struct {
	Schema   string   `json:"schema"`
	Version  string   `json:"version"`
	Title    string   `json:"title"`
	Live     bool     `json:"live"`     // a run is in progress, so the report will change
	Problems []string `json:"problems"` // missing or damaged data and other versions, in words
	Runs     []*Run   `json:"runs"`
	Sweep    *Sweep   `json:"sweep"`

	// fields in which the experiments differ, if there are several runs
	Differences []Difference `json:"differences,omitempty"`

	// CanRewind reports whether the page's server can simulate periods of runs again. Rewinds lists
	// the requested periods.
	CanRewind bool     `json:"can_rewind,omitempty"`
	Rewinds   []Rewind `json:"rewinds,omitempty"`
}

// Rewind is a period of a run that the page's server simulates again, or has simulated.
type Rewind struct {
	Run     string `json:"run"` // name of the run
	From    string `json:"from"`
	Length  string `json:"length,omitempty"`  // empty: until the end of the run
	State   string `json:"state"`             // one of the states below, such as RewindRunning
	Why     string `json:"why,omitempty"`     // cause of the failure
	Folder  string `json:"folder"`            // folder of the recorded data
	Address string `json:"address,omitempty"` // address of its report, once available
}

// States of a Rewind.
const (
	RewindRunning = "running"
	RewindEnded   = "ended"
	RewindFailed  = "failed"
)

// Run is the report of one result folder.
type Run struct {
	ID       string             `json:"id"` // prefix of the names of its blobs
	Name     string             `json:"name"`
	Result   json.RawMessage    `json:"result"`   // result.json; null if there is none
	Network  json.RawMessage    `json:"network"`  // network.json
	Bins     *Bins              `json:"bins"`     // nil if no bins were recorded
	Progress *Progress          `json:"progress"` // nil if the run has ended
	Summary  *Summary           `json:"summary"`  // nil while the run is in progress
	Tables   map[string]*Table  `json:"tables"`
	Matrices map[string]*Matrix `json:"matrices"`
	LookBack *LookBack          `json:"look_back,omitempty"` // nil if the run has left no checkpoints
	Why      *Why               `json:"why,omitempty"`       // nil while the run is in progress
}

// LookBack describes the periods of a run that fabricast rewind can simulate again.
type LookBack struct {
	// path of the run's folder, as given when the report was requested
	Folder      string       `json:"folder"`
	Checkpoints []units.Time `json:"checkpoints_ps"`
	Records     []string     `json:"records"` // kinds of records that can be requested
	End         units.Time   `json:"end_ps"`  // time up to which the run has been simulated
}

// Progress is the progress of a run.
type Progress struct {
	State      string  `json:"state"` // running, interrupted or failed
	Time       int64   `json:"simulated_time_ps"`
	RanksEnded int     `json:"ranks_ended"`
	Ranks      int     `json:"ranks"`
	Wall       float64 `json:"wall_s"`
	Left       float64 `json:"eta_s"` // estimated remaining seconds; below 0 if unknown
	Packets    int64   `json:"packets"`
	PacketHops int64   `json:"packet_hops"`
	Rate       float64 `json:"rate"` // packet hops per second of wall-clock time
}

// Bins describes the columns of all matrices of a run. Column i covers the time from i*Interval to
// (i+1)*Interval, at most up to End.
type Bins struct {
	Interval int64 `json:"interval_ps"`
	Count    int   `json:"count"`
	End      int64 `json:"end_ps"`
	Chosen   bool  `json:"chosen"` // the experiment sets the interval
}

// Summary holds the main figures of a run.
type Summary struct {
	Predicted int64 `json:"predicted_ps"`
	// Time names Predicted: PredictedTime, or SimulatedTime for traffic and interrupted runs.
	Time string `json:"time"`
	// Divided names the total that WhereItWent divides: RankTime or MessageLatency.
	Divided string `json:"divided"`
	// parts of the mean rank's time or of the mean latency; their shares add up to 1
	WhereItWent []Part       `json:"where_it_went"`
	SlowestRank *SlowestRank `json:"slowest_rank"` // nil for traffic and interrupted runs
	HottestLink []HotLink    `json:"hottest_links"`
	Bounds      []Bound      `json:"bounds"`
	Figures     []Figure     `json:"figures"`
}

// Names of times in a Summary.
const (
	PredictedTime  = "predicted time"
	SimulatedTime  = "simulated time"
	RankTime       = "time of ranks"
	MessageLatency = "latency of messages"
)

// Part is one part of the predicted time, such as computation.
type Part struct {
	What       string  `json:"what"`
	Time       int64   `json:"ps"`
	Share      float64 `json:"share"`
	Definition string  `json:"definition"`
}

// SlowestRank is the first of the ranks that ended last.
type SlowestRank struct {
	Rank int   `json:"rank"`
	End  int64 `json:"end_ps"`
}

// HotLink is one of the links with the highest utilization.
type HotLink struct {
	Link        int     `json:"link"` // row of the table of links
	Name        string  `json:"name"`
	NIC         bool    `json:"nic"` // between a NIC and a router
	Utilization float64 `json:"utilization"`
	Bytes       int64   `json:"wire_bytes"`
}

// Bound is a lower bound of the predicted time.
type Bound struct {
	What       string `json:"what"`
	Time       int64  `json:"ps"`
	Definition string `json:"definition"`
}

// Figure is a number with its unit, or a word.
type Figure struct {
	What       string `json:"what"`
	Value      any    `json:"value"`
	Unit       string `json:"unit"`
	Definition string `json:"definition,omitempty"`
}

// Table describes a table that is stored by columns.
type Table struct {
	Rows    int      `json:"rows"`
	Columns []Column `json:"columns"`
	Note    string   `json:"note,omitempty"` // rows omitted or merged
}

// Column describes one column of a table. Its blob is a little-endian array of the given type. For
// type str the array holds indexes into Words: u16, or i32 if there are more than 65,536 words.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type"` // i32, i64, f32, f64, u8, u16 or str
	// ps, bytes, bytes/s, fraction, 1 for counts, or empty for names and IDs
	Unit  string   `json:"unit"`
	Title string   `json:"title"`
	Blob  string   `json:"blob"`
	Words []string `json:"dict,omitempty"`
}

// Matrix is a statistic with one row for each link, router or group, and one column for each
// interval. The array is stored in row-major order; a value is the stored number times Scale. The
// rows of links and routers are the first rows of their tables.
type Matrix struct {
	Title    string   `json:"title"`
	Unit     string   `json:"unit"`
	Rows     int      `json:"rows"`
	Cols     int      `json:"cols"`
	RowKind  string   `json:"row_kind"` // link, router, dimension or level
	RowNames []string `json:"row_names,omitempty"`
	Scale    float64  `json:"scale"`
	Blob     string   `json:"blob"`
	Type     string   `json:"type"` // u8 or f32
	Stat     string   `json:"stat"`
	How      string   `json:"how"` // value, or the mean or max over the row's links
	// maximum possible value, if all links have the same bandwidth; 0: unknown
	Limit float64 `json:"limit,omitempty"`
	Note  string  `json:"note,omitempty"`

	// while the run is in progress, used instead of Blob: columns that were completed together
	Parts []MatrixPart `json:"parts,omitempty"`
}

// MatrixPart holds all rows of some columns of a matrix. Its first column follows the last one of
// the previous part.
type MatrixPart struct {
	Cols  int     `json:"cols"`
	Blob  string  `json:"blob"`
	Type  string  `json:"type"`
	Scale float64 `json:"scale"`
}

// Sweep holds the tables, curves and findings of a sweep or a study.
type Sweep struct {
	Title    string            `json:"title"`
	Axes     []string          `json:"axes"`
	Columns  []SweepColumn     `json:"columns"`
	Rows     []sweep.ReportRow `json:"rows"`
	Curves   []sweep.Curves    `json:"curves"`
	Findings []sweep.Verdict   `json:"findings"`
}

// SweepColumn describes a column of a sweep's table.
type SweepColumn struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Unit  string `json:"unit"`
	// name of the column with the half-width of its confidence interval
	Half string `json:"half,omitempty"`
}
