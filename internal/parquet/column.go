// Package parquet writes and reads tables as Parquet files, to the extent that results need: flat
// columns of integers, floating-point numbers, booleans and text. Metadata and encodings come from
// the library parquet-go. The tables are our own: those of the library cannot save the state of a
// table that is being written, which checkpoints need, and would take a quarter of the time of a
// first build.
//
// It writes row groups of version 1 data pages, encoded as PLAIN, with dictionaries
// (RLE_DICTIONARY) or as differences (DELTA_BINARY_PACKED), and compressed by Zstandard. It reads
// the same, except booleans and nullable columns. It also reads the files of earlier versions:
// version 2 pages and DELTA_LENGTH_BYTE_ARRAY. See https://parquet.apache.org/docs/file-format.
//
// A damaged file never makes the reader panic, or allocate more than a page of maxValues values
// plus a multiple of the size of the file itself.
package parquet

import (
	"fmt"
	"math/bits"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Kind is the type of a column.
type Kind = format.Type

// Values of Kind. Columns of other types cannot be read.
const (
	Bool   = format.Boolean
	Int32  = format.Int32
	Int64  = format.Int64
	Float  = format.Float
	Double = format.Double
	Text   = format.ByteArray
)

// Coding selects how the values of a column are encoded when it is written.
type Coding = format.Encoding

// Values of Coding.
const (
	Plain      = format.Plain
	Dictionary = format.RLEDictionary // for Text: each distinct value is stored once
	// for integers that change little from row to row: differences between adjacent values
	Delta = format.DeltaBinaryPacked
)

// Column describes a column.
type Column struct {
	Name     string
	Kind     Kind
	Bits     int8 // size of an integer in Go: 8, 16, 32 or 64; 0: not stated
	Optional bool // whether it may be null
	Coding   Coding
	Check    Check // check of the values that are read; nil: none
}

// Check checks the values of a page. row is the number of its first row in the table. An error
// becomes the error of reading the page.
type Check func(row int64, v *Values) error

// schemaOf converts columns to the schema of the format: the root, then the columns.
func schemaOf(columns []Column) []format.SchemaElement {
	schema := []format.SchemaElement{{Name: "table", NumChildren: thrift.New(int32(len(columns)))}}
	for _, c := range columns {
		e := format.SchemaElement{
			Name: c.Name, Type: thrift.New(c.Kind), RepetitionType: thrift.New(format.Required),
		}
		if c.Optional {
			e.RepetitionType.V = format.Optional
		}
		if c.Kind == Text {
			e.ConvertedType, e.LogicalType.Value = thrift.New(deprecated.UTF8), &format.StringType{}
		} else if c.Bits != 0 { // Int8, Int16, Int32 and Int64 are consecutive
			size := deprecated.ConvertedType(bits.Len8(uint8(c.Bits / 16)))
			e.ConvertedType = thrift.New(deprecated.Int8 + size)
			e.LogicalType.Value = &format.IntType{BitWidth: c.Bits, IsSigned: true}
		}
		schema = append(schema, e)
	}
	return schema
}

// columnsOf returns the columns of a schema.
func columnsOf(schema []format.SchemaElement) (columns []Column, err error) {
	if len(schema) == 0 {
		return nil, errBroken
	}
	for _, e := range schema[1:] {
		repetition := e.RepetitionType.V // required if it is missing
		if !e.Type.Valid || repetition == format.Repeated {
			return nil, fmt.Errorf("column %s is nested or repeated, expected a table of plain values", e.Name)
		}
		columns = append(columns, Column{Name: e.Name, Kind: e.Type.V, Optional: repetition != format.Required})
	}
	return columns, nil
}
