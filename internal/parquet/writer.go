package parquet

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/bits"
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
	to      io.Writer
	out     *bufio.Writer // to it
	columns []columnWriter
	page    int // rows in the open pages
	group   int64
	offset  int64
	footer  footer
	err     error
}

// columnWriter collects the values of a column.
type columnWriter struct {
	Column
	ints   []int64  // of the open page: integers of delta encoding, and booleans
	codes  []uint32 // of the open page: codes of dictionary encoding
	plain  []byte   // of the open page
	levels []uint32 // of the open page of a nullable column: 0 for null

	words    map[string]uint32 // dictionary codes
	entries  []byte            // the dictionary in PLAIN encoding
	pages    []byte            // finished pages of the open row group, with headers
	chunk    chunk
	extremes extremes
}

// NewWriter starts a table with the given columns.
func NewWriter(w io.Writer, columns []Column) *Writer {
	t := &Writer{to: w, out: bufio.NewWriterSize(w, 1<<16), columns: make([]columnWriter, len(columns))}
	t.footer = footer{columns: columns, metadata: map[string]string{}}
	for i := range t.columns {
		t.columns[i].Column = columns[i]
		t.columns[i].begin()
	}
	t.write([]byte(magic))
	return t
}

// begin starts a row group.
func (c *columnWriter) begin() {
	c.chunk = chunk{kind: c.Kind, codec: codecZstd}
	c.extremes = extremes{least: math.MaxInt64, greatest: math.MinInt64}
	c.pages, c.entries = c.pages[:0], c.entries[:0]
	if c.Coding == Dictionary {
		c.words = map[string]uint32{}
	}
}

// SetMetadata adds a key-value pair to the footer.
func (t *Writer) SetMetadata(key, value string) { t.footer.metadata[key] = value }

// Null adds a null to a nullable column.
func (t *Writer) Null(column int) {
	c := &t.columns[column]
	c.levels = append(c.levels, 0)
	c.chunk.nulls++
}

// Int adds an integer to a column of kind Int32 or Int64.
func (t *Writer) Int(column int, v int64) { t.columns[column].int(v) }

func (c *columnWriter) int(v int64) {
	c.extremes = extremes{min(c.extremes.least, v), max(c.extremes.greatest, v)}
	if c.Coding == Delta {
		c.ints = append(c.ints, v)
	} else {
		c.plain = plainInt(c.plain, c.Kind, v)
	}
	c.present()
}

// Truth adds a value to a column of kind Bool.
func (t *Writer) Truth(column int, v bool) {
	c := &t.columns[column]
	bit := int64(0)
	if v {
		bit = 1
	}
	c.ints = append(c.ints, bit)
	c.present()
}

// Double adds a value to a column of kind Float or Double.
func (t *Writer) Double(column int, v float64) { t.columns[column].double(v) }

func (c *columnWriter) double(v float64) {
	if c.Kind == Float {
		c.plain = binary.LittleEndian.AppendUint32(c.plain, math.Float32bits(float32(v)))
	} else {
		c.plain = binary.LittleEndian.AppendUint64(c.plain, math.Float64bits(v))
	}
	c.present()
}

// Text adds a value to a column of kind Text.
func (t *Writer) Text(column int, s string) { t.columns[column].text(s) }

func (c *columnWriter) text(s string) {
	c.present()
	if c.Coding != Dictionary {
		c.plain = plainText(c.plain, s)
		return
	}
	code, known := c.words[s]
	if !known {
		code = uint32(len(c.words))
		c.words[s] = code
		c.entries = plainText(c.entries, s)
	}
	c.codes = append(c.codes, code)
}

// present records that a value of a nullable column is not null.
func (c *columnWriter) present() {
	if c.Optional {
		c.levels = append(c.levels, 1)
	}
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
	encoding := encodePlain
	switch {
	case c.Coding == Dictionary:
		encoding = encodeDictionary
		width := max(1, bits.Len(uint(max(0, len(c.words)-1))))
		body = runs(append(body, byte(width)), c.codes, width)
	case c.Coding == Delta:
		encoding = encodeDelta
		body = deltaInts(body, c.Kind, c.ints)
	case c.Kind == Bool:
		packed := make([]uint64, len(c.ints))
		for i, v := range c.ints {
			packed[i] = uint64(v)
		}
		body = packBits(body, packed, 1)
	default:
		body = append(body, c.plain...)
	}
	c.pages = c.chunk.page(c.pages, pageHeader{kind: pageData, values: rows, encoding: encoding}, body)
	c.chunk.values += int64(rows)
	c.ints, c.codes, c.plain, c.levels = c.ints[:0], c.codes[:0], c.plain[:0], c.levels[:0]
}

// page appends a page with its header to to, and adds its size to the chunk's.
func (c *chunk) page(to []byte, h pageHeader, body []byte) []byte {
	packed := compress(body)
	h.uncompressed, h.compressed = len(body), len(packed)
	head := h.encode()
	c.uncompressed += int64(len(head) + len(body))
	c.compressed += int64(len(head) + len(packed))
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
	g := group{rows: t.group, offset: t.offset}
	for i := range t.columns {
		c := &t.columns[i]
		c.end(t)
		g.bytes += c.chunk.uncompressed
		g.chunks = append(g.chunks, c.chunk)
		c.begin()
	}
	t.footer.groups = append(t.footer.groups, g)
	t.footer.rows += t.group
	t.group = 0
}

// end writes the column's part of a row group.
func (c *columnWriter) end(t *Writer) {
	c.chunk.encodings = []int{encodeRLE, encodePlain}
	switch c.Coding {
	case Dictionary:
		c.chunk.encodings = append(c.chunk.encodings, encodeDictionary)
		c.chunk.dictionary = t.offset
		t.write(c.chunk.page(nil, pageHeader{kind: pageDictionary, values: len(c.words)}, c.entries))
	case Delta:
		c.chunk.encodings = append(c.chunk.encodings, encodeDelta)
	}
	if (c.Kind == Int32 || c.Kind == Int64) && c.extremes.least <= c.extremes.greatest {
		e := c.extremes
		c.chunk.extremes = &e
	}
	c.chunk.data = t.offset
	t.write(c.pages)
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
	end := t.footer.encode()
	t.write(end)
	t.write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(end))), magic...))
	return errors.Join(t.err, t.out.Flush())
}
