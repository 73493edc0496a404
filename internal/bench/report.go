package bench

import (
	"fmt"
	"time"

	"fabricast"
	"fabricast/internal/machine"
)

// Schema names the layout of a Report as JSON.
const Schema = "fabricast.bench/1"

// The two forms of the table.
const (
	Short = "short"
	Full  = "full"
)

// Report is the table with all that is needed to judge it. Its JSON keys are
// described in docs/performance.md.
type Report struct {
	Schema         string              `json:"schema"`
	Version        string              `json:"version"`
	Date           string              `json:"date"` // when the first case began
	Form           string              `json:"form"`
	Machine        machine.Description `json:"machine"` // before the first case
	NoInstructions string              `json:"no_instructions,omitempty"`
	Interrupted    bool                `json:"interrupted"`
	Cases          []*Row              `json:"cases"`
}

// Row is what a case took: medians over its repeats, each for itself.
type Row struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Cut     string `json:"cut,omitempty"`   // what makes it less than the title says
	Error   string `json:"error,omitempty"` // why it has no figures
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
	WallRatio          float64 `json:"wall_ratio,omitempty"` // to the same with one worker

	Bounds    []Check `json:"bounds,omitempty"`
	Published string  `json:"published,omitempty"`
}

// Check is a bound of the project, and whether it holds.
type Check struct {
	Of    string  `json:"of"` // the key of what is bounded
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

// Failed is the number of cases without figures.
func (r *Report) Failed() int {
	n := 0
	for _, row := range r.Cases {
		if row.Error != "" {
			n++
		}
	}
	return n
}

// add takes in the row of a case and compares it.
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

// row is the row with a name that has figures, or nil.
func (r *Report) row(name string) *Row {
	for _, row := range r.Cases {
		if row.Name == name && row.Error == "" {
			return row
		}
	}
	return nil
}

// sameHashes demands the same result of cases that differ in workers only.
func (r *Report) sameHashes(cases []*Case) error {
	for _, c := range cases {
		a, b := r.row(c.Name), r.row(c.SpeedUpOf)
		if a != nil && b != nil && a.Hash != b.Hash {
			return &fabricast.InternalError{Err: fmt.Errorf("%s has the result %s, but %s has %s", a.Name, a.Hash, b.Name, b.Hash)}
		}
	}
	return nil
}
