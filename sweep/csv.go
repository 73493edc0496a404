package sweep

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"fabricast"
)

// CSV writes the table with full precision. If points failed, were refused or have not run, an extra
// column says why.
func (t *Table) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	failed := slices.ContainsFunc(t.Rows, func(r Row) bool { return trouble(r) != "" })
	header := t.Columns
	if failed {
		header = append(append([]string(nil), header...), "error")
	}
	if err := out.Write(header); err != nil {
		return err
	}
	for _, r := range t.Rows {
		record := t.record(r, 0)
		if failed {
			record = append(record, trouble(r))
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func (t *Table) record(r Row, digits int) []string {
	record := make([]string, len(t.Columns))
	for i, v := range r.Cells {
		record[i] = Cell(v, digits)
	}
	return record
}

func failure(r Row) string {
	if r.Err == nil {
		return ""
	}
	return firstLine(r.Err)
}

// notRun stands in text tables for the error of a point that has not run.
const notRun = "not run yet"

// trouble returns why a row has no figures; "" if it has.
func trouble(r Row) string {
	if r.Err == nil && r.Result == nil {
		return notRun
	}
	return failure(r)
}

// Unfinished returns the number of points that have neither a result nor an error.
func (t *Table) Unfinished() (n int) {
	for i := range t.Rows {
		if t.Rows[i].Result == nil && t.Rows[i].Err == nil {
			n++
		}
	}
	return n
}

// brief returns why a row has no figures, as text tables say it: of refused points without file and
// line, which are the same for all.
func brief(r Row) string {
	var wrong *fabricast.ConfigError
	if errors.As(r.Point.Refused, &wrong) && len(wrong.Problems()) > 0 {
		p := wrong.Problems()[0]
		return fmt.Sprintf("%s: found %s", p.Field, p.Found)
	}
	return trouble(r)
}

// mostError is the maximum length, in characters, of an error in a text table.
const mostError = 60

// Text writes the table for a terminal, with four significant digits.
func (t *Table) Text(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(cells []string, more string) {
		for _, c := range cells {
			fmt.Fprintf(out, "%s\t", c)
		}
		fmt.Fprintf(out, "%s\n", more)
	}
	line(t.Columns, "")
	for _, r := range t.Rows {
		more := brief(r)
		if runes := []rune(more); len(runes) > mostError {
			more = string(runes[:mostError]) + "..."
		}
		line(t.record(r, 4), more)
	}
	return out.Flush()
}

// Schema is the schema name and version of a Report.
const Schema = "fabricast.sweep/1"

// Report is a table as JSON. Cells without a value are null.
type Report struct {
	Schema  string `json:"schema"`
	Version string `json:"version"`
	Title   string `json:"title,omitempty"`
	// Unfinished is the number of points without a result or an error: the sweep has not ended, or
	// was interrupted.
	Unfinished int         `json:"unfinished,omitempty"`
	Axes       []string    `json:"axes"` // axis names, which are the first columns
	Columns    []string    `json:"columns"`
	Rows       []ReportRow `json:"rows"`
	Curves     []Curves    `json:"curves"`
	Notes      []Note      `json:"notes,omitempty"`
	Findings   []Verdict   `json:"findings,omitempty"`
}

// ReportRow is a point of the sweep: its cells, and either the hash of its result or its error. A
// point that has not run has neither.
type ReportRow struct {
	Cells []any  `json:"cells"`
	Point string `json:"point,omitempty"` // name of the point's result file, without .json
	Hash  string `json:"result_hash,omitempty"`
	Error string `json:"error,omitempty"`
}

// Report returns the table as a Report. The error is a *fabricast.ConfigError.
func (t *Table) Report() (*Report, error) {
	curves, err := t.Curves()
	if err != nil {
		return nil, err
	}
	r := &Report{
		Schema: Schema, Version: fabricast.FullVersion(), Title: t.file.Title,
		Axes: t.Columns[:len(t.file.Axes)], Columns: t.Columns, Curves: curves, Notes: t.Notes(),
	}
	for _, row := range t.Rows {
		cells := make([]any, len(row.Cells))
		for i, v := range row.Cells {
			if x, ok := v.(float64); ok && (math.IsNaN(x) || math.IsInf(x, 0)) {
				v = nil
			}
			cells[i] = v
		}
		out := ReportRow{Cells: cells, Point: row.Point.Key, Error: failure(row)}
		if row.Result != nil {
			out.Hash = row.Result.Hash
		} else if row.Err == nil {
			r.Unfinished++
		}
		r.Rows = append(r.Rows, out)
	}
	return r, nil
}

// JSON writes the report as indented JSON.
func (r *Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(r)
}
