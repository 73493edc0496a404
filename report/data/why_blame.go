package data

import (
	"cmp"
	"fmt"
	"slices"

	"fabricast/record"
)

// BlameMatrix tells for how long messages waited for others, by what both are. Its cells sum to the waits
// of all messages.
type BlameMatrix struct {
	Name    string      `json:"name"`  // a matrix of blame.parquet
	Title   string      `json:"title"` // in words
	Rows    []BlameLine `json:"rows"`  // of what waited, or of the link, by descending time; the rest is last
	Columns []BlameLine `json:"columns"`
	Cells   [][]int64   `json:"cells"` // ps
	Total   int64       `json:"total_ps"`
}

// BlameLine is a row or a column of a matrix.
type BlameLine struct {
	Kind string `json:"kind"` // rank, host, job, link, or others
	ID   int64  `json:"id"`   // number, or row in the table of links; for others how many they are
	Name string `json:"name"`
	Time int64  `json:"ps"`
}

// mostBlamed is the largest number of rows and columns of a matrix, but for the rest.
const mostBlamed = 24

// Kinds of lines.
const (
	lineRank   = "rank"
	lineHost   = "host"
	lineJob    = "job"
	lineLink   = "link"
	lineOthers = "others"
)

// blameKinds are the matrices, in the order of the page.
var blameKinds = []struct{ name, title, rows, columns string }{
	{record.BlameRank, "messages of rank (row) waited for messages of rank (column)", lineRank, lineRank},
	{record.BlameJob, "messages of job (row) waited for messages of job (column)", lineJob, lineJob},
	{record.BlameFlow, "messages of host (row) waited for messages of host (column)", lineHost, lineHost},
	{record.BlameLink, "waits for link (row), because of messages of host (column)", lineLink, lineHost},
	{record.BlameRoot, "waits whose root is link (row), because of messages of host (column)", lineLink, lineHost},
}

// blame returns the matrices of blame.parquet with their largest rows and columns. It reads the table
// twice, so that its memory does not depend on the number of cells.
func (b *builder) blame() []BlameMatrix {
	list := []BlameMatrix{}
	if !b.reader.Has(record.BlameTable) {
		return list
	}
	sums := map[string]*[2]map[int32]int64{}
	err := b.eachBlame(func(row *record.Blame) {
		if sums[row.Matrix] == nil {
			sums[row.Matrix] = &[2]map[int32]int64{{}, {}}
		}
		sums[row.Matrix][0][row.Source] += row.Wait
		sums[row.Matrix][1][row.HolderSource] += row.Wait
	})
	if err != nil {
		return list
	}
	places := map[string]*[2]map[int32]int{}
	for _, kind := range blameKinds {
		of := sums[kind.name]
		if of == nil {
			continue
		}
		m := BlameMatrix{Name: kind.name, Title: kind.title}
		places[kind.name] = &[2]map[int32]int{}
		m.Rows, places[kind.name][0] = b.lines(kind.rows, of[0])
		m.Columns, places[kind.name][1] = b.lines(kind.columns, of[1])
		m.Cells = make([][]int64, len(m.Rows))
		for i := range m.Cells {
			m.Cells[i] = make([]int64, len(m.Columns))
			m.Total += m.Rows[i].Time
		}
		list = append(list, m)
	}
	_ = b.eachBlame(func(row *record.Blame) {
		i := slices.IndexFunc(list, func(m BlameMatrix) bool { return m.Name == row.Matrix })
		if i < 0 {
			return
		}
		m, at := &list[i], places[row.Matrix]
		m.Cells[place(at[0], row.Source, len(m.Rows))][place(at[1], row.HolderSource, len(m.Columns))] += row.Wait
	})
	return list
}

// eachBlame calls take with every row of blame.parquet.
func (b *builder) eachBlame(take func(*record.Blame)) error {
	for row, err := range record.Rows[record.Blame](b.reader, record.BlameTable) {
		if err != nil {
			b.unreadable(record.BlameTable, err)
			return err
		}
		take(&row)
	}
	return nil
}

// place returns the line of an ID: one of its own, or the last.
func place(places map[int32]int, id int32, lines int) int {
	if at, found := places[id]; found {
		return at
	}
	return lines - 1
}

// lines returns the largest of the sums by ID, and the rest together, with the places of the former.
func (b *builder) lines(kind string, sums map[int32]int64) ([]BlameLine, map[int32]int) {
	ids := make([]int32, 0, len(sums))
	for id := range sums {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(x, y int32) int { return cmp.Or(cmp.Compare(sums[y], sums[x]), cmp.Compare(x, y)) })
	shown := ids
	if len(ids) > mostBlamed+1 {
		shown = ids[:mostBlamed]
	}
	lines, places := []BlameLine{}, map[int32]int{}
	for i, id := range shown {
		line := b.line(kind, id)
		line.Time = sums[id]
		lines, places[id] = append(lines, line), i
	}
	if rest := ids[len(shown):]; len(rest) > 0 {
		line := BlameLine{Kind: lineOthers, ID: int64(len(rest)), Name: counted(len(rest), "other")}
		for _, id := range rest {
			line.Time += sums[id]
		}
		lines = append(lines, line)
	}
	return lines, places
}

// line names a rank, host, job or link.
func (b *builder) line(kind string, id int32) BlameLine {
	switch {
	case kind == lineJob && int(id) < len(b.result.Jobs) && id >= 0:
		return BlameLine{Kind: kind, ID: int64(id), Name: b.result.Jobs[id].Name}
	case kind == lineLink && b.linkRow(id) >= 0:
		return BlameLine{Kind: kind, ID: b.linkRow(id), Name: b.linkName(int(b.linkRow(id)))}
	case kind == lineLink:
		return BlameLine{Kind: "", ID: int64(id), Name: fmt.Sprintf("link %d", id)}
	case kind == lineRank && id < 0:
		return BlameLine{Kind: "", ID: int64(id), Name: "traffic"}
	}
	return BlameLine{Kind: kind, ID: int64(id), Name: fmt.Sprintf("%s %d", kind, id)}
}
