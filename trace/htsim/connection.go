package htsim

import (
	"fmt"
	"strconv"
	"strings"

	"fabricast/internal/units"
	"fabricast/trace"
	"fabricast/trace/flows"
)

// Kinds of references to triggers.
const (
	started   = iota // the trigger starts the flow
	onSend           // the end of the flow at its source activates the trigger
	onReceive        // the end of the flow at its destination does
	references
)

// connection is a flow as it is read.
type connection struct {
	*matrix
	flows.Flow
	ids                 [references]int64
	id                  int64
	start               string
	sized, timed, again bool
}

// read reads a flow: SRC->DST and then words with values.
func (c *connection) read(ends string) error {
	src, dst, _ := strings.Cut(ends, "->")
	for _, end := range []struct {
		what, text string
		to         *int32
	}{{"source", src, &c.Src}, {"destination", dst, &c.Dst}} {
		n, err := c.Whole(end.what, end.text, 0, int64(c.set.Ranks-1))
		if err != nil {
			return err
		}
		*end.to = int32(n)
	}
	if err := c.words(c.word); err != nil {
		return err
	}
	return c.check()
}

// word reads a word with its value. It returns how many words it has read.
func (c *connection) word(word, value string) (used int, err error) {
	number := func(to *int64, least, most int64) (int, error) {
		*to, err = c.Whole(word, value, least, most)
		return 2, err
	}
	const most = 1<<31 - 1
	switch word {
	case "id":
		return number(&c.id, 1, most)
	case "msg": // a message of a connection, perhaps with its number
		c.again = true
		if n, wrong := strconv.ParseInt(value, 10, 64); wrong != nil || n < 1 {
			return 1, nil
		}
		return 2, nil
	case "start":
		c.timed, c.start = true, value
		return 2, nil
	case "size":
		c.sized = true
		return number(&c.Size, 0, flows.MaxBytes)
	case "trigger":
		return number(&c.ids[started], 1, most)
	case "send_done_trigger":
		return number(&c.ids[onSend], 0, most)
	case "recv_done_trigger":
		return number(&c.ids[onReceive], 0, most)
	case "prio":
		c.omit("priority of a flow")
		return number(new(int64), 0, most)
	}
	return 0, c.Fail(
		"flow", trace.Quoted(word),
		"id, msg, start, size, trigger, send_done_trigger, recv_done_trigger or prio",
	)
}

// check checks that the flow is complete.
func (c *connection) check() (err error) {
	line, known := c.named[c.id]
	switch {
	case !c.sized:
		return c.Fail("size", "nothing", "a number of bytes")
	case c.timed == (c.ids[started] != 0):
		return c.Fail("flow", "neither or both of start and trigger", "one of them")
	case c.ids[started] != 0 && c.id == 0:
		return c.Fail("id", "nothing", "the id of a flow that a trigger starts")
	case c.id != 0 && known && !c.again:
		return c.Fail("id", fmt.Sprint(c.id),
			fmt.Sprintf("one that no other flow has, unlike line %d", line))
	}
	if c.id != 0 && !known {
		c.named[c.id] = c.Number
	}
	if c.timed {
		unit := units.Picosecond // of a flow
		if c.again {
			unit = units.Microsecond // of a message of a connection
		}
		c.Start, err = c.Time("start", c.start, unit)
	}
	return err
}
