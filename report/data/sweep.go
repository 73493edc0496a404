package data

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"fabricast"
	"fabricast/sweep"
)

// addSweep adds the tables of a sweep from the text of its sweep.json.
func (r *Report) addSweep(path string, text []byte) error {
	if r.Manifest.Sweep != nil {
		return fmt.Errorf("%s: found a second sweep, expected at most one in a report", path)
	}
	var in sweep.Report
	if err := json.Unmarshal(text, &in); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if in.Schema != sweep.Schema {
		return fmt.Errorf("%s: found schema %q, expected %q", path, in.Schema, sweep.Schema)
	}
	name := nameOf(path)
	if in.Version != fabricast.FullVersion() {
		r.Manifest.Problems = append(
			r.Manifest.Problems,
			fmt.Sprintf(
				"%s: the table is of version %s, this is version %s",
				name, in.Version, fabricast.FullVersion(),
			),
		)
	}
	if in.Axes == nil {
		r.Manifest.Problems = append(
			r.Manifest.Problems,
			name+": the table is of a version that kept no curves; run the sweep again to see them",
		)
	}
	if in.Unfinished > 0 {
		r.Manifest.Problems = append(r.Manifest.Problems, unfinished(name, path, &in))
	}
	if failed := failures(in.Rows); failed > 0 {
		r.Manifest.Problems = append(
			r.Manifest.Problems,
			fmt.Sprintf("%s: %d of %d points failed", name, failed, len(in.Rows)),
		)
	}
	s := &Sweep{
		Title:    in.Title,
		Axes:     notNil(in.Axes),
		Rows:     notNil(in.Rows),
		Curves:   withPoints(in.Curves),
		Findings: notNil(in.Findings),
	}
	if s.Title == "" {
		s.Title = name
	}
	for _, c := range in.Columns {
		s.Columns = append(s.Columns, sweepColumn(c, in.Columns))
	}
	r.Manifest.Sweep = s
	return nil
}

// unfinished describes the progress of a sweep that has not ended, or was interrupted.
func unfinished(name, path string, in *sweep.Report) string {
	text := fmt.Sprintf(
		"%s: the sweep is not finished: %d of %d points have no result in the table",
		name, in.Unfinished, len(in.Rows),
	)
	if later := storedSince(path, in.Rows); later > 0 {
		text += fmt.Sprintf(", of which %d are done since", later)
	}
	return text + "; the command that made it goes on from there"
}

// storedSince returns the number of points without a result in the table whose result is in the
// folder.
func storedSince(path string, rows []sweep.ReportRow) int {
	if filepath.Base(path) == sweepFile {
		path = filepath.Dir(path)
	}
	n := 0
	for _, row := range rows {
		if row.Hash == "" && row.Error == "" && sweep.Stored(path, row.Point) {
			n++
		}
	}
	return n
}

// withPoints returns the curves with lists in JSON where there are no points.
func withPoints(curves []sweep.Curves) []sweep.Curves {
	list := notNil(curves)
	for i := range list {
		for j := range list[i].Series {
			s := &list[i].Series[j]
			s.Points = notNil(s.Points)
		}
	}
	return list
}

func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func failures(rows []sweep.ReportRow) int {
	n := 0
	for _, row := range rows {
		if row.Error != "" {
			n++
		}
	}
	return n
}

// sweepColumn describes a column of a sweep. The half-widths of the confidence intervals of column
// x_ps are in column x_half_ps.
func sweepColumn(name string, all []string) SweepColumn {
	c := SweepColumn{Name: name, Title: titleOf(name), Unit: unitOf(name)}
	half := name + "_half"
	if base, ok := strings.CutSuffix(name, "_ps"); ok {
		half = base + "_half_ps"
	}
	if slices.Contains(all, half) {
		c.Half = half
	}
	return c
}
