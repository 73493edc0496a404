package record

import (
	"iter"

	"fabricast/internal/parquet"
)

// Different yields the rows of a table in two folders, from a row on up to which they are the same. Equal
// groups of rows at the beginning are compared byte by byte, and not decoded.
func Different[Row any](a, b *Reader, table string) (left, right iter.Seq2[Row, error], err error) {
	same, err := sameGroups(a, b, table)
	if err != nil {
		return nil, nil, err
	}
	rest := func(f *parquet.File) iter.Seq2[Row, error] { return parquet.Rows[Row](f.From(same)) }
	return each(a, table, rest), each(b, table, rest), nil
}

// sameGroups returns how many groups of rows at the beginning of a table are the same in two folders.
func sameGroups(a, b *Reader, table string) (int, error) {
	left, err := a.Table(table)
	if err != nil {
		return 0, err
	}
	defer left.Close()
	right, err := b.Table(table)
	if err != nil {
		return 0, err
	}
	defer right.Close()
	same, err := parquet.SameGroups(left.File, right.File)
	if err != nil {
		return 0, &TableError{table, err}
	}
	return same, nil
}
