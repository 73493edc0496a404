package parquet

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"math"
	"math/bits"
	"slices"
)

const (
	// groupRows is the largest number of rows of a row group, which bounds the memory of a writer.
	groupRows = 1 << 18
	// pageRows is the largest number of rows of a page. It divides groupRows.
	pageRows = 1 << 15
)

// Writer writes a table row by row, or several values of a column at a time. Within each page of
// pageRows rows, all columns must get the same number of values before Rows is called.
type Writer struct {
	to       io.Writer
	out      *bufio.Writer // to it
	columns  []columnWriter
	page     int // rows in the open pages
	group    int64
	offset   int64
	footer   footer
	metadata map[string]string
	err      error
}

// columnWriter collects the values of a column.
type columnWriter struct {
	Column
	values Values   // of the open page, without nulls
	levels []uint32 // of the open page of a nullable column: 0 for null

	words    map[string]uint32 // codes of the dictionary's entries
	entries  []string
	pages    []byte // finished pages of the open row group, with headers
	chunk    chunk
	extremes extremes
}

// extremes holds the least and the greatest value of an integer column.
type extremes struct{ least, greatest int64 }

// NewWriter starts a table with the given columns.
func NewWriter(w io.Writer, columns []Column) *Writer {
	t := &Writer{
		to: w, out: bufio.NewWriterSize(w, 1<<16), columns: make([]columnWriter, len(columns)),
		footer: footer{
			Version: 1, Schema: schemaOf(columns), Groups: []group{}, Creator: "fabricast",
			Orders: slices.Repeat([]order{{Type: &struct{}{}}}, len(columns)),
		},
		metadata: map[string]string{},
	}
	for i := range t.columns {
		t.columns[i].Column = columns[i]
		t.columns[i].begin()
	}
	t.write([]byte(magic))
	return t
}

// begin starts a row group.
func (c *columnWriter) begin() {
	c.chunk = chunk{
		Kind: int32(c.Kind), Codec: codecZstd, Path: []string{c.Name}, Statistics: &statistics{},
		Encodings: []int32{encodeRLE, encodePlain},
	}
	if c.Coding != Plain {
		c.chunk.Encodings = append(c.chunk.Encodings, c.encoding())
	}
	c.extremes = extremes{least: math.MaxInt64, greatest: math.MinInt64}
	c.pages, c.entries, c.words = c.pages[:0], nil, map[string]uint32{}
}

// encoding returns the encoding of the column's values.
func (c *columnWriter) encoding() int32 {
	return [...]int32{Plain: encodePlain, Dictionary: encodeDictionary, Delta: encodeDelta}[c.Coding]
}

// SetMetadata adds a key-value pair to the footer.
func (t *Writer) SetMetadata(key, value string) { t.metadata[key] = value }

// Null adds a null to a nullable column.
func (t *Writer) Null(column int) {
	c := &t.columns[column]
	c.levels = append(c.levels, 0)
	c.chunk.Statistics.Nulls++
}

// Int adds an integer to a column of kind Int32 or Int64.
func (t *Writer) Int(column int, v int64) {
	c := t.present(column)
	c.values.Ints = append(c.values.Ints, v)
}

// Truth adds a value to a column of kind Bool.
func (t *Writer) Truth(column int, v bool) {
	bit := int64(0)
	if v {
		bit = 1
	}
	t.Int(column, bit)
}

// Double adds a value to a column of kind Float or Double.
func (t *Writer) Double(column int, v float64) {
	c := t.present(column)
	c.values.Floats = append(c.values.Floats, v)
}

// Text adds a value to a column of kind Text.
func (t *Writer) Text(column int, s string) {
	c := t.present(column)
	c.values.Texts = append(c.values.Texts, s)
}

// present records that a value of a column is not null.
func (t *Writer) present(column int) *columnWriter {
	c := &t.columns[column]
	if c.Optional {
		c.levels = append(c.levels, 1)
	}
	return c
}

// Rows ends n rows: every column must have got n further values. At most room() rows may be added
// at once.
func (t *Writer) Rows(n int) error {
	t.page += n
	if t.page >= pageRows {
		t.endPages()
	}
	if t.group >= groupRows {
		t.endGroup()
	}
	return t.err
}

// room returns how many more rows the open pages can hold.
func (t *Writer) room() int { return pageRows - t.page }

func (t *Writer) endPages() {
	for i := range t.columns {
		t.columns[i].endPage(t.page)
	}
	t.group += int64(t.page)
	t.page = 0
}

// endPage encodes and compresses the open page.
func (c *columnWriter) endPage(rows int) {
	var body []byte
	if c.Optional {
		levels := runs(nil, c.levels, 1)
		body = append(binary.LittleEndian.AppendUint32(nil, uint32(len(levels))), levels...)
	}
	switch v := &c.values; c.Coding {
	case Dictionary:
		codes := c.codes()
		width := max(1, bits.Len(uint(max(0, len(c.words)-1))))
		body = runs(append(body, byte(width)), codes, width)
	case Delta:
		body = deltas(body, c.Kind, v.Ints)
	default:
		body = plain(body, c.Kind, v)
	}
	for _, v := range c.values.Ints {
		c.extremes = extremes{min(c.extremes.least, v), max(c.extremes.greatest, v)}
	}
	c.pages = c.chunk.page(c.pages, pageHeader{Kind: pageData, Data: &dataHeader{
		Values: int32(rows), Encoding: c.encoding(), Definition: encodeRLE, Repetition: encodeRLE,
	}}, body)
	c.chunk.Values += int64(rows)
	c.levels = c.levels[:0]
	c.values = Values{c.values.Ints[:0], c.values.Floats[:0], c.values.Texts[:0]}
}

// codes returns the open page's codes in the dictionary, which it extends.
func (c *columnWriter) codes() []uint32 {
	codes := make([]uint32, len(c.values.Texts))
	for i, s := range c.values.Texts {
		code, known := c.words[s]
		if !known {
			code = uint32(len(c.words))
			c.words[s] = code
			c.entries = append(c.entries, s)
		}
		codes[i] = code
	}
	return codes
}

// page appends a page with its header to to, and adds its size to the chunk's.
func (c *chunk) page(to []byte, h pageHeader, body []byte) []byte {
	packed := compress(body)
	h.Uncompressed, h.Compressed = int32(len(body)), int32(len(packed))
	head := encodeThrift(&h)
	c.Uncompressed += int64(len(head) + len(body))
	c.Compressed += int64(len(head) + len(packed))
	return append(append(to, head...), packed...)
}

// endGroup writes the open row group.
func (t *Writer) endGroup() {
	if t.page > 0 {
		t.endPages()
	}
	if t.group == 0 {
		return
	}
	g := group{Rows: t.group, Offset: t.offset, Number: int16(len(t.footer.Groups))}
	for i := range t.columns {
		meta := t.columns[i].end(t)
		g.Bytes += meta.Uncompressed
		g.Compressed += meta.Compressed
		g.Chunks = append(g.Chunks, columnChunk{Meta: &meta})
	}
	t.footer.Groups = append(t.footer.Groups, g)
	t.footer.Rows += t.group
	t.group = 0
}

// end writes the column's part of a row group, and starts the next.
func (c *columnWriter) end(t *Writer) chunk {
	if c.Coding == Dictionary {
		c.chunk.Dictionary = new(t.offset)
		t.write(c.chunk.page(nil, pageHeader{Kind: pageDictionary, Dictionary: &dictionaryHeader{
			Values: int32(len(c.entries)), Encoding: encodePlain,
		}}, plain(nil, Text, &Values{Texts: c.entries})))
	}
	if e := c.extremes; c.Kind != Bool && e.least <= e.greatest {
		c.chunk.Statistics.Greatest = new(string(plain(nil, c.Kind, &Values{Ints: []int64{e.greatest}})))
		c.chunk.Statistics.Least = new(string(plain(nil, c.Kind, &Values{Ints: []int64{e.least}})))
	}
	c.chunk.Data = t.offset
	t.write(c.pages)
	meta := c.chunk
	c.begin()
	return meta
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
	for _, key := range slices.Sorted(maps.Keys(t.metadata)) {
		t.footer.Pairs = append(t.footer.Pairs, pair{key, t.metadata[key]})
	}
	end := encodeThrift(&t.footer)
	t.write(end)
	t.write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(end))), magic...))
	return errors.Join(t.err, t.out.Flush())
}
