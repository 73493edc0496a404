package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go/format"
)

// magic is the marker at the start and the end of a file.
const magic = "PAR1"

// File is a Parquet file opened for reading. Its columns may be renamed and be given checks.
type File struct {
	Columns []Column
	in      io.ReaderAt
	size    int64
	footer  format.FileMetaData
	first   int64 // number of the first row
}

// Open reads the footer of a file of size bytes. It returns an error if the footer is damaged.
func Open(in io.ReaderAt, size int64) (*File, error) {
	const tail = 8 // bytes: the size of the footer, and the marker
	f := &File{in: in, size: size}
	end, err := f.read(size-tail, tail)
	if err != nil || string(end[4:]) != magic {
		return nil, errors.Join(errors.New("its end is not that of a Parquet file"), err)
	}
	length := int64(binary.LittleEndian.Uint32(end))
	text, err := f.read(size-tail-length, length)
	if err != nil {
		return nil, err
	}
	if _, err = decodeMetadata(text, &f.footer); err != nil {
		return nil, err
	}
	if f.Columns, err = columnsOf(f.footer.Schema); err != nil {
		return nil, err
	}
	return f, f.consistent()
}

// read reads n bytes of the file.
func (f *File) read(from, n int64) ([]byte, error) {
	if from < 0 || n < 0 || n > f.size || from > f.size-n {
		return nil, errBroken
	}
	b := make([]byte, n)
	_, err := f.in.ReadAt(b, from)
	return b, err
}

// consistent returns an error if parts of the footer contradict each other, or if the pages of all
// columns together are larger than the file. So reading all pages takes no more memory than that.
func (f *File) consistent() error {
	rows, size := f.footer.NumRows, f.size
	for _, g := range f.footer.RowGroups {
		if len(g.Columns) != len(f.Columns) || g.NumRows < 0 || g.NumRows > rows {
			return errBroken
		}
		rows -= g.NumRows
		for i := range g.Columns {
			m := &g.Columns[i].MetaData
			if m.NumValues != g.NumRows || m.Type != f.Columns[i].Kind ||
				m.TotalCompressedSize < 0 || m.TotalCompressedSize > size {
				return errBroken
			}
			size -= m.TotalCompressedSize
		}
	}
	if rows != 0 {
		return errBroken
	}
	return nil
}

// NumRows returns the number of rows of the table.
func (f *File) NumRows() int64 { return f.footer.NumRows }

// Batches yields columns in batches of up to size rows. No column may be Optional. The slice is
// valid until the next batch. The sequence ends after an error.
func (f *File) Batches(names []string, size int) iter.Seq2[[]Values, error] {
	return func(yield func([]Values, error) bool) {
		readers, err := f.readers(names)
		if err != nil {
			yield(nil, err)
			return
		}
		batch := make([]Values, len(names))
		for left := f.NumRows(); left > 0; {
			n := size
			for i := range readers {
				if err := readers[i].fill(f); err != nil {
					yield(nil, fmt.Errorf("column %s: %w", names[i], err))
					return
				}
				n = min(n, readers[i].ahead.Len())
			}
			for i := range readers {
				batch[i] = readers[i].ahead.cut(n)
			}
			if !yield(batch, nil) {
				return
			}
			left -= int64(n)
		}
	}
}

// group yields columns of row group g, whose first row is `first`, like Batches.
func (f *File) group(g int, first int64, names []string, size int) iter.Seq2[[]Values, error] {
	one := *f
	one.footer.RowGroups, one.footer.NumRows = f.footer.RowGroups[g:g+1], f.footer.RowGroups[g].NumRows
	one.first = first
	return one.Batches(names, size)
}

// columnReader reads the pages of one column.
type columnReader struct {
	Column
	number     int
	group      int // the next row group
	codec      format.CompressionCodec
	rest       []byte // pages of the current row group that have not been read yet
	left       int64  // number of their values
	row        int64  // row of the next value
	dictionary []string
	ahead      Values // values of the current page that have not been taken
}

func (f *File) readers(names []string) ([]columnReader, error) {
	readers := make([]columnReader, len(names))
	var missing []string
	for i, name := range names {
		k := slices.IndexFunc(f.Columns, func(c Column) bool { return c.Name == name })
		if k < 0 {
			missing = append(missing, name)
			continue
		}
		if readers[i] = (columnReader{Column: f.Columns[k], number: k, row: f.first}); f.Columns[k].Optional {
			return nil, fmt.Errorf("column %s may be null, which cannot be read", name)
		}
	}
	if missing != nil {
		return nil, fmt.Errorf("it has no columns %s", strings.Join(missing, ", "))
	}
	return readers, nil
}

// fill reads the next page with values once all values of the current one have been taken.
func (r *columnReader) fill(f *File) (err error) {
	for r.ahead.Len() == 0 && err == nil {
		switch {
		case r.left > 0:
			err = r.page()
		case r.group < len(f.footer.RowGroups):
			m := &f.footer.RowGroups[r.group].Columns[r.number].MetaData
			begin := m.DataPageOffset
			if m.DictionaryPageOffset > 0 {
				begin = min(begin, m.DictionaryPageOffset)
			}
			r.group++
			r.codec, r.left = m.Codec, m.NumValues
			r.rest, err = f.read(begin, m.TotalCompressedSize)
		default:
			err = io.ErrUnexpectedEOF
		}
	}
	return err
}

// page reads a page. Index pages are ignored and have no values.
func (r *columnReader) page() error {
	var h format.PageHeader
	rest, err := decodeMetadata(r.rest, &h)
	if err != nil {
		return err
	}
	values, encoding, codec, levels := int32(0), Plain, r.codec, 0
	switch h.Type {
	case format.DataPage:
		values, encoding = h.DataPageHeader.V.NumValues, h.DataPageHeader.V.Encoding
	case format.DictionaryPage:
		values = h.DictionaryPageHeader.V.NumValues
	case format.DataPageV2:
		d := &h.DataPageHeaderV2.V
		values, encoding = d.NumValues, d.Encoding
		levels = int(d.DefinitionLevelsByteLength) + int(d.RepetitionLevelsByteLength)
		if d.IsCompressed.Valid && !d.IsCompressed.V {
			codec = format.Uncompressed
		}
	}
	packed, size := int(h.CompressedPageSize), int(h.UncompressedPageSize)
	if packed < 0 || packed > len(rest) || size < 0 || size > maxPage || levels < 0 ||
		levels > min(packed, size) || values < 0 || values > maxValues {
		return errBroken
	}
	r.rest = rest[packed:]
	if values == 0 {
		return nil
	}
	body, err := decompress(codec, rest[levels:packed], size-levels) // levels are not compressed
	if err != nil {
		return err
	}
	v, err := decodeValues(r.Kind, encoding, body, int(values), r.dictionary)
	if err != nil {
		return err
	}
	if h.Type == format.DictionaryPage {
		r.dictionary = v.Texts
		return nil
	}
	return r.accept(v)
}

// accept checks the values of a page.
func (r *columnReader) accept(v Values) error {
	row, n := r.row, int64(v.Len())
	if r.row, r.left = row+n, r.left-n; r.left < 0 {
		return errBroken
	}
	r.ahead = v
	if r.Check == nil {
		return nil
	}
	return r.Check(row, &v)
}
