package parquet

import (
	"encoding/binary"
	"errors"
)

// Types of Thrift's compact protocol, in which page headers and the footer are encoded.
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
	thriftMap    = 11
	thriftStruct = 12
)

// thriftWriter encodes Thrift structures.
type thriftWriter struct {
	b    []byte
	last []int16 // number of the last field of each open structure
}

func (w *thriftWriter) open() { w.last = append(w.last, 0) }

func (w *thriftWriter) close() {
	w.b = append(w.b, 0)
	w.last = w.last[:len(w.last)-1]
}

// field writes the header of a field. Fields of a structure must have increasing numbers, at most
// 15 apart.
func (w *thriftWriter) field(number int16, kind byte) {
	last := &w.last[len(w.last)-1]
	w.b = append(w.b, byte(number-*last)<<4|kind)
	*last = number
}

func (w *thriftWriter) i8(number int16, v int8) {
	w.field(number, thriftByte)
	w.b = append(w.b, byte(v))
}

func (w *thriftWriter) i32(number int16, v int) {
	w.field(number, thriftI32)
	w.b = binary.AppendVarint(w.b, int64(v)) // of 32 and 64 bits alike
}

func (w *thriftWriter) i64(number int16, v int64) {
	w.field(number, thriftI64)
	w.b = binary.AppendVarint(w.b, v)
}

func (w *thriftWriter) truth(number int16, v bool) {
	if v {
		w.field(number, thriftTrue)
	} else {
		w.field(number, thriftFalse)
	}
}

func (w *thriftWriter) text(number int16, s string) {
	w.field(number, thriftBinary)
	w.rawText(s)
}

// rawText writes a text as an element of a list.
func (w *thriftWriter) rawText(s string) {
	w.b = append(binary.AppendUvarint(w.b, uint64(len(s))), s...)
}

func (w *thriftWriter) list(number int16, kind byte, n int) {
	w.field(number, thriftList)
	if n < 15 {
		w.b = append(w.b, byte(n)<<4|kind)
		return
	}
	w.b = binary.AppendUvarint(append(w.b, 0xf0|kind), uint64(n))
}

// structure writes a field that is a structure.
func (w *thriftWriter) structure(number int16, fields func()) {
	w.field(number, thriftStruct)
	w.element(fields)
}

// element writes a structure as an element of a list.
func (w *thriftWriter) element(fields func()) {
	w.open()
	fields()
	w.close()
}

var errBroken = errors.New("it is broken")

// maxDepth is the largest nesting of structures. The format nests less than 10 levels.
const maxDepth = 32

// thriftReader parses Thrift structures. After an error, all values that it returns are zero.
type thriftReader struct {
	b     []byte
	depth int
	err   error
}

func (r *thriftReader) fail() {
	r.err = errBroken
	r.b = nil
}

func (r *thriftReader) byte() byte {
	if len(r.b) == 0 {
		r.fail()
		return 0
	}
	v := r.b[0]
	r.b = r.b[1:]
	return v
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

func (r *thriftReader) text() string {
	n := r.uvarint()
	if n > uint64(len(r.b)) {
		r.fail()
		return ""
	}
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}

// fields calls take for each field of a structure. take must read the field's value.
func (r *thriftReader) fields(take func(number int16, kind byte)) {
	if r.depth++; r.depth > maxDepth {
		r.fail()
		return
	}
	number := int16(0)
	for r.err == nil {
		head := r.byte()
		if head == 0 {
			break
		}
		if delta := head >> 4; delta != 0 {
			number += int16(delta)
		} else {
			number = int16(r.varint())
		}
		take(number, head&0xf)
	}
	r.depth--
}

// each calls take for each element of a list. take must read the element.
func (r *thriftReader) each(take func(kind byte)) {
	head := r.byte()
	n, kind := uint64(head>>4), head&0xf
	if n == 15 {
		n = r.uvarint()
	}
	for ; n > 0 && r.err == nil; n-- {
		if len(r.b) == 0 { // every element takes a byte
			r.fail()
		}
		take(kind)
	}
}

// skip reads and discards a value.
func (r *thriftReader) skip(kind byte) {
	switch kind {
	case thriftTrue, thriftFalse: // the value is the type
	case thriftByte:
		r.byte()
	case thriftI16, thriftI32, thriftI64:
		r.uvarint()
	case thriftDouble:
		for range 8 {
			r.byte()
		}
	case thriftBinary:
		r.text()
	case thriftList, thriftSet:
		r.skipList()
	case thriftStruct:
		r.fields(func(_ int16, kind byte) { r.skip(kind) })
	default: // maps are nowhere in the format
		r.fail()
	}
}

func (r *thriftReader) skipList() {
	if r.depth++; r.depth > maxDepth {
		r.fail()
		return
	}
	r.each(func(kind byte) {
		if kind == thriftTrue || kind == thriftFalse {
			kind = thriftByte // in lists a truth is a byte
		}
		r.skip(kind)
	})
	r.depth--
}

// whole reads the value of an integer field.
func (r *thriftReader) whole(kind byte) int64 {
	switch kind {
	case thriftByte:
		return int64(int8(r.byte()))
	case thriftI16, thriftI32, thriftI64:
		return r.varint()
	}
	r.fail()
	return 0
}

// want sets an error unless kind is the wanted type, and reports whether it is.
func (r *thriftReader) want(kind, wanted byte) bool {
	if kind != wanted {
		r.fail()
	}
	return kind == wanted
}
