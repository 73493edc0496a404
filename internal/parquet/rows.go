package parquet

import (
	"fmt"
	"io"
	"iter"
	"reflect"
	"strings"
	"unsafe"
)

// field is a field of a struct that corresponds to a column.
type field struct {
	Column
	offset uintptr
	// add adds the field's values in n rows to a column. The first is at p; each next one is size
	// bytes further.
	add func(c *columnWriter, p unsafe.Pointer, n int, size uintptr)
	// store stores values in the field of the same number of rows. It returns false if the values
	// have another type.
	store func(v *Values, p unsafe.Pointer, size uintptr) bool
}

// fieldTypes lists the permitted types of fields.
var fieldTypes = map[reflect.Kind]field{
	reflect.Int8:    {Column{Kind: Int32, Bits: 8}, 0, addInts[int8], storeInts[int8]},
	reflect.Int16:   {Column{Kind: Int32, Bits: 16}, 0, addInts[int16], storeInts[int16]},
	reflect.Int32:   {Column{Kind: Int32, Bits: 32}, 0, addInts[int32], storeInts[int32]},
	reflect.Int64:   {Column{Kind: Int64, Bits: 64}, 0, addInts[int64], storeInts[int64]},
	reflect.Float32: {Column{Kind: Float}, 0, addFloats[float32], storeFloats[float32]},
	reflect.Float64: {Column{Kind: Double}, 0, addFloats[float64], storeFloats[float64]},
	reflect.String:  {Column{Kind: Text}, 0, addTexts, storeTexts},
}

func storeInts[T int8 | int16 | int32 | int64](v *Values, p unsafe.Pointer, size uintptr) bool {
	for i, x := range v.Ints {
		*at[T](p, i, size) = T(x)
	}
	return v.Ints != nil
}

func storeFloats[T float32 | float64](v *Values, p unsafe.Pointer, size uintptr) bool {
	for i, x := range v.Floats {
		*at[T](p, i, size) = T(x)
	}
	return v.Floats != nil
}

func storeTexts(v *Values, p unsafe.Pointer, size uintptr) bool {
	for i, s := range v.Texts {
		*at[string](p, i, size) = s
	}
	return v.Texts != nil
}

// fieldsOf returns the fields of a row type. The tag `parquet:"name"` of a field names its column;
// ",dict" or ",delta" selects a Coding. It panics if the type has unsupported fields.
func fieldsOf[Row any]() (fields []field, columns []Column) {
	row := reflect.TypeFor[Row]()
	for i := range row.NumField() {
		of := row.Field(i)
		f, known := fieldTypes[of.Type.Kind()]
		if !known {
			panic(fmt.Sprintf("field %s of %s cannot be a column", of.Name, row))
		}
		name, coding, _ := strings.Cut(of.Tag.Get("parquet"), ",")
		f.Name, f.offset = name, of.Offset
		f.Coding = map[string]Coding{"dict": Dictionary, "delta": Delta}[coding]
		fields, columns = append(fields, f), append(columns, f.Column)
	}
	return fields, columns
}

// Table writes a table whose rows are structs.
type Table[Row any] struct {
	*Writer
	fields []field
}

// NewTable starts a table.
func NewTable[Row any](w io.Writer) *Table[Row] {
	fields, columns := fieldsOf[Row]()
	return &Table[Row]{NewWriter(w, columns), fields}
}

// Write adds rows.
func (t *Table[Row]) Write(rows []Row) error {
	for len(rows) > 0 && t.err == nil {
		n := min(len(rows), pageRows-t.page)
		for i, f := range t.fields {
			f.add(&t.columns[i], unsafe.Add(unsafe.Pointer(&rows[0]), f.offset), n, unsafe.Sizeof(rows[0]))
		}
		rows = rows[n:]
		_ = t.Rows(n) // the table stores its error
	}
	return t.err
}

// readRows is the number of rows that Rows reads at once.
const readRows = 4096

// Rows yields the rows of a file as structs. It ignores columns without a field. The sequence ends
// after an error.
func Rows[Row any](f *File) iter.Seq2[Row, error] {
	r := newRowReader[Row]()
	return func(yield func(Row, error) bool) {
		rows := make([]Row, min(readRows, f.NumRows()))
		for batch, err := range f.Batches(r.names, readRows) {
			n, err := r.store(batch, rows, err)
			for k := 0; err == nil && k < n; k++ {
				if !yield(rows[k], nil) {
					return
				}
			}
			if err != nil {
				var none Row
				yield(none, err)
				return
			}
		}
	}
}

// RowsBackward is like Rows, from the last row to the first. It holds one row group in memory.
func RowsBackward[Row any](f *File) iter.Seq2[Row, error] {
	r := newRowReader[Row]()
	return func(yield func(Row, error) bool) {
		end := f.NumRows()
		for g := len(f.footer.RowGroups) - 1; g >= 0; g-- {
			end -= f.footer.RowGroups[g].NumRows
			rows := make([]Row, f.footer.RowGroups[g].NumRows)
			done := 0
			var err error
			for batch, failed := range f.group(g, end, r.names, readRows) {
				var n int
				if n, err = r.store(batch, rows[done:], failed); err != nil {
					break
				}
				done += n
			}
			for k := len(rows) - 1; err == nil && k >= 0; k-- {
				if !yield(rows[k], nil) {
					return
				}
			}
			if err != nil {
				var none Row
				yield(none, err)
				return
			}
		}
	}
}

// rowReader stores the values of columns in rows.
type rowReader[Row any] struct {
	fields []field
	names  []string
}

func newRowReader[Row any]() rowReader[Row] {
	fields, columns := fieldsOf[Row]()
	r := rowReader[Row]{fields: fields}
	for i := range columns {
		r.names = append(r.names, columns[i].Name)
	}
	return r
}

// store stores a batch in the first rows, and returns their number. It returns err unless that is nil.
func (r *rowReader[Row]) store(batch []Values, rows []Row, err error) (n int, _ error) {
	for i := range batch {
		n = batch[i].Len()
		first := unsafe.Add(unsafe.Pointer(&rows[0]), r.fields[i].offset)
		if !r.fields[i].store(&batch[i], first, unsafe.Sizeof(rows[0])) {
			err = fmt.Errorf("column %s is of another type", r.names[i])
		}
	}
	return n, err
}
