package cluster

import (
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Control carries control messages between the processes of a run: what parts of the simulation
// report to the same parts in other processes, in addition to the messages of the model. It does
// not communicate itself: whoever exchanges data between processes calls Take, sends the messages
// along, and calls Deliver.
//
// Each part registers the kinds of its messages, in the same order in all processes, before the
// first of them is delivered. Any goroutine may send. A nil Control is that of a single process,
// which sends nothing.
type Control struct {
	group   Collective
	kinds   []func(process int, body []byte)
	sources []source
	urgent  atomic.Bool
	mutex   sync.Mutex
	queues  [][]byte // by receiving process
	taken   [][]byte // the previous queues, reused by Take
}

// source is a part that creates its messages only when Take is called.
type source struct {
	pending func() bool
	send    func()
}

// Everyone, as the receiver of a control message, means all other processes.
const Everyone = -1

// NewControl returns the control of a process; nil if there is only one process.
func NewControl(g Collective) *Control {
	if !Several(g) {
		return nil
	}
	return &Control{group: g, queues: make([][]byte, g.Size()), taken: make([][]byte, g.Size())}
}

// Kind is a kind of control messages: a head and any number of rows. Neither may contain pointers.
// Both are sent as their bytes in memory, since all processes run the same program.
type Kind[Head, Row any] struct {
	control *Control
	number  uint32
}

// Register registers a kind of messages. take is called in the receiving process for each message;
// rows are valid during the call only.
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

// rowsOf converts data from Bytes back to rows. It copies them, for alignment, unless their type
// needs none.
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

// headOfMessage is the size of a message's header: its kind and its length.
const headOfMessage = 4 + 4

// Send sends a message to a process, or to Everyone else. An urgent message is received before any
// message of the model that is sent after the call. Others may wait until other data is sent to the
// process.
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

// Source registers a function, send, that sends messages whenever Take is called. pending reports
// whether these messages are urgent.
func (c *Control) Source(pending func() bool, send func()) {
	if c != nil {
		c.sources = append(c.sources, source{pending, send})
	}
}

// Pending reports whether there are urgent messages, which may not wait until other data is sent.
func (c *Control) Pending() bool {
	return c.urgent.Load() || slices.ContainsFunc(c.sources, func(s source) bool { return s.pending() })
}

// Take removes the queued messages and returns them by receiving process, valid until the next
// call.
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

// Deliver delivers messages that Take has returned in another process.
func (c *Control) Deliver(process int, messages []byte) {
	for len(messages) > 0 {
		kind, size := binary.LittleEndian.Uint32(messages), binary.LittleEndian.Uint32(messages[4:])
		messages = messages[headOfMessage:]
		c.kinds[kind](process, messages[:size])
		messages = messages[size:]
	}
}

// Exchange exchanges and delivers all messages. It is collective.
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
