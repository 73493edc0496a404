package otf2

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Kinds of records that occur in every file. Other kinds depend on the file.
const (
	padding     = 0 // behind the last record of a chunk
	endOfChunk  = 1
	endOfFile   = 2
	chunkHeader = 3
	timestamp   = 5 // in files of events
	attributes  = 6 // in files of events: of the event that follows
)

// Values that give the byte order of integers.
const (
	bigEndian    = '#'
	littleEndian = 'B'
)

// records reads the records of a file one by one.
type records struct {
	buffer
	events bool   // the file has timestamps
	single []byte // kinds of records whose length byte is that of their only field
	time   uint64 // ticks, of the last timestamp
}

// next reads the next record: its kind, and its fields, which are valid until the next call. It
// returns io.EOF after the last record.
func (r *records) next() (kind byte, f fields, err error) {
	for {
		kind, err = r.byte()
		if err != nil {
			return 0, f, r.truncated(err)
		}
		switch {
		case kind == chunkHeader:
			err = r.chunkHeader()
		case r.order == nil:
			err = r.fail("file", fmt.Sprintf("byte %d", kind), "the header of a chunk, 3")
		case kind == endOfFile:
			return 0, f, io.EOF
		case kind == endOfChunk, kind == padding:
			err = r.skipToChunk()
		case kind == timestamp && r.events:
			r.time, err = r.fixed()
		default:
			f, err = r.body(kind)
			return kind, f, r.truncated(err)
		}
		if err != nil {
			return 0, f, r.truncated(err)
		}
	}
}

// chunkHeader reads the rest of a chunk's header: the byte order, and the numbers of its first and
// last event.
func (r *records) chunkHeader() error {
	c, err := r.byte()
	if err != nil {
		return err
	}
	switch c {
	case littleEndian:
		r.order = binary.LittleEndian
	case bigEndian:
		r.order = binary.BigEndian
	default:
		return r.fail("order of bytes", fmt.Sprintf("byte %d", c), "66 (little-endian) or 35 (big-endian)")
	}
	if _, err := r.fixed(); err != nil {
		return err
	}
	_, err = r.fixed()
	return err
}

// skipToChunk skips the padding after the last record of a chunk.
func (r *records) skipToChunk() error {
	for {
		c, err := r.byte()
		if err != nil {
			return err
		}
		switch c {
		case 0:
		case chunkHeader:
			return r.chunkHeader()
		case endOfFile:
			r.at--
			return nil
		default:
			return r.fail("padding of a chunk", fmt.Sprintf("byte %d", c), "0, or the header of a chunk, 3")
		}
	}
}

// body reads the length and the fields of a record.
func (r *records) body(kind byte) (f fields, err error) {
	if err := r.need(1); err != nil {
		return f, err
	}
	n := r.data[r.at]
	if r.isSingle(kind) {
		return r.singleField(n)
	}
	r.at++
	length := uint64(n)
	if n == 0xff {
		if length, err = r.fixed(); err != nil {
			return f, err
		}
	}
	if length > 1<<40 {
		return f, r.fail("record", fmt.Sprintf("a length of %d bytes", length), "less than the file's")
	}
	return r.taken(int(length))
}

// singleField reads an integer whose first byte is n, and returns it undecoded.
func (r *records) singleField(n byte) (f fields, err error) {
	const undefinedByte, most = 0xff, 8
	switch {
	case n == undefinedByte:
		n = 0
	case n > most:
		return f, r.fail("record", fmt.Sprintf("an integer of %d bytes", n), fmt.Sprintf("at most %d", most))
	}
	return r.taken(1 + int(n))
}

// taken reads n bytes.
func (r *records) taken(n int) (f fields, err error) {
	if err := r.need(n); err != nil {
		return f, err
	}
	f = fields{data: r.data[r.at : r.at+n], order: r.order}
	r.at += n
	return f, nil
}

// isSingle reports whether a record's length is that of its only field.
func (r *records) isSingle(kind byte) bool {
	for _, k := range r.single {
		if k == kind {
			return true
		}
	}
	return false
}
