package record

import (
	"errors"
	"fmt"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"

	"fabricast/internal/input"
	"fabricast/internal/parquet"
)

// Table is an open table of a result folder. Its columns match the fields of a Go row type. Every
// value is checked when it is read, because a folder may be damaged. Struct tags of the row type
// specify the valid values of a column:
//
//	holds:"row"             the number of the row itself
//	holds:"router"          the number of a router, link, NIC, rank or bin of the folder
//	holds:"router or none"  the same, or -1
//	holds:"number or none"  an integer from 0 on, or -1
//	holds:"of a b"          one of these words
//	holds:"any"             any value of the type except NaN and infinity
//
// Without a tag, any text is valid, and numbers are valid from 0 to 2^62 (integers) or 1e18
// (fractions).
type Table struct {
	*parquet.File
	file *os.File
	Kept []string // names of the columns that have a field in the row type
}

// Close closes the table's file.
func (t *Table) Close() error { return t.file.Close() }

// rowTypes maps the names of all tables of result folders to their row types.
var rowTypes = map[string]reflect.Type{
	LinksTable: reflect.TypeFor[Link](), RoutersTable: reflect.TypeFor[Router](),
	NICsTable:  reflect.TypeFor[NIC](),
	RanksTable: reflect.TypeFor[Rank](), LatencyTable: reflect.TypeFor[Latency](),
	LinkBinsTable:   reflect.TypeFor[LinkBin](),
	BufferBinsTable: reflect.TypeFor[BufferBin](), BufferLogTable: reflect.TypeFor[Passage](),
	MessagesTable: reflect.TypeFor[Message](), TimelineTable: reflect.TypeFor[Span](),
	StepsTable: reflect.TypeFor[Step](), CausesTable: reflect.TypeFor[Division](),
	HopsTable: reflect.TypeFor[Hop](), WaitsTable: reflect.TypeFor[Wait](), BlameTable: reflect.TypeFor[Blame](),
	CriticalPathTable: reflect.TypeFor[PathSegment](),
	JobsTable:         reflect.TypeFor[Job](), JobLinksTable: reflect.TypeFor[JobLink](),
	PausesTable: reflect.TypeFor[Pause](), FlowsTable: reflect.TypeFor[Flow](), FlowBinsTable: reflect.TypeFor[FlowBin](),
}

// neverEmpty lists the tables that have at least one row in every result.
var neverEmpty = []string{LinksTable, RoutersTable, NICsTable, RanksTable}

// laterColumns lists, by table, the columns that results of earlier versions may lack.
var laterColumns = map[string][]string{
	MessagesTable: {"class"},
	RanksTable:    {"wait_network_ps", "wait_serialization_ps", "network_waits"},
	RoutersTable:  {"c6"},
}

// earlierNames maps, by table, column names of earlier versions to their current names.
var earlierNames = map[string]map[string]string{
	LinksTable:   {"efficiency_fraction": "utilization_fraction"},
	RoutersTable: {"x": "draw_x", "y": "draw_y", "z": "draw_z"},
}

// Table opens the table with the given name, or a part of the link bins (see Bins.Parts). The
// caller must close it. Columns of earlier versions are renamed to their current names. The error
// is a *TableError.
func (r *Reader) Table(name string) (*Table, error) {
	kind := name
	switch {
	case rowTypes[name] != nil:
	case partsFolder == strings.TrimSuffix(name, "/"+path.Base(name)):
		kind = LinkBinsTable
	default:
		return nil, &TableError{name, errors.New("it is not a table of result folders")}
	}
	t, err := openTable(r.Path(name), kind)
	if err != nil {
		return nil, &TableError{name, err}
	}
	if err := t.expect(r, kind); err != nil {
		_ = t.Close() // it is only read
		return nil, &TableError{name, err}
	}
	return t, nil
}

// openTable opens a file as a table named kind, without checking its columns.
func openTable(path, kind string) (*Table, error) {
	file, size, err := input.Open(path, input.Table)
	if err != nil {
		return nil, err
	}
	table, err := parquet.Open(file, size)
	if err == nil && !tightlyPacked(kind) && table.NumRows() > mostRows(size) {
		err = fmt.Errorf(
			"found %d rows in %d bytes, expected at most %d",
			table.NumRows(), size, mostRows(size),
		)
	}
	if err != nil {
		_ = file.Close() // it is only read
		return nil, err
	}
	t := &Table{File: table, file: file}
	for i := range t.Columns {
		if now := earlierNames[kind][t.Columns[i].Name]; now != "" && t.column(now) == nil {
			t.Columns[i].Name = now
		}
	}
	return t, nil
}

// column returns the column with the given name; nil if there is none.
func (t *Table) column(name string) *parquet.Column {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &t.Columns[i]
		}
	}
	return nil
}

// mostRows returns the maximum plausible number of rows in a file of size bytes, so that a damaged
// file cannot cause unlimited memory use. A row with a unique index or time takes about a byte or
// more.
func mostRows(size int64) int64 { return 1<<12 + 4*size }

// tightlyPacked reports whether rows of a table may take much less than a byte. Such tables are
// never read into memory completely, so mostRows does not apply to them.
func tightlyPacked(kind string) bool { return kind == LinkBinsTable || kind == BufferBinsTable }

// expect returns an error if a column of the table is missing or has a wrong type. Otherwise it
// sets up the checks of values.
func (t *Table) expect(r *Reader, kind string) error {
	if slices.Contains(neverEmpty, kind) && t.NumRows() == 0 {
		return errors.New("found no rows, expected at least one")
	}
	row := rowTypes[kind]
	var missing []string
	for i := range row.NumField() {
		c := columnOf(row.Field(i))
		found := t.column(c.name)
		if found == nil {
			if !slices.Contains(laterColumns[kind], c.name) {
				missing = append(missing, c.name)
			}
			continue
		}
		if found.Optional || classOf(found.Kind) != c.class {
			return fmt.Errorf("column %s: found %s, expected %s", c.name, described(found), c.class)
		}
		found.Check = c.check(r)
		t.Kept = append(t.Kept, c.name)
	}
	if missing != nil {
		return fmt.Errorf("it has no columns %s", strings.Join(missing, ", "))
	}
	return nil
}
