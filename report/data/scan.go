package data

import "fabricast/record"

// piece is how many rows are read at once.
const piece = 8192

// scan reads integer columns of a table and calls take for every few thousand rows, so that it
// needs little memory for a table of any length. The slices are valid until take returns.
func scan(folder *record.Reader, name string, names []string, take func(columns [][]int64)) error {
	table, err := folder.Table(name)
	if err != nil {
		return err
	}
	defer table.Close()
	for columns, err := range table.Ints(names, piece) {
		if err != nil {
			return err
		}
		take(columns)
	}
	return nil
}
