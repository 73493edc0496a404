package record

import (
	"fmt"
	"iter"

	"fabricast/internal/parquet"
)

// Columns yields the given numeric columns of a table in batches of rows: one slice for each
// column, valid until the next batch. Fractions are truncated. If reading fails, it yields a
// *TableError and stops. It is many times faster than Rows.
func Columns(r *Reader, table string, columns ...string) iter.Seq2[[][]int64, error] {
	return each(r, table, func(file *parquet.File) iter.Seq2[[][]int64, error] {
		return func(yield func([][]int64, error) bool) {
			ints := make([][]int64, len(columns))
			for values, err := range file.Batches(columns, batch) {
				for i, v := range values {
					if v.Texts != nil {
						err = fmt.Errorf("column %s is not of numbers", columns[i])
					}
					ints[i] = v.Ints
					for _, x := range v.Floats {
						ints[i] = append(ints[i], int64(x))
					}
				}
				if !yield(ints, err) {
					return
				}
			}
		}
	})
}

// Rows yields the rows of a table in order. If reading fails, it yields a *TableError and stops.
func Rows[Row any](r *Reader, table string) iter.Seq2[Row, error] {
	return each(r, table, parquet.Rows[Row])
}

// RowsBackward is like Rows, from the last row to the first.
func RowsBackward[Row any](r *Reader, table string) iter.Seq2[Row, error] {
	return each(r, table, parquet.RowsBackward[Row])
}

// each opens a table of a result folder, yields the values that read returns for it, and closes it.
func each[T any](r *Reader, table string, read func(*parquet.File) iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		t, err := r.Table(table)
		if err != nil {
			yield(none, err)
			return
		}
		defer t.Close()
		for v, err := range read(t.File) {
			if err != nil {
				yield(none, &TableError{table, err})
				return
			}
			if !yield(v, nil) {
				return
			}
		}
	}
}
