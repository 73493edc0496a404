package record

import (
	"errors"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// batch is how many rows are handed to the Parquet writer at once.
const batch = 4096

// groupRows is how many rows a row group has: what the writer keeps in memory is bounded by that.
const groupRows = 1 << 18

// compression is that of all tables: the fastest, as it takes part of every run, and the others save little more.
var compression = &zstd.Codec{Level: zstd.SpeedFastest}

// WriteTable adds a table as a Parquet file; metadata is kept in its footer.
func WriteTable[Row any](f *Folder, name string, rows iter.Seq[Row], metadata map[string]string) error {
	file, err := os.Create(filepath.Join(f.temp, name))
	if err != nil {
		return err
	}
	options := []parquet.WriterOption{parquet.Compression(compression), parquet.MaxRowsPerRowGroup(groupRows)}
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		options = append(options, parquet.KeyValueMetadata(key, metadata[key]))
	}
	w := parquet.NewGenericWriter[Row](file, options...)
	err = writeRows(w, rows)
	return errors.Join(err, w.Close(), file.Close())
}

func writeRows[Row any](w *parquet.GenericWriter[Row], rows iter.Seq[Row]) error {
	buffer := make([]Row, 0, batch)
	for row := range rows {
		if buffer = append(buffer, row); len(buffer) < batch {
			continue
		}
		if _, err := w.Write(buffer); err != nil {
			return err
		}
		buffer = buffer[:0]
	}
	_, err := w.Write(buffer)
	return err
}
