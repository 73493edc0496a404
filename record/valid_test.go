package record

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestTooManyRows checks that a small file that claims to have a huge number of rows is rejected,
// because its readers would run out of memory.
func TestTooManyRows(t *testing.T) {
	path := result(t, whole)
	f := &Folder{temp: path}
	if err := WriteTable(f, LatencyTable, slices.Values(slices.Repeat([]Latency{{By: BySize}}, 1<<20)), nil); err != nil {
		t.Fatal(err)
	}
	var broken *TableError
	if _, err := open(t, path).Table(LatencyTable); !errors.As(err, &broken) ||
		!strings.Contains(err.Error(), "1048576 rows") {
		t.Errorf("a table of a million like rows: %v", err)
	}
}

// TestValuesAreChecked sets each column of each table to an invalid value, and checks that reading
// the table fails.
func TestValuesAreChecked(t *testing.T) {
	checked, columns := map[string]bool{}, 0
	f := func(err error, table, column, found string) {
		t.Helper()
		checked[table] = true
		columns++
		if want := "column " + column + ": row 1: found " + found; err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %s", table, err, want)
		}
	}
	checkColumns(t, f, LinksTable, Link{Kind: Between})
	checkColumns(t, f, RoutersTable, Router{C0: -1, C1: -1, C2: -1, C3: -1, C4: -1, C5: -1, C6: -1})
	checkColumns(t, f, NICsTable, NIC{})
	checkColumns(t, f, RanksTable, Rank{})
	checkColumns(t, f, LatencyTable, Latency{By: BySize})
	checkColumns(t, f, LinkBinsTable, LinkBin{})
	checkColumns(t, f, BufferBinsTable, BufferBin{})
	checkColumns(t, f, BufferLogTable, Passage{})
	checkColumns(t, f, MessagesTable, Message{Kind: MessageLocal})
	checkColumns(t, f, TimelineTable, Span{State: StateWait})
	checkColumns(t, f, CriticalPathTable, PathSegment{})
	checkColumns(t, f, StepsTable, Step{State: StateWait, Cause: CauseNone})
	checkColumns(t, f, CausesTable, Division{})
	checkColumns(t, f, HopsTable, Hop{})
	checkColumns(t, f, WaitsTable, Wait{})
	checkColumns(t, f, BlameTable, Blame{Matrix: BlameFlow})
	checkColumns(t, f, JobsTable, Job{})
	checkColumns(t, f, JobLinksTable, JobLink{})
	checkColumns(t, f, PausesTable, Pause{})
	checkColumns(t, f, FlowsTable, Flow{})
	checkColumns(t, f, FlowBinsTable, FlowBin{})
	if columns < 100 {
		t.Errorf("%d columns were checked", columns)
	}
	for table := range rowTypes {
		if !checked[table] {
			t.Errorf("no column of %s was checked: add a line above", table)
		}
	}
}

// checkColumns sets each column of a table to an invalid value, if there is one, and checks the
// error. row is a valid row.
func checkColumns[Row any](
	t *testing.T,
	f func(err error, table, column, found string),
	table string,
	row Row,
) {
	path := result(t, whole)
	kind := reflect.TypeFor[Row]()
	for i := range kind.NumField() {
		tag := kind.Field(i).Tag
		column, _, _ := strings.Cut(tag.Get("parquet"), ",")
		rows := []Row{row, row}
		for k := range rows { // set the index of the row, if the row type has one
			if first := reflect.ValueOf(&rows[k]).Elem().Field(0); tag.Get("holds") == "row" ||
				kind.Field(0).Tag.Get("holds") == "row" {
				first.SetInt(int64(k))
			}
		}
		harmed := reflect.ValueOf(&rows[1]).Elem().Field(i)
		switch kind.Field(i).Type.Kind() {
		case reflect.String:
			if tag.Get("holds") == "" {
				continue
			}
			harmed.SetString("x")
		case reflect.Float32, reflect.Float64:
			harmed.SetFloat(math.Inf(1))
		default:
			if tag.Get("holds") == "any" {
				continue
			}
			harmed.SetInt(-2)
		}
		folder := &Folder{temp: path}
		if err := WriteTable(folder, table, slices.Values(rows), nil); err != nil {
			t.Fatal(err)
		}
		found := fmt.Sprint(harmed.Interface())
		if harmed.Kind() == reflect.String {
			found = fmt.Sprintf("%q", found)
		}
		f(last[Row](open(t, path), table), table, column, found)
	}
}

// TestNetworksAndBinsAreChecked checks the messages for invalid values in network.json and
// bins.json.
func TestNetworksAndBinsAreChecked(t *testing.T) {
	f := func(name, text, want string) {
		t.Helper()
		path := result(t, whole)
		if err := (&Folder{temp: path}).Write(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
		r := open(t, path)
		b := r.Bins()
		if problems := strings.Join(r.Problems(), "; "); !strings.Contains(problems, want) || b != nil ||
			name == NetworkFile && r.Network() != nil {
			t.Errorf("%s: problems %q, expected %q", text, problems, want)
		}
	}
	network := func(fields, want string) {
		t.Helper()
		f(
			NetworkFile,
			`{"schema": "fabricast.network/1", "kind": "torus", "layout": "torus", `+fields+`}`,
			"network.json cannot be used: "+want,
		)
	}
	network(`"routers": -1`, "routers: found -1")
	network(`"routers": 4, "dims": [2, 3]`, "dims[1]: found 3")
	network(`"routers": 4, "dims": [2, 0]`, "dims[1]: found 0")
	network(`"routers": 4, "dims": [1, 1, 1, 1, 1, 1, 1, 1]`, "dims: found 8 dimensions")
	network(`"routers": 4, "dims": [4], "wrap": [true, true]`, "wrap: found 2")
	network(`"routers": 4, "outer": {"block": {"hosts": -7}}`, "outer.block.hosts: found -7")
	bins := func(fields, want string) {
		t.Helper()
		f(BinsFile, `{"schema": "fabricast.bins/1", `+fields+`}`, "bins.json cannot be used: "+want)
	}
	bins(`"interval_ps": 0, "count": 3`, "interval_ps: found 0")
	bins(`"interval_ps": 1000, "count": -3`, "count: found -3")
	bins(`"interval_ps": 4000000000000000000, "count": 3`, "count: found 3")
	bins(`"interval_ps": 1000, "count": 3, "end_ps": -1`, "end_ps: found -1")
	bins(
		`"interval_ps": 1000, "count": 3, "parts": ["link_bins/0000.parquet", "../../x.parquet"]`,
		`parts[1]: found "../../x.parquet"`,
	)
}

// TestUnknownTables checks that a file that is not a table of result folders cannot be opened as a
// table.
func TestUnknownTables(t *testing.T) {
	r := open(t, result(t, whole))
	for _, name := range []string{"", "x.parquet", ResultFile, "../" + LinksTable, "link_bins/../" + RanksTable} {
		if _, err := r.Table(name); err == nil || !strings.Contains(err.Error(), "not a table") {
			t.Errorf("table %q: %v", name, err)
		}
	}
}
