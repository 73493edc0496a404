package parquet

import (
	"fmt"
	"io"
	"iter"
	"reflect"
	"strings"
	"unsafe"
)

// field is the place of a column's value in a struct.
type field struct {
	offset uintptr
	kind   reflect.Kind
}

// layout returns the columns of a row type: one for each field of the struct, named by its tag
// `parquet:"name"`, with ",dict" or ",delta" for a Coding. It panics if the type has unsupported
// fields.
func layout(row reflect.Type) (columns []Column, fields []field) {
	for i := range row.NumField() {
		f := row.Field(i)
		name, coding, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		c := Column{Name: name, Coding: map[string]Coding{"dict": Dictionary, "delta": Delta}[coding]}
		switch f.Type.Kind() {
		case reflect.Int8, reflect.Int16, reflect.Int32:
			c.Kind, c.Bits = Int32, int8(f.Type.Bits())
		case reflect.Int64:
			c.Kind, c.Bits = Int64, 64
		case reflect.Float32:
			c.Kind = Float
		case reflect.Float64:
			c.Kind = Double
		case reflect.String:
			c.Kind = Text
		default:
			panic(fmt.Sprintf("field %s of %s cannot be a column", f.Name, row))
		}
		columns = append(columns, c)
		fields = append(fields, field{f.Offset, f.Type.Kind()})
	}
	return columns, fields
}

// Table writes a table whose rows are structs.
type Table[Row any] struct {
	*Writer
	fields []field
}

// NewTable starts a table.
func NewTable[Row any](w io.Writer) *Table[Row] {
	columns, fields := layout(reflect.TypeFor[Row]())
	return &Table[Row]{NewWriter(w, columns), fields}
}

// Write adds rows.
func (t *Table[Row]) Write(rows []Row) error {
	for len(rows) > 0 && t.err == nil {
		n := min(len(rows), t.room())
		size := unsafe.Sizeof(rows[0])
		for i, f := range t.fields {
			t.columns[i].gather(f.kind, unsafe.Add(unsafe.Pointer(&rows[0]), f.offset), n, size)
		}
		rows = rows[n:]
		_ = t.Rows(n) // it keeps its error
	}
	return t.err
}

// gather adds the values of a field of n rows. The first is at p, and each next one size bytes
// further.
func (c *columnWriter) gather(kind reflect.Kind, p unsafe.Pointer, n int, size uintptr) {
	for i := range uintptr(n) {
		at := unsafe.Add(p, i*size)
		switch kind {
		case reflect.Int8:
			c.int(int64(*(*int8)(at)))
		case reflect.Int16:
			c.int(int64(*(*int16)(at)))
		case reflect.Int32:
			c.int(int64(*(*int32)(at)))
		case reflect.Int64:
			c.int(*(*int64)(at))
		case reflect.Float32:
			c.double(float64(*(*float32)(at)))
		case reflect.Float64:
			c.double(*(*float64)(at))
		default:
			c.text(*(*string)(at))
		}
	}
}

// readRows is how many rows Rows reads at once.
const readRows = 4096

// Rows yields the rows of a file as structs. It ignores columns without a field. It ends after an
// error.
func Rows[Row any](f *File) iter.Seq2[Row, error] {
	columns, fields := layout(reflect.TypeFor[Row]())
	names := make([]string, len(columns))
	for i := range columns {
		names[i] = columns[i].Name
	}
	return func(yield func(Row, error) bool) {
		rows := make([]Row, readRows)
		size := unsafe.Sizeof(rows[0])
		err := f.batches(names, readRows, func(n int, cursors []cursor) (bool, error) {
			for i := range cursors {
				if err := cursors[i].scatter(
					fields[i].kind, unsafe.Add(unsafe.Pointer(&rows[0]), fields[i].offset), n, size,
				); err != nil {
					return true, err
				}
			}
			for _, row := range rows[:n] {
				if !yield(row, nil) {
					return false, nil
				}
			}
			return true, nil
		})
		if err != nil {
			var none Row
			yield(none, err)
		}
	}
}

// scatter stores n values of a column in a field of rows. The first is at p, and each next one size
// bytes further.
func (c *cursor) scatter(kind reflect.Kind, p unsafe.Pointer, n int, size uintptr) error {
	for row := 0; row < n; {
		part, err := c.take(n - row)
		if err != nil {
			return err
		}
		if !part.put(kind, p, row, size) {
			return fmt.Errorf("column %s is of another type", c.pages.column.Name)
		}
		row += part.Len()
	}
	return nil
}

// put stores all values of a page in a field of the rows from row on. It returns false if the types
// do not match.
func (v *Values) put(kind reflect.Kind, p unsafe.Pointer, row int, size uintptr) bool {
	switch kind {
	case reflect.Int8:
		return put[int8](v.Ints, p, row, size)
	case reflect.Int16:
		return put[int16](v.Ints, p, row, size)
	case reflect.Int32:
		return put[int32](v.Ints, p, row, size)
	case reflect.Int64:
		return put[int64](v.Ints, p, row, size)
	case reflect.Float32:
		return put[float32](v.Floats, p, row, size)
	case reflect.Float64:
		return put[float64](v.Floats, p, row, size)
	}
	for i, s := range v.Texts {
		*(*string)(unsafe.Add(p, uintptr(row+i)*size)) = s
	}
	return v.Texts != nil
}

func put[To int8 | int16 | int32 | int64 | float32 | float64, From int64 | float64](
	values []From,
	p unsafe.Pointer,
	row int,
	size uintptr,
) bool {
	for i, v := range values {
		*(*To)(unsafe.Add(p, uintptr(row+i)*size)) = To(v)
	}
	return values != nil
}
