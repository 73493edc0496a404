package parquet

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"unsafe"

	"github.com/parquet-go/parquet-go/encoding/plain"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// columnWriter collects a column's part of the open row group.
type columnWriter struct {
	Column
	// non-null values of the open page, in PLAIN encoding. For a Dictionary they are codes of type
	// Int32; booleans are a byte each.
	values          []byte
	levels          []byte           // of the rows of the open page, if Optional: 0 for null, else 1
	codes           map[string]int32 // code of each entry of the dictionary
	entries         []byte           // the dictionary, in PLAIN encoding
	last            string           // text that was added last
	lastCode        int32            // its code; -1 if none was added
	pages           []byte           // finished pages, with headers
	chunk           format.ColumnMetaData
	least, greatest int64 // of integers
	// As long as all integers of the open page are the same, they are not among the values: there are
	// `same` of them, each first. Most columns of many tables are 0 everywhere.
	same  int
	first int64
	even  evenPage
}

// evenPage is the last page of a column whose integers were all the same.
type evenPage struct {
	rows          int
	value         int64
	page          []byte // with its header
	whole, packed int64  // sizes, with the header
}

// scratch is memory for the encoding of a page, which all columns of a table use in turn.
type scratch struct {
	longs        []int64
	ints         []int32
	body, packed []byte
}

// grow returns b with room for n bytes more. It doubles the room, so that few copies are taken on the way to
// a full page.
func grow(b []byte, n int) []byte {
	if len(b)+n <= cap(b) {
		return b
	}
	return slices.Grow(b, max(n, cap(b)))
}

// begin starts a row group.
func (c *columnWriter) begin() {
	c.chunk = format.ColumnMetaData{
		Type: c.Kind, Codec: format.Zstd, PathInSchema: []string{c.Name},
		Encoding: slices.Compact([]format.Encoding{format.RLE, Plain, c.Coding}),
	}
	c.least, c.greatest = math.MaxInt64, math.MinInt64
	c.pages, c.entries = c.pages[:0], c.entries[:0]
	if c.Coding == Dictionary {
		c.codes, c.lastCode = map[string]int32{}, -1
	}
}

// addInts adds n integers. The first is at p; each next one is size bytes further.
func addInts[T int8 | int16 | int32 | int64](c *columnWriter, p unsafe.Pointer, n int, size uintptr) {
	begin := 0
	if len(c.values) == 0 && n > 0 {
		if begin = addSame[T](c, p, n, size); begin == n {
			return
		}
	}
	least, greatest, values, small := c.least, c.greatest, grow(c.values, c.width()*(n-begin)), c.Kind == Int32
	for i := begin; i < n; i++ {
		v := int64(*at[T](p, i, size))
		least, greatest = min(least, v), max(greatest, v)
		if small {
			values = binary.LittleEndian.AppendUint32(values, uint32(v))
		} else {
			values = binary.LittleEndian.AppendUint64(values, uint64(v))
		}
	}
	c.least, c.greatest, c.values = least, greatest, values
}

// addSame adds the first of n integers that are the same as all before them in the open page, and returns
// their number. If that is not n, the page's integers are among its values from then on.
func addSame[T int8 | int16 | int32 | int64](c *columnWriter, p unsafe.Pointer, n int, size uintptr) (added int) {
	if c.same == 0 {
		c.first = int64(*at[T](p, 0, size))
		c.least, c.greatest = min(c.least, c.first), max(c.greatest, c.first)
	}
	first := T(c.first)
	for added < n && *at[T](p, added, size) == first {
		added++
	}
	if c.same += added; added < n {
		c.spell()
	}
	return added
}

// spell puts the integers of the open page among its values, if they are all the same.
func (c *columnWriter) spell() {
	c.values = grow(c.values, c.width()*c.same)
	for range c.same {
		if c.Kind == Int32 {
			c.values = binary.LittleEndian.AppendUint32(c.values, uint32(c.first))
		} else {
			c.values = binary.LittleEndian.AppendUint64(c.values, uint64(c.first))
		}
	}
	c.same = 0
}

// width returns the size of an integer in bytes.
func (c *columnWriter) width() int {
	if c.Kind == Int32 {
		return 4
	}
	return 8
}

// addFloats adds floating-point numbers in the same way as addInts.
func addFloats[T float32 | float64](c *columnWriter, p unsafe.Pointer, n int, size uintptr) {
	for i := range n {
		if v := *at[T](p, i, size); c.Kind == Float {
			c.values = plain.AppendFloat(c.values, float32(v))
		} else {
			c.values = plain.AppendDouble(c.values, float64(v))
		}
	}
}

// addTexts adds strings in the same way as addInts.
func addTexts(c *columnWriter, p unsafe.Pointer, n int, size uintptr) {
	if c.Coding == Dictionary {
		c.values = grow(c.values, 4*n)
	}
	for i := range n {
		s := *at[string](p, i, size)
		if c.Coding != Dictionary {
			c.values = plain.AppendByteArrayString(c.values, s)
			continue
		}
		if s != c.last || c.lastCode < 0 {
			c.last, c.lastCode = s, c.codeOf(s)
		}
		c.values = plain.AppendInt32(c.values, c.lastCode)
	}
}

// codeOf returns the code of a text, which is added to the dictionary if it is not there.
func (c *columnWriter) codeOf(s string) int32 {
	code, known := c.codes[s]
	if !known {
		code = int32(len(c.codes))
		c.codes[s] = code
		c.entries = plain.AppendByteArrayString(c.entries, s)
	}
	return code
}

// at returns the address of value i, if value 0 is at p and each next one is size bytes further.
func at[T any](p unsafe.Pointer, i int, size uintptr) *T {
	return (*T)(unsafe.Add(p, uintptr(i)*size))
}

// endPage ends the open page.
func (c *columnWriter) endPage(rows int, s *scratch) {
	if e := &c.even; c.same == rows {
		if e.page == nil || e.rows != rows || e.value != c.first {
			c.makeEven(rows, s)
		}
		c.pages = append(grow(c.pages, len(e.page)), e.page...)
		c.chunk.TotalUncompressedSize += e.whole
		c.chunk.TotalCompressedSize += e.packed
		c.chunk.NumValues += int64(rows)
		c.same, c.levels = 0, c.levels[:0]
		return
	}
	c.spell()
	c.encodePage(rows, s)
}

// makeEven encodes the open page, whose integers are all the same, as the column's even page.
func (c *columnWriter) makeEven(rows int, s *scratch) {
	before, pages, value := c.chunk, c.pages, c.first
	c.pages = nil
	c.spell()
	c.encodePage(rows, s)
	c.even = evenPage{
		rows, value, c.pages, c.chunk.TotalUncompressedSize - before.TotalUncompressedSize,
		c.chunk.TotalCompressedSize - before.TotalCompressedSize,
	}
	c.chunk, c.pages = before, pages
}

// encodePage encodes and compresses the open page.
func (c *columnWriter) encodePage(rows int, s *scratch) {
	body := c.encoded(s)
	nulls := int64(bytes.Count(c.levels, []byte{0}))
	if c.Optional {
		levels := sound((&rle.Encoding{BitWidth: 1}).EncodeLevels(nil, c.levels))
		size := binary.LittleEndian.AppendUint32(nil, uint32(len(levels)))
		body = append(append(size, levels...), body...)
	}
	c.pages = c.appendPage(s, c.pages, format.PageHeader{
		Type: format.DataPage,
		DataPageHeader: thrift.New(format.DataPageHeader{
			NumValues: int32(rows), Encoding: c.Coding,
			DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE,
			Statistics: format.Statistics{NullCount: nulls},
		}),
	}, body)
	c.chunk.NumValues += int64(rows)
	c.chunk.Statistics.NullCount += nulls
	c.values, c.levels = c.values[:0], c.levels[:0]
}

// encoded returns the values of the open page in the column's encoding.
func (c *columnWriter) encoded(s *scratch) (b []byte) {
	e, p := encodings[c.Coding], encodings[Plain]
	switch {
	case c.Kind == Bool:
		for i, v := range c.values {
			b = plain.AppendBoolean(b, i, v != 0)
		}
		return b
	case c.Coding == Plain:
		return c.values
	case c.Kind == Int64:
		s.longs = sound(p.DecodeInt64(s.longs[:0], c.values))
		s.body = sound(e.EncodeInt64(s.body[:0], s.longs))
		return s.body
	}
	s.ints = sound(p.DecodeInt32(s.ints[:0], c.values))
	s.body = sound(e.EncodeInt32(s.body[:0], s.ints))
	return s.body
}

// appendPage appends a page with its header to `to`, and adds its size to that of the column chunk.
func (c *columnWriter) appendPage(s *scratch, to []byte, h format.PageHeader, body []byte) []byte {
	s.packed = compressor().EncodeAll(body, s.packed[:0])
	h.UncompressedPageSize, h.CompressedPageSize = int32(len(body)), int32(len(s.packed))
	head := encodeMetadata(&h)
	c.chunk.TotalUncompressedSize += int64(len(head) + len(body))
	c.chunk.TotalCompressedSize += int64(len(head) + len(s.packed))
	return append(append(grow(to, len(head)+len(s.packed)), head...), s.packed...)
}

// end returns the column's part of the row group. offset is its offset in the file.
func (c *columnWriter) end(offset int64, s *scratch) (all []byte) {
	if c.Coding == Dictionary {
		c.chunk.DictionaryPageOffset = offset
		all = c.appendPage(s, nil, format.PageHeader{
			Type: format.DictionaryPage,
			DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{
				NumValues: int32(len(c.codes)), Encoding: Plain,
			}),
		}, c.entries)
	}
	if c.least <= c.greatest {
		size := c.width()
		c.chunk.Statistics.MinValue, c.chunk.Statistics.MaxValue = plain.Int64(c.least)[:size], plain.Int64(c.greatest)[:size]
	}
	c.chunk.DataPageOffset = offset + int64(len(all))
	return append(all, c.pages...)
}
