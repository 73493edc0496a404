package parquet

import (
	"fmt"
	"slices"
)

// footer is the metadata at the end of a file: FileMetaData in parquet.thrift.
type footer struct {
	Version int32
	Schema  []node // the root, then its columns
	Rows    int64
	Groups  []group
	Pairs   []pair
	Creator string
	Orders  []order // of the columns' least and greatest values
}

// node is a SchemaElement: the root or a column.
type node struct {
	Kind       *int32 // of a column
	_          unused // length of values
	Repetition *int32
	Name       string
	Children   *int32 // of the root
	Converted  *int32
	_, _, _    unused // decimals, and the column's number
	Logical    *logical
}

// logical is a LogicalType.
type logical struct {
	Text                   *struct{}
	_, _, _, _, _, _, _, _ unused
	Integer                *integer
}

type integer struct {
	Bits   int8
	Signed bool
}

// pair is a KeyValue.
type pair struct{ Key, Value string }

// order is a ColumnOrder.
type order struct{ Type *struct{} }

// group is a RowGroup.
type group struct {
	Chunks     []columnChunk
	Bytes      int64 // uncompressed size of its pages
	Rows       int64
	_          unused // columns by which it is sorted
	Offset     int64  // in the file
	Compressed int64  // size of its pages
	Number     int16
}

// columnChunk is a ColumnChunk: one column of a row group.
type columnChunk struct {
	_      unused // another file
	Offset int64  // where Meta is once more: nowhere
	Meta   *chunk
}

// chunk is a ColumnMetaData. Sizes are in bytes with headers, offsets those of the first page.
type chunk struct {
	Kind         int32
	Encodings    []int32
	Path         []string
	Codec        int32
	Values       int64
	Uncompressed int64
	Compressed   int64
	_            unused // pairs
	Data         int64
	_            unused // offset of an index
	Dictionary   *int64 // nil: there is none
	Statistics   *statistics
}

type statistics struct {
	_, _     unused // in their old order
	Nulls    int64
	_        unused // different values
	Greatest *string
	Least    *string // both in PLAIN encoding; nil: unknown
}

// schemaOf describes columns.
func schemaOf(columns []Column) []node {
	nodes := []node{{Name: "table", Children: new(int32(len(columns)))}}
	for _, c := range columns {
		n := node{Kind: new(int32(c.Kind)), Repetition: new(int32(required)), Name: c.Name}
		if c.Optional {
			n.Repetition = new(int32(optional))
		}
		switch {
		case c.Kind == Text:
			n.Converted, n.Logical = new(int32(convertedText)), &logical{Text: &struct{}{}}
		case c.Bits != 0:
			n.Converted = new(int32(convertedInt8 + slices.Index([]int8{8, 16, 32, 64}, c.Bits)))
			n.Logical = &logical{Integer: &integer{c.Bits, true}}
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// columns returns the columns that a footer describes.
func (f *footer) columns() ([]Column, error) {
	if len(f.Schema) == 0 {
		return nil, errBroken
	}
	var columns []Column
	for _, n := range f.Schema[1:] {
		repetition := int32(required)
		if n.Repetition != nil {
			repetition = *n.Repetition
		}
		if n.Kind == nil || repetition != required && repetition != optional {
			return nil, fmt.Errorf("column %s is nested or repeated, expected a table of plain values", n.Name)
		}
		columns = append(columns, Column{Name: n.Name, Kind: Kind(*n.Kind), Optional: repetition == optional})
	}
	return columns, nil
}

// check returns an error if the parts of a footer contradict each other, or the pages of all columns
// together are larger than a file of size bytes. So reading all of them takes no more memory than
// that.
func (f *footer) check(columns []Column, size int64) error {
	rows := f.Rows
	for _, g := range f.Groups {
		if len(g.Chunks) != len(columns) || g.Rows < 0 || g.Rows > rows {
			return errBroken
		}
		rows -= g.Rows
		for i, c := range g.Chunks {
			m := c.Meta
			if m == nil || m.Values != g.Rows || Kind(m.Kind) != columns[i].Kind ||
				m.Compressed < 0 || m.Compressed > size {
				return errBroken
			}
			size -= m.Compressed
		}
	}
	if rows != 0 {
		return errBroken
	}
	return nil
}
