package sweep

import (
	"errors"
	"io"
	"math"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"fabricast"
)

// Parquet writes the table as a Parquet file: a column is boolean or double if all of its
// cells are, and otherwise text. Cells that have no figure are null.
func (t *Table) Parquet(w io.Writer) error {
	group := parquet.Group{}
	for i, name := range t.Columns {
		group[name] = parquet.Compressed(parquet.Optional(t.kind(i)), &zstd.Codec{})
	}
	schema := parquet.NewSchema("sweep", group)
	out := parquet.NewWriter(w, schema,
		parquet.KeyValueMetadata("schema", Schema), parquet.KeyValueMetadata("version", fabricast.FullVersion()))
	// Columns of a group are in alphabetical order, so they are found by name.
	place := make([]int, len(t.Columns))
	for i, name := range t.Columns {
		leaf, _ := schema.Lookup(name)
		place[i] = leaf.ColumnIndex
	}
	for _, r := range t.Rows {
		row := make(parquet.Row, len(t.Columns))
		for i, cell := range r.Cells {
			row[place[i]] = t.cell(i, cell).Level(0, 1, place[i])
			if missing(cell) {
				row[place[i]] = parquet.NullValue().Level(0, 0, place[i])
			}
		}
		if _, err := out.WriteRows([]parquet.Row{row}); err != nil {
			return errors.Join(err, out.Close())
		}
	}
	return out.Close()
}

func missing(cell any) bool {
	v, number := cell.(float64)
	return cell == nil || number && math.IsNaN(v)
}

// kind is the type of a column.
func (t *Table) kind(column int) parquet.Node {
	numbers, truths := true, true
	for _, r := range t.Rows {
		if cell := r.Cells[column]; !missing(cell) {
			_, number := cell.(float64)
			_, truth := cell.(bool)
			numbers, truths = numbers && number, truths && truth
		}
	}
	switch {
	case numbers:
		return parquet.Leaf(parquet.DoubleType)
	case truths:
		return parquet.Leaf(parquet.BooleanType)
	}
	return parquet.String()
}

func (t *Table) cell(column int, cell any) parquet.Value {
	if t.kind(column).Type().Kind() == parquet.ByteArray {
		return parquet.ByteArrayValue([]byte(Cell(cell, 0)))
	}
	switch v := cell.(type) {
	case float64:
		return parquet.DoubleValue(v)
	case bool:
		return parquet.BooleanValue(v)
	}
	return parquet.NullValue()
}
