package cluster

import (
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Control carries control messages between the processes of a run: what a part of the simulation has
// to let the same part of other processes know, beside the messages of the model. It sends nothing by
// itself. Whoever carries something between processes takes the messages along and delivers them there.
//
// Each part registers the kinds of its messages, in the same order in all processes, before the first
// of them is delivered. Any goroutine may send. A nil Control is that of one process, which sends
// nothing.
type Control struct {
	group   Collective
	kinds   []func(process int, body []byte)
	sources []source
	urgent  atomic.Bool
	mutex   sync.Mutex
	queues  [][]byte // by process
	taken   [][]byte // what queues were before
}

// source is a part that makes its messages only when they are taken.
type source struct {
	pending func() bool
	send    func()
}

// Everyone as the receiver of a control message stands for all other processes.
const Everyone = -1

// NewControl returns what carries the control messages of a process; nil if it is alone.
func NewControl(g Collective) *Control {
	if !Several(g) {
		return nil
	}
	return &Control{group: g, queues: make([][]byte, g.Size()), taken: make([][]byte, g.Size())}
}

// Kind is a kind of control messages: a head, and rows of any number. Neither has pointers, and both
// are sent as they lie in memory, since all processes run the same program.
type Kind[Head, Row any] struct {
	control *Control
	number  uint32
}

// Register makes a kind of messages known, which take gets where they arrive. rows are valid during the
// call only.
func Register[Head, Row any](c *Control, take func(process int, head Head, rows []Row)) Kind[Head, Row] {
	if c == nil {
		return Kind[Head, Row]{}
	}
	number := uint32(len(c.kinds))
	c.kinds = append(c.kinds, func(process int, body []byte) {
		head := make([]Head, 1)
		body = body[copy(Bytes(head), body):]
		take(process, head[0], rowsOf[Row](body))
	})
	return Kind[Head, Row]{c, number}
}

// rowsOf returns the rows that Bytes has turned into data: a copy, which lies where rows must, unless
// they may lie anywhere.
func rowsOf[Row any](data []byte) []Row {
	var row Row
	switch {
	case len(data) == 0:
		return nil
	case unsafe.Alignof(row) == 1:
		return unsafe.Slice((*Row)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/int(unsafe.Sizeof(row)))
	}
	rows := make([]Row, len(data)/int(unsafe.Sizeof(row)))
	copy(Bytes(rows), data)
	return rows
}

// headOfMessage is the length of what precedes a message: its kind and its length.
const headOfMessage = 4 + 4

// Send sends a message to a process, or to Everyone else. An urgent one arrives before any message of
// the model that is sent after the call; others may wait until something else goes there.
func (k Kind[Head, Row]) Send(to int, urgent bool, head Head, rows []Row) {
	c := k.control
	if c == nil {
		return
	}
	first, rest := Bytes([]Head{head}), Bytes(rows)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for p := range c.queues {
		if p == c.group.Rank() || to != Everyone && to != p {
			continue
		}
		q := binary.LittleEndian.AppendUint32(c.queues[p], k.number)
		q = binary.LittleEndian.AppendUint32(q, uint32(len(first)+len(rest)))
		c.queues[p] = append(append(q, first...), rest...)
	}
	if urgent {
		c.urgent.Store(true)
	}
}

// Source makes send send messages whenever messages are taken. pending reports whether these may not
// wait until something else goes to other processes.
func (c *Control) Source(pending func() bool, send func()) {
	if c != nil {
		c.sources = append(c.sources, source{pending, send})
	}
}

// Pending reports whether there are messages that may not wait until something else goes to other
// processes.
func (c *Control) Pending() bool {
	return c.urgent.Load() || slices.ContainsFunc(c.sources, func(s source) bool { return s.pending() })
}

// Take returns the messages for each process, by process, valid until the next call, and forgets them.
func (c *Control) Take() [][]byte {
	for _, s := range c.sources {
		s.send()
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.urgent.Store(false)
	c.queues, c.taken = c.taken, c.queues
	for p := range c.queues {
		c.queues[p] = c.queues[p][:0]
	}
	return c.taken
}

// Deliver passes on what Take has returned in another process for this one.
func (c *Control) Deliver(process int, messages []byte) {
	for len(messages) > 0 {
		kind, size := binary.LittleEndian.Uint32(messages), binary.LittleEndian.Uint32(messages[4:])
		messages = messages[headOfMessage:]
		c.kinds[kind](process, messages[:size])
		messages = messages[size:]
	}
}

// Exchange brings all messages to where they belong. All processes call it.
func (c *Control) Exchange() {
	if c == nil {
		return
	}
	for p, messages := range c.group.Exchange(c.Take()) {
		if p != c.group.Rank() {
			c.Deliver(p, messages)
		}
	}
}
