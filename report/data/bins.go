package data

import (
	"errors"
	"fmt"
	"io/fs"
	"math"

	"fabricast/record"
)

// Limits on the matrices of a run.
const (
	mostBins        = 256     // columns; more bins are merged
	mostRouterCells = 1 << 22 // cells of a matrix by router; above this, bins are merged
	// cells of a matrix by link; above this, only the busiest links have rows
	mostLinkCells = 1 << 21
	fewestBins    = 16
	exactCells    = 1 << 16 // matrices up to this size are not quantised
)

// stat is a statistic over time.
type stat struct {
	name   string // in the report
	column string // in the table
	title  string
	unit   string
	peak   bool // bins are merged by their maximum, not their sum
}

// throughput is utilization in bytes/s. It is computed from the same column, and usually shares the
// arrays of utilization.
var throughput = stat{name: "throughput", column: "wire_bytes", title: "Throughput", unit: "bytes/s"}

// linkStats lists the statistics in link_bins.parquet, bufferStats those in buffer_bins.parquet.
var (
	linkStats = []stat{
		{name: "utilization", column: "wire_bytes", title: "Utilization", unit: "fraction"},
		{name: "no_credit", column: "no_credit_ps", title: "Waiting for credit", unit: "fraction"},
		{name: "busy_output", column: "busy_output_ps", title: "Waiting for a busy output", unit: "fraction"},
		{
			name:   "busy_crossbar",
			column: "busy_crossbar_ps",
			title:  "Waiting for a busy crossbar port",
			unit:   "fraction",
		},
	}
	bufferStats = []stat{
		{
			name:   "buffer_mean",
			column: "mean_occupancy_bytes",
			title:  "Mean occupancy of buffers",
			unit:   "bytes",
		},
		{
			name:   "buffer_peak",
			column: "peak_occupancy_bytes",
			title:  "Peak occupancy of a buffer",
			unit:   "bytes",
			peak:   true,
		},
	}
)

// readBins reads the number of bins and decides how many are merged into one column.
func (b *builder) readBins() {
	in := b.reader.Bins()
	if in == nil || in.Count == 0 {
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

// mostColumns returns the maximum number of columns of a matrix with a row for each router.
func (b *builder) mostColumns() int {
	if b.routers == nil {
		return mostBins
	}
	return min(mostBins, max(fewestBins, mostRouterCells/max(1, b.routers.rows)))
}

// linkRows returns the number of links that have a row in matrices.
func (b *builder) linkRows() int {
	if b.links == nil {
		return 0
	}
	if b.run.Bins == nil {
		return b.links.rows
	}
	return min(b.links.rows, max(1, mostLinkCells/b.run.Bins.Count))
}

// width returns the length (ps) of the interval of a column. The last interval may be shorter.
func (x *Bins) width(col int) float64 {
	begin := int64(col) * x.Interval
	return float64(max(1, min(x.Interval, x.End-begin)))
}

// cells holds the values of a statistic: one row for each link or router, one column for each
// interval.
type cells struct {
	rows, cols int
	values     []float32
}

func newCells(rows, cols int) *cells { return &cells{rows, cols, make([]float32, rows*cols)} }

func (c *cells) row(r int) []float32 { return c.values[r*c.cols : (r+1)*c.cols] }

// matrices adds the matrices of all recorded statistics.
func (b *builder) matrices() {
	if b.run.Bins == nil || b.links == nil {
		return
	}
	for _, s := range linkStats {
		if s.name == "no_credit" && b.result != nil && b.result.Congestion != nil {
			s.title = "Waiting for the end of a pause"
		}
		b.linkStat(&s)
	}
	for i := range bufferStats {
		b.bufferStat(&bufferStats[i])
	}
}

// linkStat adds the matrices of a statistic of links.
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
	groupings := b.groupings()
	b.putLinks(s, values, note)
	for i := range groupings {
		b.putGroups(s, &groupings[i], values)
	}
	if s.name == "utilization" {
		b.throughput(values, groupings, note)
	}
}

// putLinks adds the matrix of the links that have rows.
func (b *builder) putLinks(s *stat, values *cells, note string) {
	rows := b.linkRows()
	b.putMatrix(s, "link", "value", &cells{rows, values.cols, values.values[:rows*values.cols]}, nil, note)
}

// putGroups adds the matrices with the mean and the maximum over groups of links.
func (b *builder) putGroups(s *stat, g *grouping, values *cells) {
	mean, most := g.gather(values)
	b.putMatrix(s, g.kind, "mean", mean, g.names, "")
	if s.name == "utilization" || s.name == throughput.name || g.count*values.cols <= mostLinkCells {
		b.putMatrix(s, g.kind, "max", most, g.names, "")
	}
}

// throughput adds the matrices of throughput. If all links of a matrix have the same bandwidth, the
// matrix shares the array of utilization with another scale.
func (b *builder) throughput(values *cells, groupings []grouping, note string) {
	bandwidth := b.bandwidths()
	var mixed []*grouping
	for i := range groupings {
		g := &groupings[i]
		if one := g.bandwidth(bandwidth); one > 0 {
			b.rescale(g.kind, "mean", one)
			b.rescale(g.kind, "max", one)
		} else {
			mixed = append(mixed, g)
		}
	}
	one := same(bandwidth)
	if one > 0 {
		b.rescale("link", "value", one)
	}
	if one > 0 && len(mixed) == 0 {
		return
	}
	values = values.times(bandwidth)
	if one == 0 {
		b.putLinks(&throughput, values, note)
	}
	for _, g := range mixed {
		b.putGroups(&throughput, g, values)
	}
}

// times returns the cells with each row multiplied by its factor.
func (c *cells) times(factors []float64) *cells {
	scaled := newCells(c.rows, c.cols)
	for row := range c.rows {
		for i, v := range c.row(row) {
			scaled.row(row)[i] = float32(float64(v) * factors[row])
		}
	}
	return scaled
}

// rescale adds the throughput matrix that corresponds to a utilization matrix. bandwidth (bytes/s)
// is that of every link.
func (b *builder) rescale(kind, how string, bandwidth float64) {
	if m := b.run.Matrices[matrixKey(&linkStats[0], kind, how)]; m != nil {
		b.run.Matrices[matrixKey(&throughput, kind, how)] = m.rescaled(bandwidth)
	}
}

// rescaled returns a throughput matrix that shares the arrays of utilization matrix m. bandwidth is
// in bytes/s.
func (m *Matrix) rescaled(bandwidth float64) *Matrix {
	other := *m
	other.Stat, other.Title, other.Unit = throughput.name, throughput.title, throughput.unit
	other.Scale *= bandwidth
	other.Limit = bandwidth
	other.Parts = nil
	for _, p := range m.Parts {
		p.Scale *= bandwidth
		other.Parts = append(other.Parts, p)
	}
	return &other
}

// bandwidths returns the bandwidth (bytes/s) of each row of links.
func (b *builder) bandwidths() []float64 {
	list := make([]float64, b.links.rows)
	for i := range list {
		list[i] = max(1, b.links.float("bandwidth_bytes_per_s", i))
	}
	return list
}

// same returns the common value of all values; 0 if they differ or there are none.
func same(values []float64) float64 {
	for _, v := range values {
		if v != values[0] {
			return 0
		}
	}
	if len(values) == 0 {
		return 0
	}
	return values[0]
}

// bandwidth returns the common bandwidth of all links in the groups; 0 if they differ. of holds the
// bandwidth of each link row.
func (g *grouping) bandwidth(of []float64) float64 {
	var own []float64
	for row, to := range g.of {
		if to >= 0 {
			own = append(own, of[row])
		}
	}
	return same(own)
}

// linkCells reads a statistic of links. Times become fractions of the interval, bytes become
// fractions of the link's capacity in the interval.
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
		if err := scan(b.reader, table, []string{"link", "bin", s.column}, take); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// fullLinks returns, for each link row, the maximum of a statistic per ps: 1 for times, and the
// link's bandwidth for bytes.
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

// bufferStat adds the matrices of a statistic of buffers, by router: the mean and the maximum over
// the router's buffers.
func (b *builder) bufferStat(s *stat) {
	if b.routers == nil {
		return
	}
	x := b.run.Bins
	sum, most, buffers := newCells(b.routers.rows, x.Count), newCells(
		b.routers.rows, x.Count,
	), map[[3]int64]bool{}
	each := make([]float32, b.routers.rows) // buffers of a router
	err := scan(
		b.reader,
		record.BufferBinsTable,
		[]string{"router", "port", "vc", "bin", s.column},
		func(part [][]int64) {
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
		},
	)
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

// grouping divides links into groups: links that leave the same router, or links of the same
// dimension or level.
type grouping struct {
	kind  string
	names []string
	of    []int32 // group of each link row; -1: none
	count int
}

// groupings returns the groupings available for the network: by router, and by dimension and level
// if it has any.
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

// gather returns the mean and the maximum over the links of each group.
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

// putMatrix adds a matrix unless it has no rows. Large matrices are quantised.
func (b *builder) putMatrix(s *stat, kind, how string, c *cells, names []string, note string) {
	if c.rows == 0 {
		return
	}
	key := matrixKey(s, kind, how)
	m := &Matrix{
		Title: s.title, Unit: s.unit, Rows: c.rows, Cols: c.cols, RowKind: kind, RowNames: names,
		Blob: b.prefix + ".matrix." + key, Stat: s.name, How: how, Note: note,
	}
	if s.name == "utilization" {
		m.Limit = 1
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

// putCells stores values: exactly if there are few, otherwise quantised to 255 steps. It returns
// the array's type and the factor by which stored values must be multiplied.
func (b *Blobs) putCells(name string, c *cells) (kind string, scale float64) {
	if len(c.values) <= exactCells {
		b.put(name, c.values)
		return "f32", 1
	}
	scale, steps := quantised(c.values)
	b.put(name, steps)
	return "u8", scale
}

// quantised returns the values as multiples of scale from 0 to 255. Values above 0 become at least
// 1.
func quantised(values []float32) (scale float64, steps []uint8) {
	var most float32
	for _, v := range values {
		most = max(most, min(v, math.MaxFloat32)) // a damaged table may sum to infinity
	}
	if most == 0 {
		return 1, make([]uint8, len(values))
	}
	steps = make([]uint8, len(values))
	for i, v := range values {
		if v > 0 {
			steps[i] = uint8(min(255, max(1, v/most*255+0.5)))
		}
	}
	return float64(most) / 255, steps
}
