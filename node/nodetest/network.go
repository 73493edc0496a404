// Package nodetest provides what tests of rank programs need: a network without contention, on
// which every message takes a fixed latency and a time for each byte, and runs of a program on both
// the fabric and the oracle, whose results must agree.
package nodetest

import (
	"fabricast/fabric"
	"fabricast/node"
)

// Network is a fabric.Transport for all hosts of a world. Set the exported
// fields before Run.
type Network struct {
	Latency  int64 // ps from the time the NIC may start to the delivery of an empty message
	ByteTime int64 // additional ps for each byte
	ReadTime int64 // ps for each byte until the NIC has read it from memory
	Late     bool  // report deliveries and fetches when they happen, not ahead of time
	// Posted, if not nil, is called for every message that is posted; the Extra is nil if the
	// message has none.
	Posted func(m *fabric.Message, x *fabric.Extra)

	now      int64
	nics     int32
	endpoint fabric.Endpoint
	timers   []int64 // by host
	lastAt   []int64 // by NIC: latest delivery that has been announced
	queue    queue
	messages []*fabric.Message
	extras   []*fabric.Extra // by message; nil if it never had one
	free     []fabric.MsgID
	live     int
	started  int64 // number of messages that NICs have started
	posts    int64 // number of messages that have been posted
}

// Run runs the world's ranks, all in one block, until nothing is left to do or
// a rank has failed.
func (n *Network) Run(w *node.World, hosts, nics int) {
	n.Begin(w, hosts, nics)
	for !w.Failed() && n.Step() {
	}
}

// Begin starts the world's ranks.
func (n *Network) Begin(w *node.World, hosts, nics int) {
	b := w.NewBlock(fabric.HostRange(0, int32(hosts)))
	n.endpoint, n.nics = b, int32(nics)
	n.timers = make([]int64, hosts)
	n.lastAt = make([]int64, hosts*nics)
	n.messages = []*fabric.Message{nil}
	n.extras = []*fabric.Extra{nil}
	b.Start(n)
}

// Step simulates the next event. It returns false if there is none.
func (n *Network) Step() bool {
	if len(n.queue) == 0 {
		return false
	}
	e := n.queue.pop()
	n.now = e.at
	switch e.kind {
	case timer:
		if n.timers[e.host] == e.at {
			n.timers[e.host] = fabric.Forever
			n.endpoint.Wake(e.host, e.at)
		}
	case posted:
		n.start(e)
	case delivered:
		n.endpoint.Delivered(e.host, e.id, e.at)
	case fetched:
		n.endpoint.Fetched(e.host, uint32(e.id), e.at)
	}
	return true
}

// Live returns the number of messages that have not been released.
func (n *Network) Live() int { return n.live }

// start makes the NIC start a message.
func (n *Network) start(e entry) {
	m := n.Message(e.id)
	n.started++
	read := e.at + n.ReadTime*m.Size
	at := max(e.at+n.Latency+n.ByteTime*m.Size, n.lastAt[m.Dst])
	n.lastAt[m.Dst] = at
	if n.Late {
		n.queue.push(entry{at: read, kind: fetched, host: m.Src / n.nics, id: fabric.MsgID(m.Request)})
		n.queue.push(entry{at: at, kind: delivered, host: m.Dst / n.nics, id: e.id, order: n.started})
		return
	}
	n.endpoint.Fetched(m.Src/n.nics, m.Request, read)
	n.endpoint.Delivered(m.Dst/n.nics, e.id, at)
}

// NewMessage implements fabric.Transport.
func (n *Network) NewMessage() (fabric.MsgID, *fabric.Message) {
	n.live++
	if k := len(n.free); k > 0 {
		id := n.free[k-1]
		n.free = n.free[:k-1]
		*n.messages[id] = fabric.Message{}
		return id, n.messages[id]
	}
	m := new(fabric.Message)
	n.messages, n.extras = append(n.messages, m), append(n.extras, nil)
	return fabric.MsgID(len(n.messages) - 1), m
}

// Message implements fabric.Transport.
func (n *Network) Message(id fabric.MsgID) *fabric.Message { return n.messages[id] }

// Attach implements fabric.Transport.
func (n *Network) Attach(id fabric.MsgID) *fabric.Extra {
	n.messages[id].Flags |= fabric.HasExtra
	if n.extras[id] == nil {
		n.extras[id] = new(fabric.Extra)
	}
	*n.extras[id] = fabric.Extra{}
	return n.extras[id]
}

// Extra implements fabric.Transport.
func (n *Network) Extra(id fabric.MsgID) *fabric.Extra { return n.extras[id] }

// Post implements fabric.Transport.
func (n *Network) Post(id fabric.MsgID) {
	m := n.messages[id]
	if m.Post < n.now || m.Src == m.Dst {
		panic("nodetest: message posted in the past, or to its own host")
	}
	if n.Posted != nil {
		n.Posted(m, n.extraOf(id, m))
	}
	n.posts++
	n.queue.push(entry{at: m.Post, kind: posted, host: m.Src / n.nics, id: id, order: n.posts})
}

func (n *Network) extraOf(id fabric.MsgID, m *fabric.Message) *fabric.Extra {
	if m.Flags&fabric.HasExtra == 0 {
		return nil
	}
	return n.extras[id]
}

// Release implements fabric.Transport.
func (n *Network) Release(id fabric.MsgID) {
	n.live--
	n.free = append(n.free, id)
}

// SetTimer implements fabric.Transport.
func (n *Network) SetTimer(host int32, at int64) {
	if at < n.now {
		panic("nodetest: timer set in the past")
	}
	n.timers[host] = at
	if at != fabric.Forever {
		n.queue.push(entry{at: at, kind: timer, host: host})
	}
}
