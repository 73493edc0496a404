package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"fabricast/record"
)

// Limits of a heat map in text.
const (
	heatName    = 28 // maximum length of a row's name
	heatColumns = 60
	heatLinks   = 8       // maximum number of busiest links with a row of their own
	heatLinkMax = 1 << 17 // maximum number of links in the run
	heatBinMax  = 1 << 20 // maximum number of rows in the table of link bins
)

// Characters of a heat map, from the lowest level to the highest. A value of 0 is a blank.
var (
	blockLevels = []rune("▁▂▃▄▅▆▇█")
	asciiLevels = []rune(".:-=+*#@")
)

// Heat writes the utilization of a run's links over time, one row of characters for each dimension,
// level or class of links, and for each of the busiest links. It writes nothing if the run recorded
// no bins or is too large. blocks selects Unicode block characters instead of ASCII.
func Heat(w io.Writer, r *record.Reader, blocks bool) error {
	bins := r.Bins()
	if bins == nil || bins.Count == 0 || r.State() == record.Running || !heatable(r) {
		return nil
	}
	h := newHeat(bins)
	if err := h.read(r); err != nil {
		return err
	}
	levels := asciiLevels
	if blocks {
		levels = blockLevels
	}
	_, err := io.WriteString(w, h.text(levels))
	return err
}

// heatable reports whether the tables exist and are small enough for a heat map.
func heatable(r *record.Reader) bool {
	links, err := r.Count(record.LinksTable)
	if err != nil || links > heatLinkMax {
		return false
	}
	rows, err := r.Count(record.LinkBinsTable)
	return err == nil && rows <= heatBinMax
}

// heat is a heat map. A row is a group of links or a single link, a column is an interval of time.
type heat struct {
	end     int64 // ps
	column  int64 // ps
	bins    int   // bins per column
	columns int
	groups  []heatRow
	links   []heatRow
}

type heatRow struct {
	name     string
	order    int   // sort key of a group
	capacity int64 // bytes/s, summed over the row's links
	bytes    []int64
}

func newHeat(b *record.Bins) *heat {
	together := (b.Count + heatColumns - 1) / heatColumns
	h := &heat{
		end:     b.End,
		bins:    together,
		column:  b.Interval * int64(together),
		columns: (b.Count + together - 1) / together,
	}
	if h.end == 0 {
		h.end = h.column * int64(h.columns)
	}
	return h
}

// read fills the heat map from the tables of a run.
func (h *heat) read(r *record.Reader) error {
	var links []record.Link
	for l, err := range record.Rows[record.Link](r, record.LinksTable) {
		if err != nil {
			return err
		}
		links = append(links, l)
	}
	groupOf := h.group(links, r.Network())
	rowOf := h.busiest(links)
	for rows, err := range record.Columns(r, record.LinkBinsTable, "link", "bin", "wire_bytes") {
		if err != nil {
			return err
		}
		for i, link := range rows[0] {
			bin := rows[1][i]
			column := int(bin) / h.bins
			if link < 0 || int(link) >= len(links) || column < 0 || column >= h.columns {
				return fmt.Errorf(
					"%s: found link %d in bin %d, of which other tables know nothing",
					record.LinkBinsTable, link, bin,
				)
			}
			h.groups[groupOf[link]].bytes[column] += rows[2][i]
			if row := rowOf[link]; row >= 0 {
				h.links[row].bytes[column] += rows[2][i]
			}
		}
	}
	return nil
}

// group creates a row for each group of links. It returns the row index for each link.
func (h *heat) group(links []record.Link, n *record.Network) []int {
	rows := make(map[string]*heatRow)
	for _, l := range links {
		name, order := heatGroup(&l, n)
		if rows[name] == nil {
			rows[name] = &heatRow{name: name, order: order, bytes: make([]int64, h.columns)}
		}
		rows[name].capacity += l.Capacity
	}
	for _, row := range rows {
		h.groups = append(h.groups, *row)
	}
	slices.SortFunc(
		h.groups,
		func(a, b heatRow) int { return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.name, b.name)) },
	)
	number := make(map[string]int)
	for i := range h.groups {
		number[h.groups[i].name] = i
	}
	of := make([]int, len(links))
	for i := range links {
		name, _ := heatGroup(&links[i], n)
		of[i] = number[name]
	}
	return of
}

// heatGroup returns the name of a link's group, and the position of the group's row. Groups of
// links between routers come first.
func heatGroup(l *record.Link, n *record.Network) (name string, order int) {
	const last = 1 << 16
	switch {
	case l.Kind == record.Injection:
		return "hosts, injection", last + 1
	case l.Kind == record.Ejection:
		return "hosts, ejection", last + 2
	case n != nil && l.Dimension >= 0 && int(l.Dimension) < len(n.Dimensions):
		return "dimension " + n.Dimensions[l.Dimension], int(l.Dimension)
	case l.Level >= 0:
		return fmt.Sprintf("level %d", l.Level), int(l.Level)
	}
	return l.Class, last
}

// busiest creates rows for the links with the highest utilization. It returns the row index for
// each link, or -1 for a link without a row.
func (h *heat) busiest(links []record.Link) []int {
	order := slices.Clone(links)
	slices.SortStableFunc(
		order,
		func(a, b record.Link) int { return cmp.Compare(b.Utilization, a.Utilization) },
	)
	rowOf := slices.Repeat([]int{-1}, len(links))
	for _, l := range order[:min(len(order), heatLinks)] {
		if l.Link < 0 || int(l.Link) >= len(links) {
			continue
		}
		rowOf[l.Link] = len(h.links)
		h.links = append(
			h.links,
			heatRow{name: l.Where(), capacity: l.Capacity, bytes: make([]int64, h.columns)},
		)
	}
	return rowOf
}

// text draws the rows of groups and of single links, with headings.
func (h *heat) text(levels []rune) string {
	head := fmt.Sprintf(
		"Links over time, 0 to %s, a column is %s: mean utilization",
		Time(h.end), Time(h.column),
	)
	return "\n" + h.part(head, h.groups, levels) + h.part("The links that carried most", h.links, levels)
}

// part draws rows under a heading, on a scale up to the maximum value in the rows.
func (h *heat) part(head string, rows []heatRow, levels []rune) string {
	var most float64
	for i := range rows {
		most = max(most, h.most(&rows[i]))
	}
	var b strings.Builder
	for _, line := range wrap(
		fmt.Sprintf("%s (%c up to %s)", head, levels[len(levels)-1], Percent(most)), Columns,
	) {
		b.WriteString(line + "\n")
	}
	for i := range rows {
		row := &rows[i]
		cells := make([]rune, h.columns)
		for c := range cells {
			cells[c] = level(h.share(row, c), most, levels)
		}
		fmt.Fprintf(
			&b, "%s  %s  %8s\n", pad(cut(row.name, heatName), heatName), string(cells),
			Percent(h.most(row)),
		)
	}
	return b.String()
}

// share returns the utilization of a row in a column, from 0 to 1.
func (h *heat) share(row *heatRow, column int) float64 {
	begin := int64(column) * h.column
	length := min(h.column, h.end-begin)
	if length <= 0 { // the run ended exactly at the start of this column
		length = h.column
	}
	return min(1, float64(row.bytes[column])/(float64(max(1, row.capacity))*float64(length)*1e-12))
}

// most returns the largest utilization in a row.
func (h *heat) most(row *heatRow) float64 {
	var most float64
	for c := range h.columns {
		most = max(most, h.share(row, c))
	}
	return most
}

// level returns the character for value v on a scale from 0 to most.
func level(v, most float64, levels []rune) rune {
	if v <= 0 {
		return ' '
	}
	return levels[min(len(levels)-1, int(v/most*float64(len(levels))))]
}
