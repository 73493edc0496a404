package otf2

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
)

// Minimum and maximum chunk size, in bytes, that the OTF2 library accepts.
const (
	leastChunk = 256 << 10
	mostChunk  = 16 << 20
)

// chunkHeaderSize is the size of a chunk header, and lastEventAt the offset in it of the number of
// the chunk's last event.
const (
	chunkHeaderSize = 18
	lastEventAt     = 10
)

// chunks writes a file of an archive record by record. It holds records in memory until save writes
// them. It keeps the file open only during save.
type chunks struct {
	path    string
	size    int  // size of a chunk, in bytes
	stamped bool // records have timestamps: it is an event file

	b       []byte // bytes that have not been saved
	saved   int64  // number of bytes saved
	begin   int64  // offset of the current chunk in the file; -1 before the first chunk
	records uint64
	time    int64 // timestamp of the last record
	err     error
}

// newChunks returns a writer of the file path with chunks of size bytes.
func newChunks(path string, size int, stamped bool) chunks {
	return chunks{path: path, size: size, stamped: stamped, begin: -1}
}

// add appends a record with the given time. The encoded attributes precede the record.
func (c *chunks) add(time int64, attributes, record []byte) {
	const stampSize, endSize = 9, 2
	need := stampSize + len(attributes) + len(record) + endSize
	if need > c.size-chunkHeaderSize {
		if c.err == nil {
			c.err = fmt.Errorf(
				"%s: a record of %d bytes does not fit into a chunk of %d", c.path, need, c.size,
			)
		}
		return
	}
	stamp := c.stamped && time != c.time
	if c.begin < 0 || c.at()-c.begin+int64(need) > int64(c.size) {
		c.newChunk()
		stamp = c.stamped
	}
	if stamp {
		c.b = append(c.b, timestamp)
		c.b = binary.LittleEndian.AppendUint64(c.b, uint64(time))
		c.time = time
	}
	c.b = append(c.b, attributes...)
	c.b = append(c.b, record...)
	c.records++
}

// at returns the current length of the file in bytes, including the bytes not yet saved.
func (c *chunks) at() int64 { return c.saved + int64(len(c.b)) }

// newChunk ends the current chunk and starts the next one.
func (c *chunks) newChunk() {
	if c.begin >= 0 {
		c.b = append(c.b, endOfChunk)
		c.b = append(c.b, make([]byte, c.begin+int64(c.size)-c.at())...)
		c.number()
	}
	c.begin = c.at()
	c.b = append(c.b, chunkHeader, littleEndian)
	c.b = binary.LittleEndian.AppendUint64(c.b, c.records+1)
	c.b = binary.LittleEndian.AppendUint64(c.b, 0)
}

// number writes the number of the last event into the header of the current chunk.
func (c *chunks) number() {
	if !c.stamped {
		return
	}
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], c.records)
	place := c.begin + lastEventAt
	if place >= c.saved {
		copy(c.b[place-c.saved:], n[:])
		return
	}
	c.writeAt(n[:], place)
}

// save writes the bytes in memory to the file.
func (c *chunks) save() {
	c.writeAt(c.b, c.saved)
	c.saved += int64(len(c.b))
	c.b = c.b[:0]
}

func (c *chunks) writeAt(b []byte, place int64) {
	if c.err != nil {
		return
	}
	f, err := os.OpenFile(c.path, os.O_WRONLY|os.O_CREATE, 0o666)
	if err == nil {
		_, err = f.WriteAt(b, place)
		if closed := f.Close(); err == nil {
			err = closed
		}
	}
	c.err = err
}

// end ends the last chunk and writes the rest of the file.
func (c *chunks) end() error {
	if c.begin < 0 {
		c.newChunk()
	}
	c.b = append(c.b, endOfFile, endOfChunk)
	c.number()
	c.save()
	c.b = nil
	return c.err
}

// appendInt appends a compressed integer.
func appendInt(b []byte, v uint64) []byte {
	if v == math.MaxUint64 {
		return append(b, 0xff)
	}
	place := len(b)
	b = append(b, 0)
	for ; v != 0; v >>= 8 {
		b[place]++
		b = append(b, byte(v))
	}
	return b
}

// appendInt32 appends a compressed integer of 32 bits. Its maximum value means "undefined".
func appendInt32(b []byte, v uint32) []byte {
	if v == math.MaxUint32 {
		return append(b, 0xff)
	}
	return appendInt(b, uint64(v))
}

// appendText appends a string and a terminating zero byte. It omits zero bytes in s.
func appendText(b []byte, s string) []byte {
	for i := range len(s) {
		if s[i] != 0 { // a zero byte would terminate the string
			b = append(b, s[i])
		}
	}
	return append(b, 0)
}

// appendRecord appends a record of the given kind with the encoded fields.
func appendRecord(b []byte, kind byte, fields []byte) []byte {
	b = append(b, kind)
	if n := len(fields); n < 0xff {
		b = append(b, byte(n))
	} else {
		b = append(b, 0xff)
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return append(b, fields...)
}
