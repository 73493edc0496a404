package otf2

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"fabricast/internal/input"
	"fabricast/trace"
)

// leastPiece is the minimum number of bytes to read from a file at once.
const leastPiece = 4 << 10

// buffer reads a file of an archive in pieces. It keeps the file open only while it reads a piece,
// because an archive may have a million files, one per location.
type buffer struct {
	path  string
	chunk int    // number of bytes to read at once
	data  []byte // the current piece of the file
	at    int    // current position in data
	start int64  // offset of data in the file
	begun bool   // the byte order is known
	big   bool   // integers are big-endian
	ended bool   // data extends to the end of the file
}

// fail returns an error at the current position.
func (b *buffer) fail(what, found, expected string) error {
	return &trace.Error{
		File:     b.path,
		Offset:   b.start + int64(b.at),
		What:     what,
		Found:    found,
		Expected: expected,
	}
}

// need makes n bytes available at the current position. It returns io.EOF if the file ends at that
// position.
func (b *buffer) need(n int) error {
	if len(b.data)-b.at >= n {
		return nil
	}
	return b.fill(n)
}

// fill reads the piece of the file that starts at the current position, with at least n bytes.
func (b *buffer) fill(n int) error {
	left := len(b.data) - b.at
	if b.ended {
		return b.short(n, left)
	}
	f, all, err := input.Open(b.path, input.Trace)
	if err != nil {
		return err
	}
	defer f.Close()
	b.start += int64(b.at)
	b.at = 0
	// a damaged length must not allocate more memory than the file's size
	size := min(int64(max(n, b.chunk, leastPiece)), max(0, all-b.start))
	if int64(cap(b.data)) < size {
		b.data = make([]byte, size)
	}
	b.data = b.data[:size]
	got, err := f.ReadAt(b.data, b.start)
	if err != nil && err != io.EOF {
		return err
	}
	b.data = b.data[:got]
	b.ended = b.start+int64(got) >= all
	if got < n {
		return b.short(n, got)
	}
	return nil
}

// short returns the error for a file that has only left of n required bytes; io.EOF if left is 0.
func (b *buffer) short(n, left int) error {
	if left == 0 {
		return io.EOF
	}
	b.at = len(b.data)
	return b.fail("record", fmt.Sprintf("the end of the file %d bytes on", left), fmt.Sprintf("%d bytes", n))
}

// truncated returns an error for a truncated record if err is io.EOF, otherwise err.
func (b *buffer) truncated(err error) error {
	if err == io.EOF {
		return b.fail("record", "the end of the file", "the rest of the record")
	}
	return err
}

// byte reads a byte.
func (b *buffer) byte() (byte, error) {
	if err := b.need(1); err != nil {
		return 0, err
	}
	c := b.data[b.at]
	b.at++
	return c, nil
}

// fixed reads an uncompressed integer of eight bytes.
func (b *buffer) fixed() (uint64, error) {
	if err := b.need(8); err != nil {
		return 0, err
	}
	f := fields{data: b.data, at: b.at, end: b.at + 8, big: b.big}
	b.at += 8
	return f.fixed(), nil
}

// undefined is the value of an undefined reference.
const undefined = 1<<32 - 1

// fields parses the fields of a record. If a field extends beyond the record, it sets wrong.
type fields struct {
	data    []byte // the piece of the file that contains the record
	at, end int    // range in data of the unread bytes of the record
	big     bool   // integers are big-endian
	wrong   bool
}

// left returns the number of unread bytes.
func (f *fields) left() int { return f.end - f.at }

// u8 reads a byte.
func (f *fields) u8() byte {
	if f.at >= f.end {
		f.wrong = true
		return 0
	}
	c := f.data[f.at]
	f.at++
	return c
}

// longestInt is the maximum size of a compressed integer in bytes.
const longestInt = 9

// intMasks holds bit masks for integers of 0 to 8 bytes.
var intMasks = [...]uint64{
	0,
	1<<8 - 1,
	1<<16 - 1,
	1<<24 - 1,
	1<<32 - 1,
	1<<40 - 1,
	1<<48 - 1,
	1<<56 - 1,
	1<<64 - 1,
}

// uint reads a compressed integer: a byte with its size, then its bytes. The size 255 means
// "undefined". The fast path is for values below 256, which are the most frequent.
func (f *fields) uint() uint64 {
	if at := f.at; at+1 < f.end && f.data[at] < 2 {
		n := f.data[at]
		f.at += 1 + int(n)
		return uint64(f.data[at+1] & -n)
	}
	return f.longUint()
}

// longUint implements uint for all values. If data has eight more bytes, it loads them at once and
// masks those that are not part of the integer.
func (f *fields) longUint() uint64 {
	at := f.at
	if at+longestInt > len(f.data) || f.big {
		return f.slowUint(undefined)
	}
	n := int(f.data[at])
	if n >= len(intMasks) || at+1+n > f.end {
		return f.slowUint(undefined)
	}
	f.at = at + 1 + n
	return binary.LittleEndian.Uint64(f.data[at+1:]) & intMasks[n]
}

// uint64 is like uint, but the size 255 means the maximum value of 64 bits.
func (f *fields) uint64() uint64 {
	if f.at < f.end && f.data[f.at] == 0xff {
		return f.slowUint(math.MaxUint64)
	}
	return f.uint()
}

// slowUint reads a compressed integer byte by byte. It returns highest for the size 255.
func (f *fields) slowUint(highest uint64) uint64 {
	n := f.u8()
	if n == 0xff {
		return highest
	}
	return f.sized(int(n))
}

// skip skips count compressed integers.
func (f *fields) skip(count int) {
	for ; count > 0; count-- {
		if n := int(f.u8()); n <= 8 && n <= f.left() {
			f.at += n
		} else if n != 0xff {
			f.wrong = true
		}
	}
}

// sized reads an uncompressed integer of n bytes.
func (f *fields) sized(n int) uint64 {
	if n > 8 || n > f.left() {
		f.wrong = true
		return 0
	}
	var v uint64
	for i := range n {
		shift := 8 * i
		if f.big {
			shift = 8 * (n - 1 - i)
		}
		v |= uint64(f.data[f.at+i]) << shift
	}
	f.at += n
	return v
}

// fixed reads an uncompressed integer of eight bytes.
func (f *fields) fixed() uint64 { return f.sized(8) }

// text reads a string, which is terminated by a zero byte.
func (f *fields) text() string {
	unread := f.data[f.at:f.end]
	n := bytes.IndexByte(unread, 0)
	if n < 0 {
		f.wrong = true
		return ""
	}
	f.at += n + 1
	return string(unread[:n])
}
