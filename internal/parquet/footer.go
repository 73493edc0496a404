package parquet

import "slices"

// footer is the metadata at the end of a file.
type footer struct {
	columns  []Column // all leaves; nested or repeated ones have no name
	rows     int64
	groups   []group
	metadata map[string]string
}

// group is a row group.
type group struct {
	rows   int64
	first  int64 // number of its first row; set only when reading
	bytes  int64 // uncompressed size of its pages
	offset int64 // in the file
	chunks []chunk
}

// chunk describes one column of a row group.
type chunk struct {
	kind         Kind
	codec        int
	values       int64
	uncompressed int64
	compressed   int64
	data         int64 // offset of the first data page
	dictionary   int64 // offset of the dictionary's page; 0: there is none
	encodings    []int
	extremes     *extremes // nil: unknown
	nulls        int64
}

// extremes holds the least and the greatest value of an integer column.
type extremes struct{ least, greatest int64 }

// encode returns the footer in Thrift's compact protocol.
func (f *footer) encode() []byte {
	w := &thriftWriter{}
	w.element(func() {
		w.i32(1, 1) // version of the format
		w.list(2, thriftStruct, len(f.columns)+1)
		w.element(func() { // the root
			w.text(4, "table")
			w.i32(5, len(f.columns))
		})
		for i := range f.columns {
			w.column(&f.columns[i])
		}
		w.i64(3, f.rows)
		w.list(4, thriftStruct, len(f.groups))
		for i := range f.groups {
			w.group(&f.groups[i], f.columns, i)
		}
		w.metadata(f.metadata)
		w.text(6, "fabricast")
		w.list(7, thriftStruct, len(f.columns)) // least and greatest are by the order of the type
		for range f.columns {
			w.element(func() { w.structure(1, func() {}) })
		}
	})
	return w.b
}

func (w *thriftWriter) column(c *Column) {
	w.element(func() {
		w.i32(1, int(c.Kind))
		w.i32(3, repetition(c))
		w.text(4, c.Name)
		switch {
		case c.Kind == Text:
			w.i32(6, convertedText)
			w.structure(10, func() { w.structure(logicalText, func() {}) })
		case c.Bits != 0:
			w.i32(6, convertedInt8+slices.Index([]int8{8, 16, 32, 64}, c.Bits))
			w.structure(10, func() {
				w.structure(logicalInteger, func() {
					w.i8(1, c.Bits)
					w.truth(2, true) // signed
				})
			})
		}
	})
}

func repetition(c *Column) int {
	if c.Optional {
		return optional
	}
	return required
}

func (w *thriftWriter) group(g *group, columns []Column, number int) {
	w.element(func() {
		w.list(1, thriftStruct, len(g.chunks))
		compressed := int64(0)
		for i := range g.chunks {
			w.chunk(&g.chunks[i], &columns[i])
			compressed += g.chunks[i].compressed
		}
		w.i64(2, g.bytes)
		w.i64(3, g.rows)
		w.i64(5, g.offset)
		w.i64(6, compressed)
		w.field(7, thriftI16)
		w.b = append(w.b, thriftVarint(int64(int16(number)))...)
	})
}

func (w *thriftWriter) chunk(c *chunk, column *Column) {
	w.element(func() {
		w.i64(2, 0) // where the same is once more: nowhere
		w.structure(3, func() {
			w.i32(1, int(c.kind))
			w.list(2, thriftI32, len(c.encodings))
			for _, e := range c.encodings {
				w.b = append(w.b, thriftVarint(int64(e))...)
			}
			w.list(3, thriftBinary, 1)
			w.rawText(column.Name)
			w.i32(4, c.codec)
			w.i64(5, c.values)
			w.i64(6, c.uncompressed)
			w.i64(7, c.compressed)
			w.i64(9, c.data)
			if c.dictionary > 0 {
				w.i64(11, c.dictionary)
			}
			w.structure(12, func() { w.statistics(c) })
		})
	})
}

func (w *thriftWriter) statistics(c *chunk) {
	w.i64(3, c.nulls)
	if c.extremes != nil {
		w.text(5, string(plainInt(nil, c.kind, c.extremes.greatest)))
		w.text(6, string(plainInt(nil, c.kind, c.extremes.least)))
	}
}

func (w *thriftWriter) metadata(pairs map[string]string) {
	if len(pairs) == 0 {
		return
	}
	w.list(5, thriftStruct, len(pairs))
	for _, key := range sortedKeys(pairs) {
		w.element(func() {
			w.text(1, key)
			w.text(2, pairs[key])
		})
	}
}

// decodeFooter parses a footer.
func decodeFooter(b []byte) (*footer, error) {
	f := &footer{metadata: map[string]string{}}
	r := &thriftReader{b: b}
	r.fields(func(number int16, kind byte) {
		switch {
		case number == 2 && kind == thriftList:
			f.columns = r.schema()
		case number == 3:
			f.rows = r.whole(kind)
		case number == 4 && kind == thriftList:
			r.each(func(kind byte) {
				if r.want(kind, thriftStruct) {
					f.groups = append(f.groups, r.group())
				}
			})
		case number == 5 && kind == thriftList:
			r.pairs(f.metadata)
		default:
			r.skip(kind)
		}
	})
	if r.err != nil {
		return nil, r.err
	}
	return f, f.check()
}

// check returns an error if the parts of a footer contradict each other.
func (f *footer) check() error {
	rows := int64(0)
	for i := range f.groups {
		g := &f.groups[i]
		if len(g.chunks) != len(f.columns) || g.rows < 0 {
			return errBroken
		}
		for k := range g.chunks {
			if f.columns[k].Name != "" && g.chunks[k].values != g.rows {
				return errBroken
			}
		}
		g.first = rows
		if rows += g.rows; rows < 0 {
			return errBroken
		}
	}
	if rows != f.rows {
		return errBroken
	}
	return nil
}

// checkSizes returns an error if the pages of all columns together are larger than a file of size
// bytes. So reading all of them takes no more memory than that.
func (f *footer) checkSizes(size int64) error {
	for i := range f.groups {
		for k := range f.groups[i].chunks {
			c := &f.groups[i].chunks[k]
			if c.compressed < 0 || c.compressed > size {
				return errBroken
			}
			size -= c.compressed
		}
	}
	return nil
}

// schemaElement is a node of the tree of columns.
type schemaElement struct {
	column     Column
	leaf       bool
	repetition int64
	children   int64
}

// schema parses the list of all nodes, parents before their children, and returns the leaves.
func (r *thriftReader) schema() []Column {
	var nodes []schemaElement
	r.each(func(kind byte) {
		if r.want(kind, thriftStruct) {
			nodes = append(nodes, r.schemaElement())
		}
	})
	if len(nodes) == 0 {
		r.fail()
		return nil
	}
	var columns []Column
	nested := int64(0) // nodes to come that are below a child of the root
	for i := 1; i < len(nodes); i++ {
		n := &nodes[i]
		below := nested > 0
		if below {
			nested--
		}
		if !n.leaf {
			if nested += n.children; n.children < 0 || nested > int64(len(nodes)) {
				r.fail()
				return nil
			}
			continue
		}
		if below || n.repetition > optional {
			n.column.Name = ""
		}
		columns = append(columns, n.column)
	}
	return columns
}

func (r *thriftReader) schemaElement() (e schemaElement) {
	r.fields(func(number int16, kind byte) {
		switch {
		case number == 1:
			e.leaf = true
			e.column.Kind = Kind(r.whole(kind))
		case number == 3:
			e.repetition = r.whole(kind)
			e.column.Optional = e.repetition == optional
		case number == 4 && kind == thriftBinary:
			e.column.Name = r.text()
		case number == 5:
			e.children = r.whole(kind)
		default:
			r.skip(kind)
		}
	})
	return e
}

func (r *thriftReader) group() (g group) {
	r.fields(func(number int16, kind byte) {
		switch {
		case number == 1 && kind == thriftList:
			r.each(func(kind byte) {
				if r.want(kind, thriftStruct) {
					g.chunks = append(g.chunks, r.chunk())
				}
			})
		case number == 3:
			g.rows = r.whole(kind)
		default:
			r.skip(kind)
		}
	})
	return g
}

func (r *thriftReader) chunk() (c chunk) {
	r.fields(func(number int16, kind byte) {
		if number != 3 || kind != thriftStruct {
			r.skip(kind)
			return
		}
		r.fields(func(number int16, kind byte) {
			switch number {
			case 1:
				c.kind = Kind(r.whole(kind))
			case 4:
				c.codec = int(r.whole(kind))
			case 5:
				c.values = r.whole(kind)
			case 7:
				c.compressed = r.whole(kind)
			case 9:
				c.data = r.whole(kind)
			case 11:
				c.dictionary = r.whole(kind)
			default:
				r.skip(kind)
			}
		})
	})
	return c
}

func (r *thriftReader) pairs(to map[string]string) {
	r.each(func(kind byte) {
		if !r.want(kind, thriftStruct) {
			return
		}
		var key, value string
		r.fields(func(number int16, kind byte) {
			switch {
			case number == 1 && kind == thriftBinary:
				key = r.text()
			case number == 2 && kind == thriftBinary:
				value = r.text()
			default:
				r.skip(kind)
			}
		})
		to[key] = value
	})
}
