package sweep

import (
	"io"
	"math"

	"fabricast"
	"fabricast/internal/parquet"
)

// Parquet writes the table as a Parquet file. A column is boolean or double if all of its cells
// are, otherwise text. Cells without a value are null.
func (t *Table) Parquet(w io.Writer) error {
	columns := make([]parquet.Column, len(t.Columns))
	for i, name := range t.Columns {
		columns[i] = parquet.Column{Name: name, Kind: t.kind(i), Optional: true}
	}
	out := parquet.NewWriter(w, columns)
	out.SetMetadata("schema", Schema)
	out.SetMetadata("version", fabricast.FullVersion())
	for _, r := range t.Rows {
		for i, cell := range r.Cells {
			out.Add(i, value(cell, columns[i].Kind))
		}
		if err := out.Rows(1); err != nil {
			return err
		}
	}
	return out.Close()
}

// value converts a cell to a value of a column of the given type.
func value(cell any, kind parquet.Kind) any {
	switch {
	case missing(cell):
		return nil
	case kind == parquet.Text:
		return Cell(cell, 0)
	}
	return cell
}

func missing(cell any) bool {
	v, number := cell.(float64)
	return cell == nil || number && math.IsNaN(v)
}

// kind returns the type of a column.
func (t *Table) kind(column int) parquet.Kind {
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
		return parquet.Double
	case truths:
		return parquet.Bool
	}
	return parquet.Text
}
