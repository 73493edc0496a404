package data

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"fabricast/record"
)

// Growing makes reports repeatedly during runs. It reads and compresses only the bins that have
// been completed since its last report. Earlier arrays keep their names, so that a page need not
// load them again. The zero value is ready to use. It is not safe for concurrent use.
type Growing struct {
	made int // number of reports made
	runs map[string]*growth
}

// Make is like the function Make. It never reuses the name of a blob for a different array.
func (g *Growing) Make(paths ...string) (*Report, error) {
	g.made++
	return assemble(g, paths)
}

// build makes the report of a folder. It reuses earlier work while the folder's run is in progress.
func (g *Growing) build(b *builder) {
	b.prefix = fmt.Sprintf("%s.v%d", b.run.ID, g.made)
	key := b.reader.Path("")
	s := g.runs[key]
	if b.reader.State() != record.Running {
		delete(g.runs, key)
		b.build()
		return
	}
	if s == nil {
		s = &growth{}
		if g.runs == nil {
			g.runs = map[string]*growth{}
		}
		g.runs[key] = s
	}
	s.build(b)
}

// growth holds the data read so far of a run in progress.
type growth struct {
	network *builder // holds the network's tables; nil until they have been read
	tables  map[string]*Table
	kept    *Blobs // arrays of the tables

	interval int64
	together int // bins merged into one column
	columns  int // complete columns
	parts    []readPart
	matrices map[string]*Matrix
	arrays   *Blobs // arrays of the matrices
}

// readPart is a table of bins that has been read.
type readPart struct {
	name   string
	beyond int // index after its last bin
}

func (s *growth) build(b *builder) {
	b.run.Network = b.network()
	b.progress()
	if s.network == nil {
		s.readNetwork(b)
	}
	if s.network == nil {
		return
	}
	b.links, b.routers, b.rowOf = s.network.links, s.network.routers, s.network.rowOf
	b.run.Tables = s.tables
	b.blobs.include(s.kept)
	if in := s.news(b); in != nil {
		s.grow(b, in)
	}
	if s.columns == 0 {
		return
	}
	b.run.Bins = &Bins{
		Interval: s.interval * int64(s.together),
		Count:    s.columns,
		End:      s.interval * int64(s.together*s.columns),
	}
	for key, m := range s.matrices {
		copied := *m
		copied.Parts = slices.Clone(m.Parts)
		b.run.Matrices[key] = &copied
	}
	b.blobs.include(s.arrays)
}

// readNetwork reads the tables of links, routers and NICs, which do not change before the end of a
// run.
func (s *growth) readNetwork(b *builder) {
	b.links, b.routers, b.nics = b.read(record.LinksTable), b.read(
		record.RoutersTable,
	), b.read(record.NICsTable)
	if b.links == nil || b.routers == nil {
		return
	}
	b.spreadLinks()
	all := b.blobs
	b.blobs = newBlobs()
	b.tables()
	s.kept, s.tables, s.network = b.blobs, b.run.Tables, b
	b.blobs = all
}

// liveLinks returns the number of links that have a history over time during a run.
func (b *builder) liveLinks() int { return min(b.links.rows, mostLinkCells/mostBins) }

// spreadLinks orders the links so that those with a history in the report come first. The busiest
// links are not known during a run, so these are all links or, if there are too many, evenly spaced
// ones.
func (b *builder) spreadLinks() {
	every := (b.links.rows + b.liveLinks() - 1) / b.liveLinks()
	order := make([]int32, 0, b.links.rows)
	for first := range every {
		for link := first; link < b.links.rows; link += every {
			order = append(order, int32(link))
		}
	}
	if every > 1 {
		b.links = b.links.pick(order)
	}
	b.rowOf = make([]int32, len(order))
	for row, link := range order {
		b.rowOf[link] = int32(row)
	}
}

// news returns the content of bins.json if it lists more bins than have been read; otherwise nil.
// It discards the data read so far if the interval of bins has grown, or if more bins must be
// merged into a column.
func (s *growth) news(b *builder) *record.Bins {
	in := b.reader.Bins()
	if in == nil || in.Count == 0 {
		return nil
	}
	together := 1
	for in.Count/together > b.mostColumns() {
		together *= 2
	}
	if in.Interval != s.interval || together != s.together {
		s.interval, s.together, s.columns, s.parts = in.Interval, together, 0, nil
		s.matrices, s.arrays = map[string]*Matrix{}, newBlobs()
	}
	if in.Count/together <= s.columns {
		return nil
	}
	return in
}

// grow adds the columns that have been completed since the last report.
func (s *growth) grow(b *builder, in *record.Bins) {
	from, to := s.columns, in.Count/s.together
	b.together = s.together
	b.run.Bins = &Bins{
		Interval: s.interval * int64(s.together),
		Count:    to,
		End:      s.interval * int64(s.together*to),
	}
	fresh := make([]*cells, len(linkStats))
	for i := range fresh {
		fresh[i] = newCells(b.links.rows, to-from)
	}
	for _, part := range in.Parts {
		if err := s.readPart(b, part, from, to, fresh); err != nil {
			// the run has ended, or the interval of bins has grown: the next report shows it
			if !errors.Is(err, fs.ErrNotExist) {
				b.problem("%s cannot be read: %v", part, err)
			}
			return
		}
	}
	for i := range linkStats {
		s.addColumns(b, &linkStats[i], fresh[i], from)
	}
	s.addThroughput(b, fresh[0], from)
	s.columns = to
}

// addThroughput adds new columns to the throughput matrices. values holds the new columns of
// utilization.
func (s *growth) addThroughput(b *builder, values *cells, from int) {
	bandwidth := b.bandwidths()
	groupings := b.groupings()
	own := map[string]bool{} // kinds of rows whose links differ in bandwidth
	if one := same(bandwidth); one > 0 {
		s.rescale("link", "value", one)
	} else {
		own["link"] = true
	}
	for i := range groupings {
		g := &groupings[i]
		if one := g.bandwidth(bandwidth); one > 0 {
			s.rescale(g.kind, "mean", one)
			s.rescale(g.kind, "max", one)
		} else {
			own[g.kind] = true
		}
	}
	if len(own) == 0 {
		return
	}
	values = values.times(bandwidth)
	if own["link"] {
		s.addLinks(b, &throughput, values, from)
	}
	for i := range groupings {
		if g := &groupings[i]; own[g.kind] {
			s.addGroups(b, &throughput, g, values, from)
		}
	}
}

// rescale replaces the throughput matrix that corresponds to a utilization matrix. bandwidth
// (bytes/s) is that of every link.
func (s *growth) rescale(kind, how string, bandwidth float64) {
	if m := s.matrices[matrixKey(&linkStats[0], kind, how)]; m != nil {
		s.matrices[matrixKey(&throughput, kind, how)] = m.rescaled(bandwidth)
	}
}

// readPart adds to fresh the bins of a table that fall into columns from to to-1.
func (s *growth) readPart(b *builder, name string, from, to int, fresh []*cells) error {
	if i := slices.IndexFunc(s.parts, func(p readPart) bool { return p.name == name }); i >= 0 &&
		s.parts[i].beyond <= from*s.together {
		return nil
	}
	beyond := 0
	columns := []string{"link", "bin"}
	full := make([][]float64, len(linkStats))
	for i := range linkStats {
		columns = append(columns, linkStats[i].column)
		full[i] = b.fullLinks(&linkStats[i])
	}
	width := float64(s.interval * int64(s.together))
	err := scan(b.reader, name, columns, func(part [][]int64) {
		for i, link := range part[0] {
			beyond = max(beyond, int(part[1][i])+1)
			col := int(part[1][i])/s.together - from
			if link < 0 || int(link) >= len(b.rowOf) || col < 0 || col >= to-from {
				continue
			}
			row := int(b.rowOf[link])
			for k, c := range fresh {
				c.values[row*c.cols+col] += float32(float64(part[2+k][i]) / (full[k][row] * width))
			}
		}
	})
	if err != nil {
		return err
	}
	s.parts = slices.DeleteFunc(s.parts, func(p readPart) bool { return p.name == name })
	s.parts = append(s.parts, readPart{name, beyond})
	return nil
}

// addColumns adds new columns to the matrices of a statistic. from is the index of the first one.
func (s *growth) addColumns(b *builder, stat *stat, values *cells, from int) {
	s.addLinks(b, stat, values, from)
	for _, g := range b.groupings() {
		s.addGroups(b, stat, &g, values, from)
	}
}

func (s *growth) addLinks(b *builder, stat *stat, values *cells, from int) {
	rows, note := b.liveLinks(), ""
	if rows < b.links.rows {
		note = fmt.Sprintf(
			"%d links, evenly spread, of %d. At the end of the run: those that carried most.",
			rows, b.links.rows,
		)
	}
	s.addPart(
		b,
		stat,
		"link",
		"value",
		&cells{rows, values.cols, values.values[:rows*values.cols]},
		nil,
		note,
		from,
	)
}

func (s *growth) addGroups(b *builder, stat *stat, g *grouping, values *cells, from int) {
	mean, most := g.gather(values)
	s.addPart(b, stat, g.kind, "mean", mean, g.names, "", from)
	s.addPart(b, stat, g.kind, "max", most, g.names, "", from)
}

func (s *growth) addPart(
	b *builder,
	stat *stat,
	kind, how string,
	c *cells,
	names []string,
	note string,
	from int,
) {
	if c.rows == 0 {
		return
	}
	key := matrixKey(stat, kind, how)
	m := s.matrices[key]
	if m == nil {
		m = &Matrix{
			Title:    stat.title,
			Unit:     stat.unit,
			Rows:     c.rows,
			RowKind:  kind,
			RowNames: names,
			Scale:    1,
			Type:     "f32",
			Stat:     stat.name,
			How:      how,
			Note:     note,
		}
		if stat.name == "utilization" {
			m.Limit = 1
		}
		s.matrices[key] = m
	}
	part := MatrixPart{Cols: c.cols, Blob: fmt.Sprintf("%s.matrix.%s.%d", b.prefix, key, from)}
	part.Type, part.Scale = s.arrays.putCells(part.Blob, c)
	m.Parts = append(m.Parts, part)
	m.Cols += c.cols
}
