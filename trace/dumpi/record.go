package dumpi

import (
	"encoding/binary"
	"fmt"

	"fabricast/trace"
)

// record is a call of a function with its arguments. Its slices are valid until the next record is
// read.
type record struct {
	at          int64 // offset in the file, in bytes
	function    uint16
	thread      uint16
	timed       bool
	start, stop int64 // ns, modulo 2^16 seconds
	ints        [16]int64
	lists       [6][]int32
	statuses    []status
}

// status is the status of a completed receive.
type status struct {
	source, tag int32
	cancelled   bool
}

// Bits of a record's mask, which specifies the optional parts of the record.
const (
	maskStatus = 1<<0 | 1<<1
	maskCPU    = 1 << 2
	maskWall   = 1 << 3
	maskThread = 1 << 6
	maskPerf   = 1 << 7
)

// cursor parses consecutive values from data, a piece of a file. Beyond the end of data, it returns
// 0 and sets short.
type cursor struct {
	data  []byte
	at    int
	short bool // a value extended beyond the end of data
	need  int  // minimum length of data to read that value
}

// take skips n bytes. It returns false if data has fewer.
func (c *cursor) take(n int) bool {
	if c.at+n > len(c.data) {
		c.need = max(c.need, c.at+n)
		c.short = true
		return false
	}
	c.at += n
	return true
}

func (c *cursor) u8() uint8 {
	if !c.take(1) {
		return 0
	}
	return c.data[c.at-1]
}

func (c *cursor) u16() uint16 {
	if !c.take(2) {
		return 0
	}
	return binary.BigEndian.Uint16(c.data[c.at-2:])
}

func (c *cursor) u32() uint32 {
	if !c.take(4) {
		return 0
	}
	return binary.BigEndian.Uint32(c.data[c.at-4:])
}

func (c *cursor) u64() uint64 {
	if !c.take(8) {
		return 0
	}
	return binary.BigEndian.Uint64(c.data[c.at-8:])
}

// length reads the length of the list that follows, whose elements have at least each bytes. It
// returns 0 and sets short if data is too short for the list.
func (c *cursor) length(each int) int {
	n := int(c.u32())
	if n*each > len(c.data)-c.at {
		c.need = max(c.need, c.at+n*each)
		c.short = true
		return 0
	}
	return n
}

// text skips a string, which is preceded by its length.
func (c *cursor) text() { c.take(c.length(1)) }

// list reads a list of integers of size bytes, which is preceded by its length, and appends them to
// list.
func (c *cursor) list(list []int32, size int) []int32 {
	for range c.length(size) {
		switch size {
		case 1:
			list = append(list, int32(c.u8()))
		case 2:
			list = append(list, int32(c.u16()))
		default:
			list = append(list, int32(c.u32()))
		}
	}
	return list
}

// read parses the next record into r.
func (c *cursor) read(r *record) {
	r.function = c.u16()
	if r.function >= endOfStream {
		return
	}
	mask := c.u8()
	r.thread, r.timed = 0, false
	if mask&maskThread != 0 {
		r.thread = c.u16()
	}
	if mask&maskCPU != 0 {
		c.times(r)
	}
	if mask&maskWall != 0 {
		c.times(r)
	}
	if mask&maskPerf != 0 {
		c.take(16 * int(c.u8()))
	}
	c.arguments(r, functions[r.function].args, mask)
}

// times parses the start and end time of a call.
func (c *cursor) times(r *record) {
	const second = 1_000_000_000
	r.timed = true
	r.start = int64(c.u16())*second + int64(c.u32())
	r.stop = int64(c.u16())*second + int64(c.u32())
}

// arguments parses the arguments of a call. args describes them, see function.args.
func (c *cursor) arguments(r *record, args string, mask byte) {
	n, lists := 0, 0
	clear(r.ints[:])
	for i := range r.lists {
		r.lists[i] = r.lists[i][:0]
	}
	r.statuses = r.statuses[:0]
	for i := 0; i < len(args) && !c.short; i++ {
		switch args[i] {
		case 'i':
			r.ints[n] = int64(int32(c.u32()))
			n++
		case 'h':
			r.ints[n] = int64(c.u16())
			n++
		case 'b':
			r.ints[n] = int64(c.u8())
			n++
		case 'l':
			r.ints[n] = int64(c.u64())
			n++
		case 'I', 'H', 'B':
			r.lists[lists] = c.list(r.lists[lists], elementSize(args[i]))
			lists++
		case 'J':
			for range c.length(4) {
				r.lists[lists] = c.list(r.lists[lists], 4)
			}
			lists++
		case 'c', 'C', 'D':
			c.texts(args[i])
		case 'S':
			if mask&maskStatus != 0 {
				c.statuses(r)
			}
		case '?':
			i += 2
			if r.ints[args[i-1]-'0'] != r.ints[args[i]-'0'] {
				for i+1 < len(args) && args[i] != '.' {
					i++
				}
			}
		}
	}
}

// elementSize returns the size, in bytes, of the integers in a list of kind I, H or B, see
// function.args.
func elementSize(kind byte) int {
	switch kind {
	case 'B':
		return 1
	case 'H':
		return 2
	}
	return 4
}

// texts skips an argument of kind c, C or D, see function.args.
func (c *cursor) texts(kind byte) {
	switch kind {
	case 'c':
		c.text()
	case 'C':
		for range c.length(4) {
			c.text()
		}
	case 'D':
		for range c.length(4) {
			c.texts('C')
		}
	}
}

// statuses parses a list of statuses, which is preceded by its length.
func (c *cursor) statuses(r *record) {
	const size = 14
	for range c.length(size) {
		c.u32() // size of the message; undefined in recorded traces, as is the error byte
		s := status{source: int32(c.u32()), cancelled: c.u8() != 0}
		c.u8()
		s.tag = int32(c.u32())
		r.statuses = append(r.statuses, s)
	}
}

// records reads the body of a file.
type records struct {
	trace.Window
	end    int64 // offset at which the body must end; 0 if unknown
	counts [endOfStream]uint32
	record record
}

// usual is the number of bytes to read first for a record; most records are shorter.
const usual = 256

// longest is the maximum size of a record in bytes.
const longest = 1 << 30

// next reads the next record into r.record. It returns false at the end of the body.
func (r *records) next() (bool, error) {
	r.record.at = r.Offset()
	for want := usual; ; {
		data, err := r.Peek(want)
		if err != nil {
			return false, err
		}
		c := cursor{data: data}
		c.read(&r.record)
		if c.short {
			if len(data) < want || c.need > longest {
				return false, r.fail(
					"record",
					fmt.Sprintf("the end of the file %d bytes on", len(data)),
					fmt.Sprintf("at least %d bytes", c.need),
				)
			}
			want = max(2*want, c.need)
			continue
		}
		f := r.record.function
		switch {
		case f == endOfStream:
			r.Skip(c.at)
			return false, r.ended()
		case f > endOfStream || functions[f].name == "":
			return false, r.fail("function", fmt.Sprint(f), "the number of a function of MPI")
		}
		r.Skip(c.at)
		r.counts[f]++
		return true, nil
	}
}

// ended returns an error if the body does not end at the offset that the index specifies.
func (r *records) ended() error {
	if at := r.Offset(); r.end != 0 && at != r.end {
		return r.fail(
			"body",
			fmt.Sprintf("its end at byte %d", at), fmt.Sprintf("at %d, as the index says", r.end),
		)
	}
	return nil
}

// fail returns an error at the current record.
func (r *records) fail(what, found, expected string) error {
	return &trace.Error{File: r.Path, Offset: r.record.at, What: what, Found: found, Expected: expected}
}
