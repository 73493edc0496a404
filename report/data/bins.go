package data

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"fabricast/record"
)

// What the matrices of a run may take.
const (
	mostBins        = 256     // more are put together
	mostRouterCells = 1 << 22 // beyond, bins are put together until there are fewestBins
	mostLinkCells   = 1 << 21 // beyond, only the links that carried most have rows
	fewestBins      = 16
	exactCells      = 1 << 16 // matrices up to this size keep their values as they are
)

// stat is a statistic over time.
type stat struct {
	name   string // in the report
	column string // in the table
	title  string
	unit   string
	peak   bool // bins are put together by the largest, not by the sum
}

// linkStats are those of link_bins.parquet, bufferStats those of buffer_bins.parquet.
var (
	linkStats = []stat{
		{name: "efficiency", column: "wire_bytes", title: "Efficiency", unit: "fraction"},
		{name: "no_credit", column: "no_credit_ps", title: "Waiting for credit", unit: "fraction"},
		{name: "busy_output", column: "busy_output_ps", title: "Waiting for a busy output", unit: "fraction"},
		{name: "busy_crossbar", column: "busy_crossbar_ps", title: "Waiting for a busy crossbar port", unit: "fraction"},
	}
	bufferStats = []stat{
		{name: "buffer_mean", column: "mean_occupancy_bytes", title: "Mean occupancy of buffers", unit: "bytes"},
		{name: "buffer_peak", column: "peak_occupancy_bytes", title: "Peak occupancy of a buffer", unit: "bytes", peak: true},
	}
)

// readBins reads what intervals there are, and decides how many are put together.
func (b *builder) readBins() {
	text, err := os.ReadFile(b.reader.Path(record.BinsFile))
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			b.problem("%s cannot be read: %v", record.BinsFile, err)
		}
		return
	}
	var in record.Bins
	if err := json.Unmarshal(text, &in); err != nil || in.Schema != record.BinsSchema || in.Interval <= 0 {
		b.problem("%s is not whole, or of another version", record.BinsFile)
		return
	}
	if in.Count == 0 {
		return
	}
	x := Bins{Interval: in.Interval, Count: in.Count, End: in.End, Chosen: in.Chosen}
	b.binTables = []string{record.LinkBinsTable}
	if b.reader.State() == record.Running {
		b.binTables = in.Parts
	}
	limit := b.mostColumns()
	together := (x.Count + limit - 1) / limit
	if x.End == 0 {
		x.End = x.Interval * int64(x.Count)
	}
	x.Interval *= int64(together)
	x.Count = (x.Count + together - 1) / together
	b.together = together
	b.run.Bins = &x
}

// mostColumns is how many columns matrices may have, of which there is a row for each router.
func (b *builder) mostColumns() int {
	if b.routers == nil {
		return mostBins
	}
	return min(mostBins, max(fewestBins, mostRouterCells/max(1, b.routers.rows)))
}

// linkRows is how many links have rows in matrices.
func (b *builder) linkRows() int {
	if b.links == nil {
		return 0
	}
	if b.run.Bins == nil {
		return b.links.rows
	}
	return min(b.links.rows, max(1, mostLinkCells/b.run.Bins.Count))
}

// width is the length of a column's interval in ps; the last one may be shorter.
func (x *Bins) width(col int) float64 {
	begin := int64(col) * x.Interval
	return float64(max(1, min(x.Interval, x.End-begin)))
}

// cells are the values of a statistic, of all rows of a kind over all columns.
type cells struct {
	rows, cols int
	values     []float32
}

func newCells(rows, cols int) *cells { return &cells{rows, cols, make([]float32, rows*cols)} }

func (c *cells) row(r int) []float32 { return c.values[r*c.cols : (r+1)*c.cols] }

// matrices makes those of all statistics that were recorded.
func (b *builder) matrices() {
	if b.run.Bins == nil || b.links == nil {
		return
	}
	for i := range linkStats {
		b.linkStat(&linkStats[i])
	}
	for i := range bufferStats {
		b.bufferStat(&bufferStats[i])
	}
}

// linkStat makes the matrices of a statistic of links.
func (b *builder) linkStat(s *stat) {
	values, err := b.linkCells(s)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		b.unreadable(record.LinkBinsTable, err)
		return
	}
	rows := b.linkRows()
	note := ""
	if rows < b.links.rows {
		note = fmt.Sprintf("The %d links that carried most, of %d.", rows, b.links.rows)
	}
	b.putMatrix(s, "link", "value", &cells{rows, values.cols, values.values[:rows*values.cols]}, nil, note)
	for _, g := range b.groupings() {
		mean, most := g.gather(values)
		b.putMatrix(s, g.kind, "mean", mean, g.names, "")
		if s.name == "efficiency" || g.count*values.cols <= mostLinkCells {
			b.putMatrix(s, g.kind, "max", most, g.names, "")
		}
	}
}

// linkCells are the shares of each interval, or of what could be carried in it, by rows of links.
func (b *builder) linkCells(s *stat) (*cells, error) {
	x := b.run.Bins
	c := newCells(b.links.rows, x.Count)
	full := b.fullLinks(s)
	take := func(part [][]int64) {
		for i, link := range part[0] {
			col := int(part[1][i]) / b.together
			if link < 0 || int(link) >= len(b.rowOf) || col < 0 || col >= x.Count {
				continue
			}
			row := int(b.rowOf[link])
			c.values[row*c.cols+col] += float32(float64(part[2][i]) / (full[row] * x.width(col)))
		}
	}
	for _, table := range b.binTables {
		if err := scan(b.reader.Path(table), []string{"link", "bin", s.column}, take); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// fullLinks is by rows what a statistic may reach in a ps: 1, or of bytes what the link can carry.
func (b *builder) fullLinks(s *stat) []float64 {
	full := make([]float64, b.links.rows)
	for i := range full {
		full[i] = 1
		if s.column == "wire_bytes" {
			full[i] = max(1, b.links.float("bandwidth_bytes_per_s", i)) / 1e12
		}
	}
	return full
}

// bufferStat makes the matrices of a statistic of buffers, which belong to routers.
func (b *builder) bufferStat(s *stat) {
	if b.routers == nil {
		return
	}
	x := b.run.Bins
	sum, most, buffers := newCells(b.routers.rows, x.Count), newCells(b.routers.rows, x.Count), map[[3]int64]bool{}
	each := make([]float32, b.routers.rows) // buffers of a router
	err := scan(b.reader.Path(record.BufferBinsTable), []string{"router", "port", "vc", "bin", s.column}, func(part [][]int64) {
		for i, router := range part[0] {
			col := int(part[3][i]) / b.together
			if router < 0 || int(router) >= sum.rows || col < 0 || col >= x.Count {
				continue
			}
			if key := [3]int64{router, part[1][i], part[2][i]}; !buffers[key] {
				buffers[key] = true
				each[router]++
			}
			at, v := int(router)*sum.cols+col, float32(part[4][i])
			sum.values[at] += v / float32(b.together)
			most.values[at] = max(most.values[at], v)
		}
	})
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		b.unreadable(record.BufferBinsTable, err)
		return
	}
	for r := range sum.rows {
		for i := range sum.row(r) {
			sum.row(r)[i] /= max(1, each[r])
		}
	}
	if !s.peak {
		b.putMatrix(s, "router", "mean", sum, nil, "")
	}
	b.putMatrix(s, "router", "max", most, nil, "")
}

// grouping puts links together: those that leave a router for others, of a dimension, of a level.
type grouping struct {
	kind  string
	names []string
	of    []int32 // by rows of links; -1: in none
	count int
}

// groupings are those that there are any of.
func (b *builder) groupings() []grouping {
	list := []grouping{}
	kinds := b.links.column("kind")
	if kinds == nil {
		return nil
	}
	between := func(row int) bool { return kinds.words[kinds.codes[row]] == record.Between }
	if b.routers != nil {
		list = append(list, b.group("router", "router", b.routers.rows, nil, between))
	}
	if n := b.reader.Network(); n != nil {
		list = append(list,
			b.group("dimension", "dimension", len(n.Dimensions), n.Dimensions, between),
			b.group("level", "level", len(n.Levels), n.Levels, func(int) bool { return true }))
	}
	return list
}

func (b *builder) group(kind, column string, count int, names []string, belongs func(row int) bool) grouping {
	g := grouping{kind: kind, names: names, count: count, of: make([]int32, b.links.rows)}
	values := b.links.column(column)
	for row := range g.of {
		g.of[row] = -1
		if values != nil && belongs(row) && values.ints[row] >= 0 && values.ints[row] < int64(count) {
			g.of[row] = int32(values.ints[row])
		}
	}
	return g
}

// gather is the mean and the largest value over the links of each group.
func (g *grouping) gather(c *cells) (mean, most *cells) {
	mean, most = newCells(g.count, c.cols), newCells(g.count, c.cols)
	links := make([]float32, g.count)
	for row, to := range g.of {
		if to < 0 {
			continue
		}
		links[to]++
		sums, largest := mean.row(int(to)), most.row(int(to))
		for i, v := range c.row(row) {
			sums[i] += v
			largest[i] = max(largest[i], v)
		}
	}
	for r := range g.count {
		for i := range mean.row(r) {
			mean.row(r)[i] /= max(1, links[r])
		}
	}
	return mean, most
}

// putMatrix adds a matrix unless it has no rows: as it is if it is small, else in 255 steps.
func (b *builder) putMatrix(s *stat, kind, how string, c *cells, names []string, note string) {
	if c.rows == 0 {
		return
	}
	key := matrixKey(s, kind, how)
	m := &Matrix{
		Title: s.title, Unit: s.unit, Rows: c.rows, Cols: c.cols, RowKind: kind, RowNames: names,
		Blob: b.prefix + ".matrix." + key, Stat: s.name, How: how, Note: note,
	}
	m.Type, m.Scale = b.blobs.putCells(m.Blob, c)
	b.run.Matrices[key] = m
}

func matrixKey(s *stat, kind, how string) string {
	key := kind + "_" + s.name
	if how != "value" {
		key += "_" + how
	}
	return key
}

// putCells puts values away as they are if they are few, else in 255 steps of the scale.
func (b *Blobs) putCells(name string, c *cells) (kind string, scale float64) {
	if len(c.values) <= exactCells {
		b.put(name, c.values)
		return "f32", 1
	}
	scale, steps := quantised(c.values)
	b.put(name, steps)
	return "u8", scale
}

// quantised is the values in 255 steps of the scale. What is not 0 does not become 0.
func quantised(values []float32) (scale float64, steps []uint8) {
	var most float32
	for _, v := range values {
		most = max(most, v)
	}
	if most == 0 {
		return 1, make([]uint8, len(values))
	}
	steps = make([]uint8, len(values))
	for i, v := range values {
		if v > 0 {
			steps[i] = uint8(max(1, v/most*255+0.5))
		}
	}
	return float64(most) / 255, steps
}
