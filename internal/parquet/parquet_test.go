package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	library "github.com/parquet-go/parquet-go"
	codecs "github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/format"
	"pgregory.net/rapid"
)

// row has a column of every type and coding.
type row struct {
	I8  int8    `parquet:"i8"`
	I16 int16   `parquet:"i16"`
	I32 int32   `parquet:"i32"`
	I64 int64   `parquet:"i64"`
	D32 int32   `parquet:"d32,delta"`
	D64 int64   `parquet:"d64,delta"`
	F32 float32 `parquet:"f32"`
	F64 float64 `parquet:"f64"`
	S   string  `parquet:"s"`
	T   string  `parquet:"t,dict"`
}

// drawRows draws a table: its columns are constant, slowly growing, of few values, or wild.
func drawRows(t *rapid.T) []row {
	n := rapid.SampledFrom([]int{0, 1, 2, 7, 8, 9, 127, 128, 129, 130, 300, readRows + 1, pageRows + 5}).
		Draw(t, "rows")
	rows := make([]row, n)
	seed := rapid.Uint64().Draw(t, "seed")
	var shapes [10]int
	for i := range shapes {
		shapes[i] = rapid.IntRange(0, 3).Draw(t, "shape")
	}
	words := []string{"", "a", "wait", "émission", strings.Repeat("long", 50)}
	for i := range rows {
		draw := func(column int) uint64 {
			seed = seed*6364136223846793005 + 1442695040888963407
			v := seed ^ seed>>29
			return [4]uint64{7, uint64(i), uint64(i) / 9 % 3, v}[shapes[column]]
		}
		rows[i] = row{
			int8(draw(0)), int16(draw(1)), int32(draw(2)), int64(draw(3)), int32(draw(4)), int64(draw(5)),
			float32(int32(draw(6))) / 3, math.Float64frombits(draw(7) &^ (1 << 62)),
			fmt.Sprint(draw(8)), words[draw(9)%uint64(len(words))],
		}
	}
	return rows
}

func written(t interface{ Fatal(...any) }, rows []row, metadata map[string]string) []byte {
	var b bytes.Buffer
	w := NewTable[row](&b)
	for key, value := range metadata {
		w.SetMetadata(key, value)
	}
	if err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// readBack reads a table by Rows.
func readBack(b []byte) (rows []row, f *File, err error) {
	if f, err = Open(bytes.NewReader(b), int64(len(b))); err != nil {
		return nil, nil, err
	}
	for r, err := range Rows[row](f) {
		if err != nil {
			return rows, f, err
		}
		rows = append(rows, r)
	}
	return rows, f, nil
}

// TestWrittenIsRead demands of random tables that this package and the library read what was
// written.
func TestWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := drawRows(t)
		b := written(t, rows, map[string]string{"seed": "7", "schema": "x/1"})
		got, f, err := readBack(b)
		if err != nil || !slices.Equal(got, rows) {
			t.Fatalf("read %d rows of %d, %v", len(got), len(rows), err)
		}
		if f.NumRows() != int64(len(rows)) {
			t.Fatalf("%d rows, want %d", f.NumRows(), len(rows))
		}
		other, err := library.Read[row](bytes.NewReader(b), int64(len(b)))
		if err != nil || !slices.Equal(other, rows) {
			t.Fatalf("the library read %d rows of %d, %v", len(other), len(rows), err)
		}
		theirs, err := library.OpenFile(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		if pairs := theirs.Metadata().KeyValueMetadata; len(pairs) != 2 || pairs[1] != (format.KeyValue{Key: "seed", Value: "7"}) {
			t.Fatalf("metadata %v", pairs)
		}
	})
}

// TestChecksSeeAll demands of random tables that a check sees every value with its row, and that
// its error ends reading.
func TestChecksSeeAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := drawRows(t)
		b := written(t, rows, nil)
		f, err := Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		bad := rapid.Int64Range(0, int64(len(rows))).Draw(t, "row that is refused")
		seen := int64(0)
		at := slices.IndexFunc(f.Columns, func(c Column) bool { return c.Name == "i64" })
		f.Columns[at].Check = func(row int64, v *Values) error {
			for i, x := range v.Ints {
				if at := row + int64(i); at != seen || x != rows[at].I64 {
					t.Fatalf("row %d after %d rows: %d", at, seen, x)
				}
				if seen++; seen > bad {
					return fmt.Errorf("row %d", bad)
				}
			}
			return nil
		}
		err = nil
		for _, err = range Rows[row](f) {
		}
		if bad < int64(len(rows)) {
			if err == nil || err.Error() != fmt.Sprintf("column i64: row %d", bad) {
				t.Fatalf("row %d is refused: %v", bad, err)
			}
		} else if err != nil || seen != bad {
			t.Fatalf("%d rows of %d were checked, %v", seen, bad, err)
		}
	})
}

// TestPagesFitTheFile demands that columns cannot have the same pages, by which a small file would
// take any time to read.
func TestPagesFitTheFile(t *testing.T) {
	b := written(t, drawn(300), nil)
	f, err := Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		f.footer.RowGroups = append(f.footer.RowGroups, f.footer.RowGroups[0])
		f.footer.NumRows += 300
	}
	end := encodeMetadata(&f.footer)
	b = append(b[:len(b)-8], end...)
	b = append(binary.LittleEndian.AppendUint32(b, uint32(len(end))), magic...)
	if _, err := Open(bytes.NewReader(b), int64(len(b))); !errors.Is(err, errBroken) {
		t.Errorf("21 row groups with the same pages: %v", err)
	}
}

// drawn are some rows.
func drawn(n int) []row {
	rows := make([]row, n)
	for i := range rows {
		rows[i] = row{I64: int64(i) * 0x9e3779b97f4a7c1, F64: float64(i) / 7, S: fmt.Sprint(i * i)}
	}
	return rows
}

// TestLibrarysAreRead demands of random tables that what the library wrote, as earlier versions let
// it, is read.
func TestLibrarysAreRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := drawRows(t)
		codec := rapid.SampledFrom([]codecs.Codec{&library.Zstd, &library.Uncompressed}).Draw(t, "codec")
		version := rapid.IntRange(1, 2).Draw(t, "version of pages")
		var b bytes.Buffer
		w := library.NewGenericWriter[row](&b, library.Compression(codec), library.DataPageVersion(version),
			library.MaxRowsPerRowGroup(rapid.Int64Range(100, 50000).Draw(t, "row group")))
		if _, err := w.Write(rows); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got, f, err := readBack(b.Bytes())
		if err != nil || !slices.Equal(got, rows) {
			t.Fatalf("read %d rows of %d, %v", len(got), len(rows), err)
		}
		at := 0
		for columns, err := range f.Batches([]string{"d64", "f32", "i8"}, 1000) {
			if err != nil {
				t.Fatal(err)
			}
			a, b, c := columns[0].Ints, columns[1].Floats, columns[2].Ints
			for i := range a {
				if r := rows[at+i]; a[i] != r.D64 || b[i] != float64(r.F32) || c[i] != int64(r.I8) {
					t.Fatalf("row %d: %d %g %d, want %v", at+i, a[i], b[i], c[i], r)
				}
			}
			at += len(a)
		}
		if at != len(rows) {
			t.Fatalf("%d rows in batches, want %d", at, len(rows))
		}
	})
}

// TestNulls demands of random columns with nulls that the library reads what was written, and that
// this package says that it does not.
func TestNulls(t *testing.T) {
	type nullable struct {
		N *float64 `parquet:"n,optional"`
		B *bool    `parquet:"b,optional"`
		S *string  `parquet:"s,optional"`
	}
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.SliceOfN(rapid.IntRange(0, 15), 0, 300).Draw(t, "cells")
		var b bytes.Buffer
		w := NewWriter(
			&b,
			[]Column{
				{Name: "n", Kind: Double, Optional: true},
				{Name: "b", Kind: Bool, Optional: true},
				{Name: "s", Kind: Text, Optional: true},
			},
		)
		for _, c := range cells {
			set := []func(){
				func() { w.Add(0, float64(c)) },
				func() { w.Add(1, c > 7) },
				func() { w.Add(2, fmt.Sprint(c)) },
			}
			for i := range set {
				if c>>i&1 == 0 {
					w.Add(i, nil)
				} else {
					set[i]()
				}
			}
			if err := w.Rows(1); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		rows, err := library.Read[nullable](bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil || len(rows) != len(cells) {
			t.Fatalf("the library read %d rows, %v", len(rows), err)
		}
		for i, c := range cells {
			r := rows[i]
			if (r.N != nil) != (c&1 != 0) || (r.B != nil) != (c&2 != 0) || (r.S != nil) != (c&4 != 0) ||
				r.N != nil && *r.N != float64(c) || r.B != nil && *r.B != (c > 7) || r.S != nil && *r.S != fmt.Sprint(c) {
				t.Fatalf("row %d is %v, want %d", i, r, c)
			}
		}
		f, err := Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range f.Columns {
			if !c.Optional {
				t.Fatalf("column %s is read as one that cannot be null", c.Name)
			}
			for _, err := range f.Batches([]string{c.Name}, 100) {
				if err == nil {
					t.Fatalf("column %s is read", c.Name)
				}
			}
		}
	})
}

// TestRowGroups demands that a long table has several row groups, each with its least and greatest
// values.
func TestRowGroups(t *testing.T) {
	type one struct {
		V int64 `parquet:"v"`
	}
	rows := make([]one, 2*groupRows+3)
	for i := range rows {
		rows[i].V = int64(i) - 5
	}
	var b bytes.Buffer
	w := NewTable[one](&b)
	if err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := library.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil || len(f.RowGroups()) != 3 {
		t.Fatalf("%d row groups, %v", len(f.RowGroups()), err)
	}
	low, high, known := f.RowGroups()[1].ColumnChunks()[0].(*library.FileColumnChunk).Bounds()
	if !known || low.Int64() != groupRows-5 || high.Int64() != 2*groupRows-6 {
		t.Errorf("bounds of the second row group: %v, %v, %v", low, high, known)
	}
	own, err := Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	left := len(rows)
	for row, err := range RowsBackward[one](own) {
		if left--; err != nil || row != rows[left] {
			t.Fatalf("row %d, read backward: %v, %v", left, row, err)
		}
	}
	if left != 0 {
		t.Errorf("%d rows are left", left)
	}
}

// TestNestedColumnsAreRefused demands that a file with columns of lists or structures is refused by
// the name of one.
func TestNestedColumnsAreRefused(t *testing.T) {
	type list struct {
		V    int64   `parquet:"v"`
		List []int64 `parquet:"list"`
	}
	type outer struct {
		V  int64 `parquet:"v"`
		In struct {
			A int32 `parquet:"a"`
		} `parquet:"in"`
	}
	refused(t, "list", []list{{1, []int64{3, 4}}, {2, nil}})
	refused(t, "in", []outer{{V: 1}})
}

func refused[Row any](t *testing.T, named string, rows []Row) {
	t.Helper()
	var b bytes.Buffer
	if err := library.Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	_, err := Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err == nil || !strings.Contains(err.Error(), "column "+named+" ") {
		t.Errorf("%v, expected column %s to be refused", err, named)
	}
}

// readAll reads whatever can be read of a file.
func readAll(b []byte) {
	_, f, err := readBack(b)
	if err != nil && f == nil {
		return
	}
	for _, c := range f.Columns {
		for range f.Batches([]string{c.Name}, 100) {
		}
	}
}

// TestBrokenFiles demands that no damage to a file makes the reader panic.
func TestBrokenFiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := drawRows(t)
		rows = rows[:min(len(rows), 200)]
		b := written(t, rows, nil)
		if rapid.Bool().Draw(t, "library's") {
			var other bytes.Buffer
			if err := library.Write(&other, rows); err != nil {
				t.Fatal(err)
			}
			b = other.Bytes()
		}
		for range rapid.IntRange(1, 4).Draw(t, "faults") {
			b[rapid.IntRange(0, len(b)-1).Draw(t, "place")] = rapid.Byte().Draw(t, "byte")
		}
		readAll(b[rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(t, "cut"):])
	})
}

func FuzzOpen(f *testing.F) {
	f.Add(
		written(f, []row{{S: "a", T: "b", D64: 5}, {S: "c", T: "b", D64: 900}}, map[string]string{"a": "b"}),
	)
	var other bytes.Buffer
	if err := library.Write(&other, []row{{S: "a", T: "b", D64: 5}, {S: "c", T: "b", D64: 900}}); err != nil {
		f.Fatal(err)
	}
	f.Add(other.Bytes())
	f.Fuzz(func(_ *testing.T, b []byte) { readAll(b) })
}
