package data

import "fabricast/record"

// scan reads numeric columns of a table and calls take for every few thousand rows, so that memory
// use does not grow with the table. The slices are valid until take returns.
func scan(folder *record.Reader, name string, names []string, take func(columns [][]int64)) error {
	for columns, err := range record.Columns(folder, name, names...) {
		if err != nil {
			return err
		}
		take(columns)
	}
	return nil
}
