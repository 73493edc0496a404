package parquet

import (
	"fmt"
	"io"
	"iter"
	"reflect"
	"slices"
	"strings"
	"unsafe"
)

// field is a field of a struct that is a column.
type field struct {
	Column
	offset uintptr
	// gather appends the values of the field of n rows. The first is at p, and each next one size
	// bytes further.
	gather func(v *Values, p unsafe.Pointer, n int, size uintptr)
	// scatter stores values in the field of as many rows. It returns false if they are of another
	// type.
	scatter func(v *Values, p unsafe.Pointer, size uintptr) bool
}

// fieldsOf returns the fields of a row type, which are columns named by their tags
// `parquet:"name"`, with ",dict" or ",delta" for a Coding. It panics if the type has unsupported
// fields.
func fieldsOf(row reflect.Type) []field {
	fields := make([]field, row.NumField())
	for i := range fields {
		of := row.Field(i)
		name, coding, _ := strings.Cut(of.Tag.Get("parquet"), ",")
		f := &fields[i]
		f.Column = Column{Name: name, Coding: map[string]Coding{"dict": Dictionary, "delta": Delta}[coding]}
		f.offset = of.Offset
		switch of.Type.Kind() {
		case reflect.Int8:
			numbers[int8](f, Int32, ints)
		case reflect.Int16:
			numbers[int16](f, Int32, ints)
		case reflect.Int32:
			numbers[int32](f, Int32, ints)
		case reflect.Int64:
			numbers[int64](f, Int64, ints)
		case reflect.Float32:
			numbers[float32](f, Float, floats)
		case reflect.Float64:
			numbers[float64](f, Double, floats)
		case reflect.String:
			texts(f)
		default:
			panic(fmt.Sprintf("field %s of %s cannot be a column", of.Name, row))
		}
		if f.Kind == Int32 || f.Kind == Int64 {
			f.Bits = int8(of.Type.Bits())
		}
	}
	return fields
}

func ints(v *Values) *[]int64     { return &v.Ints }
func floats(v *Values) *[]float64 { return &v.Floats }

// numbers makes f a field of type T with values of type V.
func numbers[T int8 | int16 | int32 | int64 | float32 | float64, V int64 | float64](
	f *field, kind Kind, in func(*Values) *[]V,
) {
	f.Kind = kind
	f.gather = func(v *Values, p unsafe.Pointer, n int, size uintptr) {
		to := slices.Grow(*in(v), n)
		for i := range n {
			to = append(to, V(*(*T)(unsafe.Add(p, uintptr(i)*size))))
		}
		*in(v) = to
	}
	f.scatter = func(v *Values, p unsafe.Pointer, size uintptr) bool {
		from := *in(v)
		for i, x := range from {
			*(*T)(unsafe.Add(p, uintptr(i)*size)) = T(x)
		}
		return from != nil
	}
}

// texts makes f a field of type string.
func texts(f *field) {
	f.Kind = Text
	f.gather = func(v *Values, p unsafe.Pointer, n int, size uintptr) {
		v.Texts = slices.Grow(v.Texts, n)
		for i := range n {
			v.Texts = append(v.Texts, *(*string)(unsafe.Add(p, uintptr(i)*size)))
		}
	}
	f.scatter = func(v *Values, p unsafe.Pointer, size uintptr) bool {
		for i, s := range v.Texts {
			*(*string)(unsafe.Add(p, uintptr(i)*size)) = s
		}
		return v.Texts != nil
	}
}

// Table writes a table whose rows are structs.
type Table[Row any] struct {
	*Writer
	fields []field
}

// NewTable starts a table.
func NewTable[Row any](w io.Writer) *Table[Row] {
	fields := fieldsOf(reflect.TypeFor[Row]())
	columns := make([]Column, len(fields))
	for i := range fields {
		columns[i] = fields[i].Column
	}
	return &Table[Row]{NewWriter(w, columns), fields}
}

// Write adds rows.
func (t *Table[Row]) Write(rows []Row) error {
	for len(rows) > 0 && t.err == nil {
		n := min(len(rows), t.room())
		for i, f := range t.fields {
			at := unsafe.Add(unsafe.Pointer(&rows[0]), f.offset)
			f.gather(&t.columns[i].values, at, n, unsafe.Sizeof(rows[0]))
		}
		rows = rows[n:]
		_ = t.Rows(n) // it keeps its error
	}
	return t.err
}

// readRows is how many rows Rows reads at once.
const readRows = 4096

// Rows yields the rows of a file as structs. It ignores columns without a field. It ends after an
// error.
func Rows[Row any](f *File) iter.Seq2[Row, error] {
	fields := fieldsOf(reflect.TypeFor[Row]())
	names := make([]string, len(fields))
	for i := range fields {
		names[i] = fields[i].Name
	}
	return func(yield func(Row, error) bool) {
		rows := make([]Row, readRows)
		for batch, err := range f.batches(names, readRows) {
			n := 0
			for i := range batch {
				n = batch[i].Len()
				at := unsafe.Add(unsafe.Pointer(&rows[0]), fields[i].offset)
				if !fields[i].scatter(&batch[i], at, unsafe.Sizeof(rows[0])) {
					err = fmt.Errorf("column %s is of another type", names[i])
				}
			}
			if err != nil {
				var none Row
				yield(none, err)
				return
			}
			for _, row := range rows[:n] {
				if !yield(row, nil) {
					return
				}
			}
		}
	}
}
