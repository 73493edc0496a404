package ethernet

import (
	"iter"
	"math"
	"slices"
	"sync/atomic"

	"fabricast/fabric"
	"fabricast/internal/eventqueue"
	"fabricast/internal/messages"
)

// The kinds of events, in their order at an instant.
const (
	changeEvent     = iota // a link changes: number of the change
	enteredEvent           // a packet is in a switch: port
	arrivedEvent           // a packet is in a NIC
	servedEvent            // a port has sent a packet
	portPausedEvent        // a pause frame is at a port
	nicPausedEvent         // a pause frame is at a NIC
	sentEvent              // a NIC has sent a packet
	postEvent              // a message is posted at a NIC
	flowEvent              // a timer of a flow: NIC, number of the flow
	grantEvent             // the credit of a NIC
	wakeEvent              // a timer of a host
)

// orderOf returns the order of an event at its instant.
func orderOf(kind, place uint64) uint64 { return kind<<60 | place }

// place returns the place of a flow of a NIC in the order of events.
func place(nic int32, flow uint32) uint64 { return uint64(uint32(nic))<<28 | uint64(flow) }

// mostFlows limits the number of flows of a NIC.
const mostFlows = 1 << 28

// Block owns some routers with their hosts. It implements engine.Block and fabric.Transport.
type Block struct {
	messages.Pool
	net       *Network
	index     int32
	hosts     []int32 // ascending
	endpoint  fabric.Endpoint
	publisher fabric.ProgressPublisher
	sink      fabric.Sink // nil: the run is not observed
	bins      *bins       // nil: none are recorded
	follows   bool        // hops are reported
	hop       fabric.Hop  // that is reported
	trails    []trail     // of packets by their index, if hops are reported
	cause     trail       // of the packet that a NIC has received

	queue     eventqueue.Queue
	packets   packets
	telemetry telemetry
	senders   []*sender
	receivers []*receiver
	outgo     map[flowKey]uint32 // flows that start here, by their ends: index in senders
	income    map[flowKey]uint32 // flows that end here: index in receivers
	mail      []mailbox          // of each destination block
	round     uint64
	now       int64 // time of the current event (ps)
	length    int64 // window length (ps)

	events   uint64 // number of events processed
	toldAt   uint64 // number of events at the last publication of progress
	counts   Counts // but for what byClass has
	byClass  [MostClasses]ClassCounts
	pauses   map[cause]PauseSums // that have ended
	moved    int64               // when a port last finished to send a packet (ps)
	epoch    int                 // number of epochs that have begun, as far as routers have asked
	usable   []int32             // buffer for ports
	kept     uint64              // packets that flows keep, when links have cut them off
	progress atomic.Int64
}

// flowKey identifies a flow: the NICs at its ends, and its queue pair.
type flowKey struct {
	src, dst int32
	pair     uint32
}

func newBlock(n *Network, index int32) *Block {
	return &Block{
		Pool: messages.NewPool(), net: n, index: index, length: n.lookahead,
		outgo: map[flowKey]uint32{}, income: map[flowKey]uint32{}, pauses: map[cause]PauseSums{},
	}
}

// SetEndpoint installs the endpoint of the block's hosts. Call it before the first window.
func (b *Block) SetEndpoint(e fabric.Endpoint) {
	b.endpoint = e
	b.publisher, _ = e.(fabric.ProgressPublisher)
}

// Number returns the index of the block.
func (b *Block) Number() int { return int(b.index) }

// Hosts yields the block's hosts, in ascending order.
func (b *Block) Hosts() iter.Seq[int32] { return slices.Values(b.hosts) }

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
func (b *Block) Lookahead() int64 { return b.net.lookahead }

// Window returns the length of the block's windows (ps).
func (b *Block) Window() int64 { return b.length }

// SetWindow sets the length (ps) of windows: intervals of simulated time between two
// synchronizations of the blocks.
func (b *Block) SetWindow(length int64) { b.length = length }

// Work returns the number of events so far.
func (b *Block) Work() uint64 { return b.events }

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
		b.sink.Window(int(b.index), window*b.length)
	}
	if b.bins != nil {
		b.bins.advance(window * b.length)
	}
	for !b.queue.Empty() && b.queue.Time() < end {
		e := b.queue.Pop()
		b.now = e.At
		if b.bins != nil {
			b.bins.advance(e.At)
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
	at := e.Order & (1<<60 - 1)
	switch e.Order >> 60 {
	case changeEvent:
		b.change(e.ID)
	case enteredEvent:
		b.arrive(e.ID)
	case arrivedEvent:
		b.receive(e.ID)
	case servedEvent:
		b.served(int32(at))
	case portPausedEvent:
		b.pausePort(int32(at), e.ID)
	case nicPausedEvent:
		b.pauseNIC(int32(at), e.ID)
	case sentEvent:
		b.sent(int32(at))
	case postEvent:
		b.postNext(int32(at))
	case flowEvent:
		b.alarm(e.ID)
	case grantEvent:
		b.grant(int32(at))
	case wakeEvent:
		b.wake(int32(at))
	}
}

// push adds an event.
func (b *Block) push(at int64, kind, place uint64, id uint32) {
	b.queue.Push(eventqueue.Event{At: at, Order: orderOf(kind, place), ID: id})
}

// SetTimer implements fabric.Transport.
func (b *Block) SetTimer(host int32, at int64) {
	due := &b.net.timers[host]
	if *due == at {
		return
	}
	*due = at
	if at != fabric.Forever {
		b.push(at, wakeEvent, uint64(host), 0)
	}
}

// wake wakes a host, unless its timer has been replaced.
func (b *Block) wake(host int32) {
	if due := &b.net.timers[host]; *due == b.now {
		*due = fabric.Forever
		b.endpoint.Wake(host, b.now)
	}
}
