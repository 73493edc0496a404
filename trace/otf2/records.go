package otf2

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Kinds of records that have the same ID in all files. The meaning of other IDs depends on the type
// of the file.
const (
	padding     = 0 // after the last record of a chunk
	endOfChunk  = 1
	endOfFile   = 2
	chunkHeader = 3
	timestamp   = 5 // in event files
	attributes  = 6 // in event files: attributes of the next event
)

// timestampSize is the size of a timestamp in bytes.
const timestampSize = 9

// Values of the byte in a chunk header that specifies the byte order of integers.
const (
	bigEndian    = '#'
	littleEndian = 'B'
)

// records reads the records of a file one by one.
type records struct {
	buffer
	events bool   // the file has timestamps
	time   uint64 // the last timestamp, in ticks
}

// next reads the next record. It returns the kind, and sets f to the fields, which are valid until
// the next call. It returns io.EOF after the last record.
func (r *records) next(f *fields) (kind byte, err error) {
	for {
		if r.at+timestampSize <= len(r.data) && r.data[r.at] == timestamp && r.events && r.begun && !r.big {
			r.time = binary.LittleEndian.Uint64(r.data[r.at+1:])
			r.at += timestampSize
			continue
		}
		kind, err = r.byte()
		if err != nil {
			return 0, r.truncated(err)
		}
		if kind > attributes && r.begun {
			return kind, r.truncated(r.body(kind, f))
		}
		switch {
		case kind == chunkHeader:
			err = r.chunkHeader()
		case !r.begun:
			err = r.fail("file", fmt.Sprintf("byte %d", kind), "the header of a chunk, 3")
		case kind == endOfFile:
			return 0, io.EOF
		case kind == endOfChunk, kind == padding:
			err = r.skipToChunk()
		case kind == timestamp && r.events:
			r.time, err = r.fixed()
		default:
			return kind, r.truncated(r.body(kind, f))
		}
		if err != nil {
			return 0, r.truncated(err)
		}
	}
}

// chunkHeader reads the rest of a chunk header: the byte order, and the numbers of the first and
// last event of the chunk.
func (r *records) chunkHeader() error {
	c, err := r.byte()
	if err != nil {
		return err
	}
	if c != littleEndian && c != bigEndian {
		return r.fail("order of bytes", fmt.Sprintf("byte %d", c), "66 (little-endian) or 35 (big-endian)")
	}
	r.begun, r.big = true, c == bigEndian
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
func (r *records) body(kind byte, f *fields) error {
	if err := r.need(1); err != nil {
		return err
	}
	n := r.data[r.at]
	if r.events && isSingle[kind] {
		return r.singleField(n, f)
	}
	r.at++
	if n == 0xff {
		return r.longBody(f)
	}
	return r.take(int(n), f)
}

// longBody reads a record whose length does not fit into a byte.
func (r *records) longBody(f *fields) error {
	length, err := r.fixed()
	if err != nil {
		return err
	}
	if length > 1<<40 {
		return r.fail("record", fmt.Sprintf("a length of %d bytes", length), "less than the file's")
	}
	return r.take(int(length), f)
}

// singleField sets f to an event whose only field is a compressed integer with first byte n.
func (r *records) singleField(n byte, f *fields) error {
	const undefinedByte, most = 0xff, 8
	switch {
	case n == undefinedByte:
		n = 0
	case n > most:
		return r.fail("record", fmt.Sprintf("an integer of %d bytes", n), fmt.Sprintf("at most %d", most))
	}
	return r.take(1+int(n), f)
}

// take sets f to the next n bytes of the file.
func (r *records) take(n int, f *fields) error {
	if err := r.need(n); err != nil {
		return err
	}
	f.data, f.at, f.end, f.big, f.wrong = r.data, r.at, r.at+n, r.big, false
	r.at += n
	return nil
}
