package parquet

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"unsafe"

	"github.com/parquet-go/parquet-go/format"
)

const (
	// groupRows is the largest number of rows of a row group, which limits the memory of a writer.
	groupRows = 1 << 18
	// pageRows is the largest number of rows of a page. It divides groupRows. The open pages of all
	// columns should fit in a processor's cache.
	pageRows = 1 << 13
)

// Writer writes a table value by value.
type Writer struct {
	to      io.Writer
	out     *bufio.Writer // buffers writes to the file
	columns []columnWriter
	scratch scratch
	page    int   // rows in the open pages
	group   int64 // rows in the finished pages of the open row group
	offset  int64 // current length of the file
	footer  format.FileMetaData
	err     error
}

// NewWriter starts a table with the given columns.
func NewWriter(w io.Writer, columns []Column) *Writer {
	order := format.ColumnOrder{Value: &format.TypeDefinedOrder{}}
	t := &Writer{
		to: w, out: bufio.NewWriterSize(w, 1<<16), columns: make([]columnWriter, len(columns)),
		footer: format.FileMetaData{
			Version: 1, Schema: schemaOf(columns), CreatedBy: "fabricast",
			ColumnOrders: slices.Repeat([]format.ColumnOrder{order}, len(columns)),
		},
	}
	for i := range t.columns {
		t.columns[i].Column = columns[i]
		t.columns[i].begin()
	}
	t.write([]byte(magic))
	return t
}

// SetMetadata adds a key-value pair to the footer.
func (t *Writer) SetMetadata(key, value string) {
	t.footer.KeyValueMetadata = append(t.footer.KeyValueMetadata, format.KeyValue{Key: key, Value: value})
}

// Add adds a value to a column: an int64 for integers, a float64, a string, a bool, or nil for null
// in an Optional column.
func (t *Writer) Add(column int, value any) {
	c := &t.columns[column]
	level := byte(1)
	switch v := value.(type) {
	case int64:
		addInts[int64](c, unsafe.Pointer(&v), 1, 0)
	case float64:
		addFloats[float64](c, unsafe.Pointer(&v), 1, 0)
	case string:
		addTexts(c, unsafe.Pointer(&v), 1, 0)
	case bool:
		c.values = append(c.values, *(*byte)(unsafe.Pointer(&v)))
	case nil:
		level = 0
	}
	if c.Optional {
		c.levels = append(c.levels, level)
	}
}

// Rows ends n rows: before the call, n values must have been added to every column. A page must not
// have more than pageRows rows.
func (t *Writer) Rows(n int) error {
	if t.page += n; t.page >= pageRows {
		t.endPages()
	}
	if t.group >= groupRows {
		t.endGroup()
	}
	return t.err
}

func (t *Writer) endPages() {
	for i := range t.columns {
		t.columns[i].endPage(t.page, &t.scratch)
	}
	t.group += int64(t.page)
	t.page = 0
}

// endGroup writes the open row group.
func (t *Writer) endGroup() {
	if t.page > 0 {
		t.endPages()
	}
	if t.group == 0 {
		return
	}
	g := format.RowGroup{NumRows: t.group, FileOffset: t.offset, Ordinal: int16(len(t.footer.RowGroups))}
	for i := range t.columns {
		c := &t.columns[i]
		t.write(c.end(t.offset, &t.scratch))
		g.TotalByteSize += c.chunk.TotalUncompressedSize
		g.TotalCompressedSize += c.chunk.TotalCompressedSize
		g.Columns = append(g.Columns, format.ColumnChunk{MetaData: c.chunk})
		c.begin()
	}
	t.footer.RowGroups = append(t.footer.RowGroups, g)
	t.footer.NumRows += t.group
	t.group = 0
}

func (t *Writer) write(b []byte) {
	if t.err == nil {
		_, t.err = t.out.Write(b)
	}
	t.offset += int64(len(b))
}

// Close writes the remaining rows and the footer. It does not close the underlying writer.
func (t *Writer) Close() error {
	t.endGroup()
	slices.SortFunc(t.footer.KeyValueMetadata, func(a, b format.KeyValue) int {
		return strings.Compare(a.Key, b.Key)
	})
	end := encodeMetadata(&t.footer)
	t.write(binary.LittleEndian.AppendUint32(end, uint32(len(end))))
	t.write([]byte(magic))
	return errors.Join(t.err, t.out.Flush())
}
