package parquet

import (
	"encoding/binary"
	"errors"
	"reflect"
)

// Page headers and the footer are structures in Thrift's compact protocol. Here they are structs of
// Go: the field of index i is the field of number i+1 in the format. Nil fields are left out.

// unused is a field of the format that is not written, and passed over when read.
type unused struct{}

// Types of Thrift's compact protocol.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftStruct = 12
)

// thriftTypes are the types of Go's kinds. Booleans are of type thriftTrue or thriftFalse.
var thriftTypes = map[reflect.Kind]byte{
	reflect.Bool: thriftTrue, reflect.Int8: thriftByte, reflect.Int16: thriftI16,
	reflect.Int32: thriftI32, reflect.Int64: thriftI64, reflect.String: thriftBinary,
	reflect.Slice: thriftList, reflect.Struct: thriftStruct,
}

// encodeThrift encodes the structure at which s points.
func encodeThrift(s any) []byte { return appendThrift(nil, reflect.ValueOf(s).Elem()) }

// appendThrift appends a value other than a boolean.
func appendThrift(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Int8:
		return append(b, byte(v.Int()))
	case reflect.String:
		return append(binary.AppendUvarint(b, uint64(v.Len())), v.String()...)
	case reflect.Slice:
		kind, n := thriftTypes[v.Type().Elem().Kind()], v.Len()
		if n < 15 {
			b = append(b, byte(n)<<4|kind)
		} else {
			b = binary.AppendUvarint(append(b, 0xf0|kind), uint64(n))
		}
		for i := range n {
			b = appendThrift(b, v.Index(i))
		}
		return b
	case reflect.Struct:
		return appendFields(b, v)
	}
	return binary.AppendVarint(b, v.Int())
}

func appendFields(b []byte, v reflect.Value) []byte {
	last := -1
	for i := range v.NumField() {
		f := v.Field(i)
		if f.Type() == reflect.TypeFor[unused]() ||
			(f.Kind() == reflect.Pointer || f.Kind() == reflect.Slice) && f.IsNil() {
			continue
		}
		f = reflect.Indirect(f)
		kind := thriftTypes[f.Kind()]
		if f.Kind() == reflect.Bool && !f.Bool() {
			kind = thriftFalse
		}
		b = append(b, byte(i-last)<<4|kind)
		if last = i; f.Kind() != reflect.Bool {
			b = appendThrift(b, f)
		}
	}
	return append(b, 0)
}

var errBroken = errors.New("it is broken")

// maxDepth is the largest nesting of structures. The format nests less than 10 levels.
const maxDepth = 32

// decodeThrift decodes a structure into the one at which s points, and returns the bytes after it.
func decodeThrift(b []byte, s any) (rest []byte, err error) {
	r := &thriftReader{b: b}
	v := reflect.ValueOf(s).Elem()
	v.SetZero()
	r.fields(v)
	return r.b, r.err
}

// thriftReader parses Thrift structures. After an error, all values that it returns are zero.
type thriftReader struct {
	b     []byte
	depth int
	err   error
}

func (r *thriftReader) fail() { r.b, r.err = nil, errBroken }

// next returns the next n bytes; nil if there are fewer.
func (r *thriftReader) next(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.fail()
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *thriftReader) byte() byte {
	if b := r.next(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *thriftReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *thriftReader) varint() int64 {
	v := r.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// fields decodes the fields of a structure. Those that v does not have are passed over, and all if
// v is the zero Value.
func (r *thriftReader) fields(v reflect.Value) {
	for number := 0; r.err == nil; {
		head := r.byte()
		if head == 0 {
			return
		}
		if delta := int(head >> 4); delta != 0 {
			number += delta
		} else {
			number = int(r.varint())
		}
		var f reflect.Value
		if v.IsValid() && number >= 1 && number <= v.NumField() && v.Field(number-1).CanSet() {
			f = v.Field(number - 1)
		}
		r.value(head&0xf, f)
	}
}

// value decodes a value into v, or passes it over if v is the zero Value.
func (r *thriftReader) value(kind byte, v reflect.Value) {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if r.depth++; r.depth > maxDepth || v.IsValid() && !matches(kind, v.Kind()) {
		r.fail()
		return
	}
	defer func() { r.depth-- }()
	switch kind {
	case thriftTrue, thriftFalse: // the value is the type
		if v.IsValid() {
			v.SetBool(kind == thriftTrue)
		}
	case thriftByte:
		r.integer(int64(int8(r.byte())), v)
	case thriftI16, thriftI32, thriftI64:
		r.integer(r.varint(), v)
	case thriftDouble:
		r.next(8)
	case thriftBinary:
		if text := r.next(r.uvarint()); v.IsValid() {
			v.SetString(string(text))
		}
	case thriftList, thriftSet:
		r.list(v)
	case thriftStruct:
		r.fields(v)
	default: // maps are nowhere in the format
		r.fail()
	}
}

// matches reports whether a value of a type can be stored in a Go variable. Integers of any size
// can.
func matches(kind byte, to reflect.Kind) bool {
	switch kind {
	case thriftFalse:
		kind = thriftTrue
	case thriftByte, thriftI16, thriftI32, thriftI64:
		return thriftByte <= thriftTypes[to] && thriftTypes[to] <= thriftI64
	}
	return thriftTypes[to] == kind
}

func (r *thriftReader) integer(n int64, v reflect.Value) {
	switch {
	case !v.IsValid():
	case v.OverflowInt(n):
		r.fail()
	default:
		v.SetInt(n)
	}
}

func (r *thriftReader) list(v reflect.Value) {
	head := r.byte()
	n, kind := uint64(head>>4), head&0xf
	if n == 15 {
		n = r.uvarint()
	}
	if kind == thriftTrue || kind == thriftFalse {
		kind = thriftByte // in lists a truth is a byte
	}
	if v.IsValid() {
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	}
	for ; n > 0 && r.err == nil; n-- {
		if len(r.b) == 0 { // every element takes a byte
			r.fail()
			return
		}
		var element reflect.Value
		if v.IsValid() {
			v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
			element = v.Index(v.Len() - 1)
		}
		r.value(kind, element)
	}
}
