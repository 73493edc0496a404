package parquet

import (
	"errors"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// compact is the Thrift protocol in which the metadata (the footer and page headers) is stored.
var compact thrift.CompactProtocol

// encodeMetadata encodes one of the format's structures.
func encodeMetadata(structure any) []byte { return sound(thrift.Marshal(&compact, structure)) }

// decodeMetadata decodes b into a structure, which may refer to parts of b, and returns the
// remaining bytes.
func decodeMetadata(b []byte, structure any) (rest []byte, err error) {
	defer recovered(&err)
	r := &boundedReader{BytesReader: compact.NewReaderFromBytes(b), size: len(b)}
	if thrift.NewDecoder(r).Decode(structure) != nil {
		return nil, errBroken
	}
	return b[r.BytesRead():], nil
}

var errBroken = errors.New("it is broken")

// sound returns the library's result v if there is no error, and otherwise panics. There are no
// errors in written metadata; for metadata that is read, recovered converts the panic to an error.
func sound[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// recovered converts a panic to an error. Damaged data can make the library panic.
func recovered(err *error) {
	if recover() != nil {
		*err = errBroken
	}
}

// boundedReader rejects metadata for which the library would need an excessive amount of memory or
// stack.
type boundedReader struct {
	thrift.BytesReader
	size int
	open int // number of structures that have started, or are still to come in a list
}

// maxOpen limits the number of structures of a list, such as row groups, and their nesting.
const maxOpen = 1 << 16

// Discard skips n bytes.
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
		err = errBroken // no list contains lists, and every element takes at least a byte
	}
	return l, r.begin(l.Type, int(l.Size), err)
}

// begin counts n values of a type that start here, unless err is not nil.
func (r *boundedReader) begin(t thrift.Type, n int, err error) error {
	switch t {
	case thrift.STOP:
		r.open--
	case thrift.STRUCT:
		r.open += n
	}
	if r.open > maxOpen || t == thrift.SET || t == thrift.MAP { // the format uses neither sets nor maps
		return errBroken
	}
	return err
}
