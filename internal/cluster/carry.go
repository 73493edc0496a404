package cluster

import (
	"bufio"
	"io"
)

// ExchangeChunk sends a chunk from process `from` to the first process, which receives it as data,
// valid until the next Exchange. ends says that it is that process's last chunk; over returns this
// to all. It is collective.
func ExchangeChunk(g Collective, from int, chunk []byte, ends bool) (data []byte, over bool) {
	to := make([][]byte, g.Size())
	if from == g.Rank() {
		to[0] = chunk
	}
	data = g.Exchange(to)[from]
	values := []int64{0}
	if ends {
		values[0] = -1
	}
	g.Least(values)
	return data, values[0] < 0
}

// Carry sends what write writes in each of the other processes to the first, which calls read for
// one process after the other. It needs little memory, whatever the size of the data. It is
// collective, and each process gets its own error.
func Carry(g Collective, write func(io.Writer) error, read func(process int, r *bufio.Reader) error) error {
	var err error
	for from := 1; from < g.Size(); from++ {
		c := &carried{g: g, from: from}
		switch g.Rank() {
		case 0:
			if err == nil {
				err = read(from, bufio.NewReader(c))
			}
		case from:
			out := bufio.NewWriterSize(c, carriedAtOnce)
			if err = write(out); err == nil {
				err = out.Flush()
			}
			c.end()
		}
		c.rest()
	}
	return err
}

// carriedAtOnce is the size in bytes of a message of Carry.
const carriedAtOnce = 1 << 20

// carried is the stream that one process writes and the first process reads.
type carried struct {
	g    Collective
	from int
	data []byte // received data that has not been read
	over bool
}

// Write implements io.Writer.
func (c *carried) Write(b []byte) (int, error) {
	ExchangeChunk(c.g, c.from, b, false)
	return len(b), nil
}

// end marks the end of the stream.
func (c *carried) end() {
	ExchangeChunk(c.g, c.from, nil, true)
	c.over = true
}

// Read implements io.Reader.
func (c *carried) Read(b []byte) (int, error) {
	for len(c.data) == 0 {
		if c.over {
			return 0, io.EOF
		}
		c.data, c.over = ExchangeChunk(c.g, c.from, nil, false)
	}
	n := copy(b, c.data)
	c.data = c.data[n:]
	return n, nil
}

// rest participates in exchanges until the stream ends.
func (c *carried) rest() {
	for !c.over {
		_, c.over = ExchangeChunk(c.g, c.from, nil, false)
	}
}
