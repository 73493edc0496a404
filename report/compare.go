package report

import (
	"fmt"
	"io"
	"strings"

	"fabricast/report/data"
)

// Column widths, in characters, of a comparison. A table of three runs fits in 100 characters.
const (
	compareName   = 28
	compareValue  = 13
	compareChange = 10
	compareRuns   = 3 // maximum number of runs in a table; each further table repeats the first run
)

// Compare writes a comparison of runs as tables for a terminal of 100 columns.
func Compare(w io.Writer, c *data.Comparison) error {
	var b strings.Builder
	for i, r := range c.Runs {
		fmt.Fprintf(&b, "%s  %s", letter(i), r.Path)
		if i > 0 && r.Hash != "" && r.Hash == c.Runs[0].Hash {
			b.WriteString("  (the same result as A)")
		}
		b.WriteByte('\n')
	}
	for first := 1; first == 1 || first < len(c.Runs); first += compareRuns - 1 {
		compareTable(&b, c, first, min(len(c.Runs), first+compareRuns-1))
	}
	compareExperiments(&b, c)
	_, err := io.WriteString(w, b.String())
	return err
}

// letter returns the name of a run in the tables: A, B and so on.
func letter(run int) string {
	if run < 26 {
		return string(rune('A' + run))
	}
	return fmt.Sprintf("#%d", run+1)
}

// compareTable writes a table that compares the runs from first to last-1 with run 0.
func compareTable(b *strings.Builder, c *data.Comparison, first, last int) {
	line := fmt.Sprintf("\n%-*s%*s", compareName, "", compareValue, letter(0))
	for run := first; run < last; run++ {
		line += fmt.Sprintf("%*s%*s", compareValue, letter(run), compareChange, "ratio")
	}
	b.WriteString(line + "\n")
	for _, f := range c.Figures {
		line := fmt.Sprintf("%-*s%*s", compareName, f.What, compareValue, figure(f.Values[0], f.Unit))
		for run := first; run < last; run++ {
			line += fmt.Sprintf(
				"%*s%*s",
				compareValue, figure(f.Values[run], f.Unit), compareChange, change(f.Ratios[run]),
			)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// figure formats a value with its unit.
func figure(v *float64, unit string) string {
	switch {
	case v == nil:
		return "-"
	case unit == "ps":
		return Time(int64(*v))
	case unit == "s":
		return Seconds(*v)
	case unit == "bytes":
		return Size(int64(*v))
	case unit == "fraction":
		return Percent(*v)
	case *v == float64(int64(*v)) && *v < 1e9:
		return Count(int64(*v))
	}
	return fmt.Sprintf("%.4g", *v)
}

// change formats a ratio to the first run: as 20x or 0.24x, with one more digit near 1.
func change(ratio *float64) string {
	if ratio == nil {
		return ""
	}
	r := *ratio
	switch {
	case r == 1:
		return "="
	case r >= 999.5 && r < 1e9:
		return fmt.Sprintf("%.0fx", r)
	case r >= 1 && r < 1.1:
		return fmt.Sprintf("%.4gx", r)
	}
	return fmt.Sprintf("%.3gx", r)
}

// compareExperiments lists the fields in which the experiments differ.
func compareExperiments(b *strings.Builder, c *data.Comparison) {
	if len(c.Experiment) == 0 {
		b.WriteString("\nThe experiments are the same.\n")
		return
	}
	b.WriteString("\nThe experiments differ in\n")
	for _, d := range c.Experiment {
		fmt.Fprintf(b, "  %s\n", d.Field)
		for run, v := range d.Values {
			if v == "" {
				v = "-"
			}
			fmt.Fprintf(b, "    %s  %s\n", letter(run), cut(v, 90))
		}
	}
}

// cut shortens a text to at most the given number of characters.
func cut(text string, most int) string {
	runes := []rune(strings.ReplaceAll(text, "\n", " "))
	if len(runes) <= most {
		return string(runes)
	}
	return string(runes[:most-3]) + "..."
}
