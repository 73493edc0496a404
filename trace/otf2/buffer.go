package otf2

import (
	"encoding/binary"
	"fmt"
	"io"

	"fabricast/internal/input"
	"fabricast/trace"
)

// chunk is how much of a file is read at once, in bytes.
const chunk = 32 << 10

// buffer reads one file of an archive piece by piece. It holds no file open, since an archive may
// have a file for each of a million locations.
type buffer struct {
	path  string
	data  []byte // a piece of the file
	at    int    // in data
	start int64  // of data in the file
	order binary.ByteOrder
	ended bool // data reaches to the end of the file
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

// need makes n bytes available from the current position on. It returns io.EOF if the file ends
// there.
func (b *buffer) need(n int) error {
	if len(b.data)-b.at >= n {
		return nil
	}
	return b.fill(n)
}

// fill reads a piece of the file from the current position on, with at least n bytes.
func (b *buffer) fill(n int) error {
	left := len(b.data) - b.at
	if b.ended {
		return b.short(n, left)
	}
	f, _, err := input.Open(b.path, input.Trace)
	if err != nil {
		return err
	}
	defer f.Close()
	b.start += int64(b.at)
	b.at = 0
	info, err := f.Stat()
	if err != nil {
		return err
	}
	// a damaged length must not allocate more memory than the file's size
	size := min(int64(max(n, chunk)), max(0, info.Size()-b.start))
	if int64(cap(b.data)) < size {
		b.data = make([]byte, size)
	}
	b.data = b.data[:size]
	got, err := f.ReadAt(b.data, b.start)
	if err != nil && err != io.EOF {
		return err
	}
	b.data = b.data[:got]
	b.ended = b.start+int64(got) >= info.Size()
	if got < n {
		return b.short(n, got)
	}
	return nil
}

// short returns the error of a file that ends too early; io.EOF if nothing is left.
func (b *buffer) short(n, left int) error {
	if left == 0 {
		return io.EOF
	}
	b.at = len(b.data)
	return b.fail("record", fmt.Sprintf("the end of the file %d bytes on", left), fmt.Sprintf("%d bytes", n))
}

// truncated converts the end of the file within a record into an error.
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

// fixed reads an integer of eight bytes.
func (b *buffer) fixed() (uint64, error) {
	if err := b.need(8); err != nil {
		return 0, err
	}
	n := b.order.Uint64(b.data[b.at:])
	b.at += 8
	return n, nil
}

// undefined is the value of a reference to nothing.
const undefined = 1<<32 - 1

// fields are the unread bytes of one record. After the first failure all reads fail.
type fields struct {
	data  []byte
	order binary.ByteOrder
	wrong bool
}

// u8 reads a byte.
func (f *fields) u8() byte {
	if len(f.data) == 0 {
		f.wrong = true
		return 0
	}
	c := f.data[0]
	f.data = f.data[1:]
	return c
}

// uint reads a compressed integer: the number of its bytes, then the bytes. 255 stands for
// "undefined".
func (f *fields) uint() uint64 {
	n := f.u8()
	if n == 0xff {
		return undefined
	}
	return f.sized(int(n))
}

// sized reads an integer of n bytes.
func (f *fields) sized(n int) uint64 {
	if n > 8 || n > len(f.data) {
		f.wrong = true
		return 0
	}
	var v uint64
	for i := range n {
		shift := 8 * i
		if f.order == binary.BigEndian {
			shift = 8 * (n - 1 - i)
		}
		v |= uint64(f.data[i]) << shift
	}
	f.data = f.data[n:]
	return v
}

// fixed reads an integer of eight bytes.
func (f *fields) fixed() uint64 { return f.sized(8) }

// text reads a string that ends with a zero byte.
func (f *fields) text() string {
	for i, c := range f.data {
		if c == 0 {
			s := string(f.data[:i])
			f.data = f.data[i+1:]
			return s
		}
	}
	f.wrong = true
	return ""
}
