package bench

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// headings of the table. All columns but the first and the last hold numbers.
var headings = []string{
	"case",
	"ranks",
	"packets",
	"hops",
	"CPU s",
	"wall s",
	"ns/hop",
	"ins/hop",
	"MB",
	"B/node",
	"bound",
}

// Text writes the report for a terminal of 100 columns.
func (r *Report) Text(w io.Writer) error {
	rows := [][]string{headings}
	for _, row := range r.Cases {
		rows = append(rows, row.cells())
	}
	text := r.head() + "\n" + align(rows) + r.notes()
	_, err := io.WriteString(w, text)
	return err
}

// head describes the version and the machine that were measured.
func (r *Report) head() string {
	m := r.Machine
	text := fmt.Sprintf("fabricast %s, %s form, %s\n", r.Version, r.Form, r.Date)
	where := []string{fmt.Sprintf("%d CPUs", m.CPUs), m.System, m.Go}
	if m.Processor != "" {
		where = append([]string{m.Processor}, where...)
	}
	if m.Memory > 0 {
		where = append(where, fmt.Sprintf("%.1f GB", float64(m.Memory)/gigabyte))
	}
	if m.Load > 0 {
		where = append(where, fmt.Sprintf("load %.2f before", m.Load))
	}
	return text + strings.Join(where, ", ") + "\n"
}

// cells returns the texts of the row's columns.
func (r *Row) cells() []string {
	if r.Error != "" {
		return []string{r.Name, scaled(float64(r.Ranks)), "-", "-", "-", "-", "-", "-", "-", "-", "failed"}
	}
	return []string{
		r.Name, scaled(float64(r.Ranks)), scaled(float64(r.Packets)), scaled(float64(r.PacketHops)),
		seconds(r.CPU), seconds(r.Wall), figure(r.NSPerHop, 1), figure(r.InstructionsPerHop, 0),
		figure(float64(r.PeakRSS)/megabyte, 0), figure(r.perNode(), 0), r.bounds(),
	}
}

// tellingRanks is the number of ranks from which the memory per node is meaningful. With fewer,
// most of the memory is the process's own.
const tellingRanks = 1000

// perNode returns the memory per node in bytes; 0 if it is not meaningful.
func (r *Row) perNode() float64 {
	if r.Ranks < tellingRanks {
		return 0
	}
	return r.BytesPerNode
}

// seconds formats a time in seconds, with three decimals below 10 s and one above.
func seconds(s float64) string {
	if s < 10 {
		return strconv.FormatFloat(s, 'f', 3, 64)
	}
	return strconv.FormatFloat(s, 'f', 1, 64)
}

// figure formats a number, and "-" for 0, which means unknown.
func figure(v float64, decimals int) string {
	if v == 0 {
		return "-"
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// scaled formats a count, with three significant digits if it is a million or more.
func scaled(v float64) string {
	for _, s := range []struct {
		size   float64
		symbol string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}} {
		if v >= s.size {
			v /= s.size
			return strconv.FormatFloat(v, 'f', max(0, 2-int(math.Log10(v))), 64) + s.symbol
		}
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// bounds lists the limits and marks those that are not met.
func (r *Row) bounds() string {
	var list []string
	for _, c := range r.Bounds {
		text := map[string]string{
			"cpu_s":          fmt.Sprintf("<%g s", c.Limit),
			"cpu_ns_per_hop": fmt.Sprintf("<%g ns", c.Limit),
			"peak_rss_bytes": fmt.Sprintf("<%g GB", c.Limit/gigabyte),
			"wall_ratio":     fmt.Sprintf("x%.2f <%g", r.WallRatio, c.Limit),
		}[c.Of]
		if !c.Met {
			text += "!"
		}
		list = append(list, text)
	}
	return strings.Join(list, " ")
}

// notes returns the lines below the table.
func (r *Report) notes() string {
	var b strings.Builder
	note := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	for _, row := range r.Cases {
		switch {
		case row.Error != "":
			note("%s failed: %s", row.Name, row.Error)
		case row.Cut != "":
			note("%s is cut down: %s", row.Name, row.Cut)
		case row.Published != "":
			note("%s elsewhere: %s", row.Name, row.Published)
		}
	}
	for _, row := range r.Cases {
		if row.EventsPerSecond > 0 {
			note(
				"%s: %s events, %s a second of CPU time",
				row.Name, scaled(float64(row.TraceEvents)), scaled(row.EventsPerSecond),
			)
		}
	}
	for _, row := range r.Cases {
		if row.LeftError > 0 {
			note("%s: the time left was forecast within a factor of %.2f", row.Name, row.LeftError)
		}
	}
	if slices.ContainsFunc(r.Cases, func(row *Row) bool { return row.WallRatio > 0 }) {
		note("x compares the wall time with that of one worker")
	}
	if r.missed() {
		note("! misses the bound that the project sets itself")
	}
	if r.NoInstructions != "" {
		note("no instructions a hop: %s", r.NoInstructions)
	}
	if b.Len() == 0 {
		return ""
	}
	return "\n" + b.String()
}

// missed reports whether some limit is not met.
func (r *Report) missed() bool {
	for _, row := range r.Cases {
		for _, c := range row.Bounds {
			if !c.Met {
				return true
			}
		}
	}
	return false
}

// align formats cells as columns: the first and the last left-aligned, numbers right-aligned.
func align(rows [][]string) string {
	wide := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			wide[i] = max(wide[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		line := fmt.Sprintf("%-*s", wide[0], row[0])
		for i := 1; i < len(row)-1; i++ {
			line += fmt.Sprintf("  %*s", wide[i], row[i])
		}
		line += "  " + row[len(row)-1]
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}
