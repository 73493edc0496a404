package bigsim

import (
	"encoding/binary"
	"fmt"
	"math"
)

// cursor parses consecutive values from data, a piece of a file. Beyond the end of data, it returns
// 0 and sets short.
type cursor struct {
	order binary.ByteOrder
	data  []byte
	at    int
	short bool // a value extended beyond the end of data
	need  int  // minimum length of data to read that value
}

// take returns the next n bytes; nil if data has fewer.
func (c *cursor) take(n int) []byte {
	if c.at+n > len(c.data) {
		c.need = max(c.need, c.at+n)
		c.short = true
		return nil
	}
	c.at += n
	return c.data[c.at-n : c.at]
}

func (c *cursor) i32() int32 {
	if b := c.take(4); b != nil {
		return int32(c.order.Uint32(b))
	}
	return 0
}

func (c *cursor) i16() int16 {
	if b := c.take(2); b != nil {
		return int16(c.order.Uint16(b))
	}
	return 0
}

func (c *cursor) f64() float64 {
	if b := c.take(8); b != nil {
		return math.Float64frombits(c.order.Uint64(b))
	}
	return 0
}

// length reads the length of the list that follows, whose elements have at least each bytes. It
// returns 0 and sets short if data is too short for the list.
func (c *cursor) length(each int) int {
	n := int(c.i32())
	switch {
	case n < 0:
		c.need = math.MaxInt
		c.short = true
		return 0
	case n*each > len(c.data)-c.at:
		c.need = max(c.need, c.at+n*each)
		c.short = true
		return 0
	}
	return n
}

// block is an execution block: an uninterrupted piece of execution on a PE. Times are in seconds.
type block struct {
	seqno       int32
	pe, message int32 // sending PE and ID of the message that started it; pe is negative if none did
	start, end  float64
	lasts       float64
	first       bool // the execution block marks the start of the region of interest
	name        []byte
	messages    []message
	after       []int32 // IDs of the execution blocks that must end before this one starts
}

// message is a message sent by an execution block.
type message struct {
	number int32
	node   int32 // receiving node. -1: all; -100 and below: all but node (-100 - node)
	thread int16 // receiving thread of the node; below 0: all
	size   int32
	sent   float64
}

// read parses an execution block into b, in the given version of the format.
func (c *cursor) read(b *block, version int32) {
	const (
		withOperation, withEntry = 6, 4 // versions
		shortObjects             = 2
	)
	c.i32() // entry point
	b.seqno, b.pe, b.message = c.i32(), c.i32(), c.i32()
	if version >= withOperation {
		c.take(6)
	}
	if version >= withEntry {
		c.take(2)
	}
	c.take(16) // times at which the message was received
	b.start, b.lasts, b.end = c.f64(), c.f64(), c.f64()
	const nameSize = 20
	if flag := c.take(1); flag != nil {
		b.first = flag[0] != 0
	}
	b.name = name(c.take(nameSize))
	object := 16
	if version == shortObjects {
		object = 12
	}
	c.take(object)
	b.messages = b.messages[:0]
	const messageSize = 34
	for range c.length(messageSize) {
		m := message{number: c.i32(), node: c.i32(), sent: c.f64()}
		c.f64() // time at which it was received
		m.thread, m.size = c.i16(), c.i32()
		c.i32() // group
		b.messages = append(b.messages, m)
	}
	c.events()
	b.after = b.after[:0]
	for range c.length(4) {
		b.after = append(b.after, c.i32())
	}
	c.take(4 * c.length(4)) // IDs of the execution blocks that depend on this one; redundant
}

// events skips the user and runtime events in an execution block.
func (c *cursor) events() {
	const least, number = 13, 1
	for range c.length(least) {
		kind := c.take(1)
		c.f64()
		if kind == nil || kind[0] == number {
			c.i32()
		} else {
			c.take(c.length(1))
		}
	}
}

// name returns the part of b before its first zero byte.
func name(b []byte) []byte {
	for i, c := range b {
		if c == 0 {
			return b[:i]
		}
	}
	return b
}

// Is reports whether begin is the start of a BigSim log file.
func Is(begin []byte) bool {
	return len(begin) >= machineSize && string(begin[:4]) == "\x10\xea\xbd\xf9"
}

// machineSize is the size, in bytes, of the description of the data types of the machine that wrote
// the file.
const machineSize = 16

// readMachine parses the description of the data types of the machine that wrote the file, and
// returns its byte order. If a data type has an unsupported size, wrong describes it for an error
// message.
func readMachine(b []byte) (order binary.ByteOrder, wrong string) {
	const (
		older    = 0 // a version without the size of long long
		integers = 5 // offset of the integer sizes
	)
	sizes := 5
	if b[4] == older {
		sizes = 4
	}
	for i, want := range []byte{1, 2, 4, 8} { // char, short, int, long
		if got := b[integers+i]; got != want && (i != 3 || got != 4) {
			return nil, fmt.Sprintf("an integer type of %d bytes", got)
		}
	}
	rest := b[integers+sizes:]
	if rest[1] != 4 || rest[2] != 8 {
		return nil, fmt.Sprintf("floating-point types of %d and %d bytes", rest[1], rest[2])
	}
	if rest[0] == 1 {
		return binary.LittleEndian, ""
	}
	return binary.BigEndian, ""
}
