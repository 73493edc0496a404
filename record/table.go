package record

import (
	"errors"
	"iter"
	"os"
	"path/filepath"

	"fabricast/internal/parquet"
)

// batch is the number of rows to pass to a Parquet writer, or to read from a table, at once.
const batch = 4096

// WriteTable writes a table to the folder as a Parquet file, with metadata in the footer of the
// file.
func WriteTable[Row any](f *Folder, name string, rows iter.Seq[Row], metadata map[string]string) error {
	whole := filepath.Join(f.temp, name)
	file, err := os.Create(whole + unfinished)
	if err != nil {
		return err
	}
	w := parquet.NewTable[Row](file)
	for key, value := range metadata {
		w.SetMetadata(key, value)
	}
	err = writeRows(w, rows)
	if err := errors.Join(err, w.Close(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), whole)
}

// unfinished is the suffix of the name of a table that is being written, so that a report during
// the run does not read an incomplete table.
const unfinished = ".part"

func writeRows[Row any](w *parquet.Table[Row], rows iter.Seq[Row]) error {
	buffer := make([]Row, 0, batch)
	for row := range rows {
		if buffer = append(buffer, row); len(buffer) < batch {
			continue
		}
		if err := w.Write(buffer); err != nil {
			return err
		}
		buffer = buffer[:0]
	}
	return w.Write(buffer)
}
