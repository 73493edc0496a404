package atlas

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"fabricast/internal/humanize"
	"fabricast/internal/schema"
	"fabricast/internal/units"
	"fabricast/topology"
)

// Schema is the schema name and version of a Report as JSON.
const Schema = "fabricast.failures/1"

// Report ranks the futures of a run.
type Report struct {
	Schema      string     `json:"schema"`
	Measure     string     `json:"measure"`                      // what time_ps is: time of the run, or mean latency of traffic
	Undisturbed units.Time `json:"undisturbed_ps"`               // that of the run without faults
	Hash        string     `json:"result_hash"`                  // of the run without faults
	At          units.Time `json:"at_ps"`                        // when something fails in each future
	Forked      units.Time `json:"forked_ps"`                    // up to when the futures are one run
	Repair      units.Time `json:"repair_ps"`                    // how long it is down; 0: for good
	Whole       string     `json:"whole_runs_because,omitempty"` // why each future is a run from the start
	Left        int        `json:"left"`                         // futures not simulated, because of an interruption
	Futures     []Future   `json:"futures"`                      // the worst first

	Network topology.Topology `json:"-"` // nil if the report was read
}

// Future is the run in which something fails.
type Future struct {
	Fails  []string   `json:"fails"` // such as "link 3-17"
	Kind   string     `json:"kind"`  // link, switch or pair of links
	State  string     `json:"state"`
	Time   units.Time `json:"time_ps"` // end of the last rank; with StateWaits since when nothing moves
	Lost   units.Time `json:"lost_ps"` // more than without faults
	Share  float64    `json:"lost_share"`
	CutOff int        `json:"hosts_cut_off"`         // while it is down
	Hash   string     `json:"result_hash,omitempty"` // that of a whole run with this fault
	Error  string     `json:"error,omitempty"`
	Jobs   []JobLoss  `json:"jobs,omitempty"` // if there are several, the slowest first
}

// Values of Report.Measure.
const (
	measureTime    = "time"
	measureLatency = "mean latency"
)

// States of a Future, the worst first.
const (
	StateWaits    = "waits"    // packets wait for ever for what stays down
	StateDeadlock = "deadlock" // ranks or packets are in a cyclic wait
	StateEnds     = "ends"
	StateFailed   = "failed" // it could not be simulated
)

var states = []string{StateWaits, StateDeadlock, StateEnds, StateFailed}

// worse orders futures: those that do not end by the hosts that are cut off, others by the time
// that they lose.
func worse(a, b Future) int {
	return cmp.Or(
		cmp.Compare(slices.Index(states, a.State), slices.Index(states, b.State)),
		cmp.Compare(b.Lost, a.Lost), cmp.Compare(b.CutOff, a.CutOff),
	)
}

// report ranks the futures that have been simulated.
func (a *atlas) report(ctx context.Context) (*Report, error) {
	u := a.undisturbed
	r := &Report{
		Schema: Schema, Measure: measureTime, Whole: a.whole, Undisturbed: measure(u), Hash: u.Hash, At: a.options.At, Forked: a.from.Time,
		Left: len(a.elements) - a.done, Futures: []Future{}, Network: a.from.Plan().Topology,
	}
	if u.Traffic != nil {
		r.Measure = measureLatency
	}
	if a.options.Repair != Forever {
		r.Repair = a.options.Repair
	}
	var failed *FailedError
	for i := range a.futures {
		if a.futures[i].State != "" {
			r.Futures = append(r.Futures, a.futures[i])
		}
		switch {
		case a.errs[i] == nil:
		case failed == nil:
			first := fmt.Errorf("%s: %w", strings.Join(a.futures[i].Fails, ", "), a.errs[i])
			failed = &FailedError{1, len(a.elements), first}
		default:
			failed.Failed++
		}
	}
	slices.SortStableFunc(r.Futures, worse)
	switch {
	case r.Left > 0:
		return r, &InterruptedError{a.done, len(a.elements), cmp.Or(ctx.Err(), context.Canceled)} // here or in another process
	case failed != nil:
		return r, failed
	}
	return r, nil
}

// Text prints the worst futures of a report, at most `most`.
func (r *Report) Text(w io.Writer, most int) error {
	lasts := "for good"
	if r.Repair > 0 {
		lasts = "for " + humanize.Time(r.Repair)
	}
	what := ""
	if r.Measure == measureLatency {
		what = " " + r.Measure
	}
	fmt.Fprintf(w, "%s%s without faults; %s, each with a failure at %s %s\n", humanize.Time(r.Undisturbed), what,
		humanize.Plural(len(r.Futures), "future"), humanize.Time(r.At), lasts)
	if r.Whole != "" {
		fmt.Fprintf(w, "each is a run from the start: %s\n", r.Whole)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	head, jobs := "fails\tpredicted\tlost\tshare\thosts cut off", r.jobs()
	if jobs {
		head += "\tjob slowed most"
	}
	fmt.Fprintln(t, head)
	for i := range r.Futures[:min(most, len(r.Futures))] {
		f := &r.Futures[i]
		predicted, lost, share := humanize.Time(f.Time), humanize.Time(f.Lost), humanize.Percent(f.Share)
		if f.State != StateEnds {
			predicted, lost, share = f.says(), "-", "-"
		}
		fails := strings.Join(f.Fails, ", ")
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d", fails, predicted, lost, share, f.CutOff)
		if jobs {
			fmt.Fprintf(t, "\t%s", f.slowest())
		}
		fmt.Fprintln(t)
	}
	if more := len(r.Futures) - most; more > 0 {
		fmt.Fprintf(t, "and %d more (--top, --csv, --json)\n", more)
	}
	return t.Flush()
}

// jobs reports whether futures have jobs.
func (r *Report) jobs() bool {
	return slices.ContainsFunc(r.Futures, func(f Future) bool { return len(f.Jobs) > 0 })
}

// slowest describes the job that loses most.
func (f *Future) slowest() string {
	if len(f.Jobs) == 0 || f.Jobs[0].Lost <= 0 {
		return "-"
	}
	return f.Jobs[0].Job + " " + humanize.Percent(f.Jobs[0].Share)
}

// says describes a future that has no end.
func (f *Future) says() string {
	switch f.State {
	case StateWaits:
		return "waits for ever"
	case StateDeadlock:
		return "deadlock"
	}
	return "not simulated"
}

// CSV writes all futures with full precision.
func (r *Report) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	rows := [][]string{{
		"fails", "kind", "state", "time_ps", "lost_ps", "lost_share", "hosts_cut_off", "result_hash", "error",
	}}
	for i := range r.Futures {
		f := &r.Futures[i]
		rows = append(rows, []string{
			strings.Join(f.Fails, ", "), f.Kind, f.State, strconv.FormatInt(int64(f.Time), 10),
			strconv.FormatInt(int64(f.Lost), 10), strconv.FormatFloat(f.Share, 'g', -1, 64),
			strconv.Itoa(f.CutOff),
			f.Hash, f.Error,
		})
	}
	return out.WriteAll(rows)
}

// OutputSchema returns the JSON Schema of a Report.
func OutputSchema() *schema.Schema {
	s := schema.OfOutput(reflect.TypeFor[Report]())
	s.Title = "Fabricast failures"
	s.Properties["schema"] = &schema.Schema{Const: Schema}
	return s
}
