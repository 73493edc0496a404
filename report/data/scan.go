package data

import "fabricast/record"

// scan reads columns of numbers of a table and calls take for every few thousand rows, so that it
// needs little memory for a table of any length. The slices are valid until take returns.
func scan(folder *record.Reader, name string, names []string, take func(columns [][]int64)) error {
	for columns, err := range record.Columns(folder, name, names...) {
		if err != nil {
			return err
		}
		take(columns)
	}
	return nil
}
