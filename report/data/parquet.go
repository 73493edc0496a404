package data

import (
	"math"
	"slices"

	"fabricast/internal/parquet"
	"fabricast/record"
)

// readFrame reads a whole table of a folder into memory.
func readFrame(folder *record.Reader, name string) (*frame, error) {
	table, err := folder.Table(name)
	if err != nil {
		return nil, err
	}
	defer table.Close()
	f := &frame{rows: int(table.NumRows())}
	for _, about := range table.Columns {
		if !slices.Contains(table.Kept, about.Name) || f.has(about.Name) {
			continue
		}
		c, err := readColumn(table.File, &about)
		if err != nil {
			return nil, err
		}
		f.columns = append(f.columns, c)
	}
	return f, nil
}

// readColumn reads one column from all row groups.
func readColumn(table *parquet.File, about *parquet.Column) (*column, error) {
	c := &column{name: about.Name}
	switch about.Kind { // exactly one of the slices is not nil, even if the table has no rows
	case parquet.Text:
		c.codes = []int32{}
	case parquet.Float, parquet.Double:
		c.floats = []float64{}
	default:
		c.ints = []int64{}
	}
	numbers := map[string]int32{} // codes of the words so far
	for batch, err := range table.Batches([]string{about.Name}, math.MaxInt) {
		if err != nil {
			return nil, err
		}
		v := &batch[0]
		c.ints = append(c.ints, v.Ints...)
		c.floats = append(c.floats, v.Floats...)
		for _, s := range v.Texts {
			c.word(s, numbers)
		}
	}
	return c, nil
}
