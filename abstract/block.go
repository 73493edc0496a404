package abstract

import (
	"iter"
	"math"
	"sync/atomic"

	"fabricast/fabric"
	"fabricast/internal/eventqueue"
	"fabricast/internal/messages"
)

// Block owns a range of hosts. It implements engine.Block and fabric.Transport.
type Block struct {
	net       *Network
	index     int
	first     int32 // first host
	firstNIC  int32
	endpoint  fabric.Endpoint
	publisher fabric.ProgressPublisher
	// prefetcher is the endpoint, if the block has many hosts; else nil
	prefetcher fabric.Prefetcher
	sink       fabric.Sink // nil: the run is not observed

	queue  eventqueue.Queue
	timers []alarm // alarm of each host
	nics   []nic
	flows  flows
	messages.Pool
	mail   []mailbox // mailbox of each destination block
	round  uint64
	now    int64 // time of the current event (ps)
	length int64 // window length (ps)

	events   uint64 // number of events processed
	toldAt   uint64 // number of events at the last publication of progress
	bytes    uint64 // payload bytes received
	progress atomic.Int64
}

// alarm is the time at which a host is to be woken.
type alarm struct {
	at    int64 // when it fires (ps)
	order uint64
}

// nic is the state of a NIC. Times are in ps.
type nic struct {
	sends          int64 // when the NIC can start to send the next message
	receives       int64 // when the NIC can start to receive the next message
	posted         uint32
	sent, received fabric.PortUse
}

func newBlock(n *Network, index int, first, end int32) *Block {
	b := &Block{
		net: n, index: index, first: first, firstNIC: first * int32(n.spec.NICsPerHost),
		timers: make([]alarm, end-first), nics: make([]nic, int(end-first)*n.spec.NICsPerHost),
		Pool: messages.NewPool(), length: n.spec.Lookahead,
	}
	for i := range b.timers {
		b.timers[i].at = fabric.Forever
	}
	return b
}

// SetEndpoint installs the endpoint of the block's hosts. Call it before the first window.
func (b *Block) SetEndpoint(e fabric.Endpoint) {
	b.endpoint = e
	b.publisher, _ = e.(fabric.ProgressPublisher)
	b.prefetcher = b.prefetcherOf(e)
}

// Hosts yields the block's hosts, in ascending order.
func (b *Block) Hosts() iter.Seq[int32] {
	return fabric.HostRange(b.first, b.first+int32(len(b.timers)))
}

// Now returns the simulated time (ps) up to which the block has been run.
func (b *Block) Now() int64 { return b.progress.Load() }

// GVT implements fabric.VirtualTime. It returns the start of the window (ps), which is the same in
// all blocks.
func (b *Block) GVT() int64 { return b.now / b.length * b.length }

// Next implements engine.Part.
func (b *Block) Next() int64 {
	if b.queue.Empty() {
		return math.MaxInt64
	}
	return b.queue.Time() / b.length
}

// Lookahead returns the maximum window length (ps). It is constant.
func (b *Block) Lookahead() int64 { return b.net.spec.Lookahead }

// Window returns the length of the block's windows (ps).
func (b *Block) Window() int64 { return b.length }

// SetWindow sets the length (ps) of windows: intervals of simulated time between two
// synchronizations of the blocks.
func (b *Block) SetWindow(length int64) { b.length = length }

// Work returns the number of events so far.
func (b *Block) Work() uint64 { return b.events }

// timer is the bit of an event's order that is set for timers of hosts, whose ID is that of the host,
// and clear for messages.
const timer = 1 << 63

// tellEvery is the number of events after which the block publishes its progress.
const tellEvery = 1 << 14

// Run simulates the block for one window.
func (b *Block) Run(window int64, round uint64) {
	b.round = round
	b.empty()
	end := int64(math.MaxInt64)
	if window < math.MaxInt64/b.length {
		end = (window + 1) * b.length
	}
	if b.sink != nil {
		b.sink.Window(b.index, window*b.length)
	}
	for !b.queue.Empty() && b.queue.Time() < end {
		e := b.queue.Pop()
		if b.prefetcher != nil {
			b.prefetch()
		}
		b.do(e)
		b.events++
	}
	b.now = end - 1
	b.progress.Store(end)
	if b.publisher != nil && b.events-b.toldAt >= tellEvery {
		b.toldAt = b.events
		b.publisher.PublishProgress()
	}
}

// do processes an event.
func (b *Block) do(e eventqueue.Event) {
	b.now = e.At
	if e.Order&timer == 0 {
		b.arrive(fabric.MsgID(e.ID))
		return
	}
	due := &b.timers[int32(e.ID)-b.first]
	if *due == (alarm{e.At, e.Order}) { // otherwise it has been replaced
		due.at = fabric.Forever
		b.endpoint.Wake(int32(e.ID), e.At)
	}
}

// SetTimer makes the block call the endpoint's Wake for a host at the time `at` (ps).
func (b *Block) SetTimer(host int32, at int64) { b.SetTurn(host, at, 0) }

// SetTurn implements fabric.Sequencer. Hosts with the same number are woken in ascending order of
// ID.
func (b *Block) SetTurn(host int32, at int64, number uint64) {
	due, set := &b.timers[host-b.first], alarm{at, timer | number}
	if *due == set {
		return
	}
	*due = set
	if at != fabric.Forever {
		b.queue.Push(eventqueue.Event{At: at, Order: set.order, ID: uint32(host)})
	}
}

// Post sends a message on its NIC as soon as the NIC has sent the messages before it.
func (b *Block) Post(id fabric.MsgID) {
	m := b.Message(id)
	n := &b.nics[m.Src-b.firstNIC]
	p := b.net.spec.Passage(m, n.posted)
	start := max(m.Post, n.sends)
	n.sends = start + p.Busy
	request, host := m.Request, m.Src/int32(b.net.spec.NICsPerHost)
	through := start
	if p.Narrow > 0 {
		to := flow{host, m.Dst / int32(b.net.spec.NICsPerHost), p.Link}
		through = b.flows.enter(to, b.now, start, p.Narrow)
	}
	e := eventqueue.Event{
		At: through + p.Flight, Order: uint64(uint32(m.Src))<<32 | uint64(n.posted), ID: uint32(id),
	}
	n.posted++
	n.sent.Packets++
	n.sent.Bytes += uint64(b.net.spec.Wire(m.Size))
	m.Post = p.Tail // Post now holds the time for the receiving side; the time of posting is no longer needed
	if to := b.net.blockOf(m.Dst / int32(b.net.spec.NICsPerHost)); to != b.index {
		b.send(to, id, e)
	} else {
		b.queue.Push(e)
	}
	if request != 0 {
		b.endpoint.Fetched(host, request, start+p.Read)
	}
}

// arrive makes the destination NIC receive a message as soon as it has received the messages before
// it.
func (b *Block) arrive(id fabric.MsgID) {
	m := b.Message(id)
	n := &b.nics[m.Dst-b.firstNIC]
	start := max(b.now, n.receives)
	n.receives = start
	if hold := b.net.spec.Hold; hold != nil {
		n.receives += hold(m.Dst, m.Size)
	}
	n.received.Packets++
	n.received.Bytes += uint64(b.net.spec.Wire(m.Size))
	b.bytes += uint64(m.Size)
	b.endpoint.Delivered(m.Dst/int32(b.net.spec.NICsPerHost), id, start+m.Post)
}
