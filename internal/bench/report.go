package bench

import (
	"fmt"
	"time"

	"fabricast"
	"fabricast/internal/machine"
)

// Schema is the schema name and version of a Report as JSON.
const Schema = "fabricast.bench/1"

// Values of Report.Form: the sizes of the cases.
const (
	Short = "short"
	Full  = "full"
)

// Report holds the measurements with everything needed to interpret them. Its JSON keys are
// described in docs/formats/bench.md.
type Report struct {
	Schema         string              `json:"schema"`
	Version        string              `json:"version"`
	Date           string              `json:"date"` // start of the first case
	Form           string              `json:"form"`
	Machine        machine.Description `json:"machine"` // state before the first case
	NoInstructions string              `json:"no_instructions,omitempty"`
	Interrupted    bool                `json:"interrupted"`
	Cases          []*Row              `json:"cases"`
}

// Row holds the cost of a case: for each quantity, the median over its repetitions.
type Row struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Cut     string `json:"cut,omitempty"`   // how it differs from what the title says
	Error   string `json:"error,omitempty"` // why it failed
	Ranks   int    `json:"ranks"`
	Workers int    `json:"workers"`
	Repeats int    `json:"repeats"`

	Packets       int64          `json:"packets"`
	PacketHops    int64          `json:"packet_hops"`
	SimulatedTime fabricast.Time `json:"simulated_time_ps"`
	Hash          string         `json:"result_hash"`

	CPU          float64 `json:"cpu_s"`
	Wall         float64 `json:"wall_s"`
	PeakRSS      int64   `json:"peak_rss_bytes"`
	Instructions int64   `json:"instructions,omitempty"` // in user mode

	NSPerHop           float64 `json:"cpu_ns_per_hop,omitempty"`
	InstructionsPerHop float64 `json:"instructions_per_hop,omitempty"`
	BytesPerNode       float64 `json:"bytes_per_node"`
	WallRatio          float64 `json:"wall_ratio,omitempty"` // wall-clock time / that of one worker

	// LeftError is the largest factor by which the remaining time was over- or underestimated
	// between a tenth and three quarters of the run; 0 for short runs and without estimates.
	LeftError float64 `json:"time_left_error,omitempty"`

	TraceEvents     int64   `json:"trace_events,omitempty"`       // in a case that only reads a trace
	EventsPerSecond float64 `json:"trace_events_per_s,omitempty"` // of CPU time

	Bounds    []Check `json:"bounds,omitempty"`
	Published string  `json:"published,omitempty"`
}

// Check is one of the project's limits, and whether the row meets it.
type Check struct {
	Of    string  `json:"of"` // JSON key of the limited quantity
	Limit float64 `json:"limit"`
	Met   bool    `json:"met"`
}

func newReport(full bool) *Report {
	r := &Report{
		Schema: Schema, Version: fabricast.FullVersion(), Date: time.Now().UTC().Format(time.RFC3339),
		Form: Short, Machine: machine.Describe(), Cases: []*Row{},
	}
	if full {
		r.Form = Full
	}
	return r
}

// Failed returns the number of cases that failed.
func (r *Report) Failed() int {
	n := 0
	for _, row := range r.Cases {
		if row.Error != "" {
			n++
		}
	}
	return n
}

// add adds the row of a case, with its ratio to the one-worker case and its checks.
func (r *Report) add(c *Case, row *Row) {
	r.Cases = append(r.Cases, row)
	if row.Error != "" {
		return
	}
	if one := r.row(c.SpeedUpOf); one != nil && one.Wall > 0 {
		row.WallRatio = row.Wall / one.Wall
	}
	row.check(c.at(r.Form == Full).Bound)
}

// row returns the successful row with the given name; nil if there is none.
func (r *Report) row(name string) *Row {
	for _, row := range r.Cases {
		if row.Name == name && row.Error == "" {
			return row
		}
	}
	return nil
}

// sameHashes returns an error if cases that differ only in the number of workers have different
// results.
func (r *Report) sameHashes(cases []*Case) error {
	for _, c := range cases {
		a, b := r.row(c.Name), r.row(c.SpeedUpOf)
		if a != nil && b != nil && a.Hash != b.Hash {
			return &fabricast.InternalError{
				Err: fmt.Errorf("%s has the result %s, but %s has %s", a.Name, a.Hash, b.Name, b.Hash),
			}
		}
	}
	return nil
}
