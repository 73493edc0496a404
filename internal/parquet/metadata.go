package parquet

import (
	"errors"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// compact is the protocol of Thrift in which the metadata is stored: the footer and page headers.
var compact thrift.CompactProtocol

// encodeMetadata encodes one of the format's structures.
func encodeMetadata(structure any) []byte { return sound(thrift.Marshal(&compact, structure)) }

// decodeMetadata decodes into a structure, which keeps parts of b, and returns the bytes after it.
func decodeMetadata(b []byte, structure any) (rest []byte, err error) {
	defer recovered(&err)
	r := &boundedReader{BytesReader: compact.NewReaderFromBytes(b), size: len(b)}
	if thrift.NewDecoder(r).Decode(structure) != nil {
		return nil, errBroken
	}
	return b[r.BytesRead():], nil
}

var errBroken = errors.New("it is broken")

// sound returns what the library has returned without an error. Else it panics: there are no errors
// in what is written, and recovered makes the panic one of what is read.
func sound[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// recovered makes a panic, as damaged data may cause it in the library, an error.
func recovered(err *error) {
	if recover() != nil {
		*err = errBroken
	}
}

// boundedReader refuses metadata for which the library would need memory or stack out of proportion.
type boundedReader struct {
	thrift.BytesReader
	size int
	open int // structures that have begun, or are still to come in a list
}

// maxOpen bounds the structures of a list, such as row groups, and their nesting.
const maxOpen = 1 << 16

// Discard passes over n bytes.
func (r *boundedReader) Discard(n int) (int, error) {
	return r.BytesReader.(interface{ Discard(n int) (int, error) }).Discard(n)
}

func (r *boundedReader) ReadField() (thrift.Field, error) {
	f, err := r.BytesReader.ReadField()
	return f, r.begin(f.Type, 1, err)
}

func (r *boundedReader) ReadList() (thrift.List, error) {
	l, err := r.BytesReader.ReadList()
	if l.Type == thrift.LIST || int(l.Size) > r.size-r.BytesRead() {
		err = errBroken // no list holds lists, and every element takes a byte
	}
	return l, r.begin(l.Type, int(l.Size), err)
}

// begin counts n values of a type that begin after err.
func (r *boundedReader) begin(t thrift.Type, n int, err error) error {
	switch t {
	case thrift.STOP:
		r.open--
	case thrift.STRUCT:
		r.open += n
	}
	if r.open > maxOpen || t == thrift.SET || t == thrift.MAP { // the format has neither
		return errBroken
	}
	return err
}
