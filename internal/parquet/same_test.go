package parquet

import (
	"bytes"
	"testing"
)

// TestSameGroups: row groups before that of the first row that differs are the same, and the rest of the
// file begins after them.
func TestSameGroups(t *testing.T) {
	type row struct {
		Time int64  `parquet:"time"`
		Name string `parquet:"name,dict"`
	}
	const count = 3*groupRows + 10
	file := func(count, changed int) *File {
		var out bytes.Buffer
		table := NewTable[row](&out)
		rows := make([]row, count)
		for i := range rows {
			rows[i] = row{int64(i) * 7 % 1000, [2]string{"a", "b"}[i%2]}
		}
		if changed >= 0 {
			rows[changed].Time++
		}
		if err := table.Write(rows); err != nil {
			t.Fatal(err)
		}
		if err := table.Close(); err != nil {
			t.Fatal(err)
		}
		f, err := Open(bytes.NewReader(out.Bytes()), int64(out.Len()))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	first := file(count, -1)
	for _, c := range []struct{ count, changed, want int }{
		{count, -1, 4},
		{count, 0, 0},
		{count, groupRows - 1, 0},
		{count, groupRows, 1},
		{count, count - 1, 3},
		{2 * groupRows, -1, 2},
		{groupRows + 1, -1, 1},
		{0, -1, 0},
	} {
		second := file(c.count, c.changed)
		groups, err := SameGroups(first, second)
		if err != nil || groups != c.want {
			t.Errorf("%+v: %d groups are the same, %v", c, groups, err)
		}
		rest, at := second.From(groups), min(groups*groupRows, c.count)
		if int(rest.NumRows()) != c.count-at {
			t.Errorf("%+v: %d rows are left", c, rest.NumRows())
		}
		for r, err := range Rows[row](rest) {
			want := int64(at) * 7 % 1000
			if at == c.changed {
				want++
			}
			if err != nil || r.Time != want {
				t.Fatalf("%+v: row %d is %+v, %v", c, at, r, err)
			}
			at++
		}
	}
}
