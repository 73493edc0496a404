package fabric

import (
	"fabricast/internal/invariants"
	"fabricast/internal/offheap"
	"fabricast/internal/snapshot"
	"fmt"
)

// Block is a range of consecutive routers with their hosts. It implements engine.Block for the
// engine, and Transport for the endpoint that runs on its hosts. Only one goroutine may use a block
// at a time.
type Block struct {
	net      *Network
	teller   Teller      // the endpoint, if it is one
	nics     *nics       // its NICs, and what its parts share
	model    routerModel // its routers: fast or general
	fast     *fast       // on the fast path; else nil
	general  *general    // on the general path; else nil
	sink     Sink        // nil unless something is to be told while it runs
	observer *observer   // nil unless that is what links, buffers or packets do

	arena offheap.Arena
	saver
}

// routerModel is one of the two ways to simulate the routers of a block.
type routerModel interface {
	// runWindow simulates all routers for the window that has begun.
	runWindow()
	// takePackets appends packets from another block to the buffers they are for, and takeCredit adds
	// credit from another block, or from a NIC's I/O bus, to the output it is for.
	takePackets(*box)
	takeCredit(*creditMail)
	// setEndpoint installs the endpoint of the block's hosts.
	setEndpoint(Endpoint)
	// sentBy returns what a port has sent.
	sentBy(port uint32) linkCount
	// recut makes what is known of the block's routers fit those that it has now.
	recut()
	// remark records all timers of a router again, after the length of the windows has changed.
	remark(*routerState)
	// stateAt goes over the share of some routers in the arrays of all blocks, and packetsAt over the
	// packets there; discardAt gives that memory back. stateOf goes over what else a block has.
	stateAt(*snapshot.Visitor, extent)
	packetsAt(*snapshot.Visitor, extent)
	discardAt(extent)
	stateOf(*snapshot.Visitor, extent)
}

// Counters are published after this many rounds, or sooner after this many router activations: in a
// large network one round may take a second.
const (
	tellEvery  = 32
	tellVisits = 2048
)

// Run simulates all routers of the block for one window.
func (b *Block) Run(window int64, round uint64) {
	b.nics.mail.begin(round)
	b.nics.events.moveTo(window, b.nics.minHop)
	if b.sink != nil {
		b.sink.Window(b.nics.index, b.nics.events.calendar.start)
	}
	if b.observer != nil {
		direct := b.observer.beginWindow()
		if b.fast != nil {
			b.fast.direct, b.fast.streams = direct, direct
		}
	}
	b.model.runWindow()
	b.nics.events.endWindow()
	b.nics.counters.progress.Store(b.nics.events.calendar.end)
	if round%tellEvery == 0 || b.nics.counters.visits-b.nics.counters.toldAt >= tellVisits {
		b.tell()
	}
}

// tell publishes the block's counters to other goroutines.
func (b *Block) tell() {
	c := &b.nics.counters
	c.toldAt = c.visits
	c.packetsTold.Store(c.packets)
	c.deliveredTold.Store(c.delivered)
	c.hopsTold.Store(c.hops)
	if b.teller != nil {
		b.teller.Tell()
	}
}

// GVT implements VirtualTime. It returns the start of the window (ps), which is the same in all
// blocks.
func (b *Block) GVT() int64 { return b.nics.events.calendar.start }

// Window returns the length of the block's windows (ps).
func (b *Block) Window() int64 { return b.nics.events.calendar.length }

// SetWindow changes the length of the windows (ps). It must be called between two windows.
func (b *Block) SetWindow(length int64) {
	if b.nics.events.calendar.length == length {
		return
	}
	b.nics.events.calendar.cut(length, b.Now())
	remark(b)
}

// remark records all set timers of a block's routers in its calendar again.
func remark(b *Block) {
	for number := b.nics.first; number < b.nics.first+b.nics.count; number++ {
		b.model.remark(b.nics.routers.at(number))
	}
}

// Work returns the number of router activations so far.
func (b *Block) Work() uint64 { return b.nics.counters.visits }

// Next returns the earliest window with an event in this block, or in a block to which this one has
// just sent something. It returns math.MaxInt64 if there is none.
func (b *Block) Next() int64 {
	if b.general != nil {
		return min(b.nics.next(), b.general.publish.next())
	}
	return b.nics.next()
}

// Post hands a message to its source NIC.
func (b *Block) Post(id MsgID) {
	if m := b.nics.messages.at(id); m.Payload != 0 {
		b.takeAlong(id, m)
	}
	if b.fast != nil {
		b.fast.post(id)
	} else {
		b.nics.post(id)
	}
}

// SetTimer makes the fabric call the endpoint's Wake for a host at the time `at` (ps).
func (b *Block) SetTimer(host int32, at int64) { b.nics.setTimer(host, at) }

// NewMessage returns a zeroed message.
func (b *Block) NewMessage() (MsgID, *Message) { return b.nics.messages.add() }

// Message returns a message of any block by its ID.
func (b *Block) Message(id MsgID) *Message { return b.nics.messages.at(id) }

// Attach gives a message of this block an Extra.
func (b *Block) Attach(id MsgID) *Extra { return b.nics.messages.attach(id) }

// Extra returns the Extra of a message of any block.
func (b *Block) Extra(id MsgID) *Extra { return b.nics.messages.extra(id) }

// Release gives back a delivered message, or one that was not posted.
func (b *Block) Release(id MsgID) { b.nics.release(id) }

// Collect takes in what other blocks sent in the round before. Blocks may call it in parallel.
func (b *Block) Collect(round uint64) {
	for _, other := range b.net.blocks {
		b.takeIn(&other.nics.mail.boxes[b.nics.index-other.nics.mail.base][(round-1)&1])
	}
}

// takeIn takes in what one other block has sent.
func (b *Block) takeIn(box *box) {
	if invariants.Enabled && box.first < b.Now() {
		panic(fmt.Sprintf("block %d has reached %d ps, and gets something for %d ps", b.nics.index, b.Now(), box.first))
	}
	b.model.takePackets(box)
	for i := range box.credits {
		b.model.takeCredit(&box.credits[i])
	}
	for _, index := range box.released {
		b.nics.messages.reuse(index)
	}
	for class, n := range box.over {
		if n > 0 {
			b.nics.ahead.forget(class, n)
		}
	}
}

// Lookahead returns how long windows may be (ps) from the next one on. A packet posted in this
// window affects another router only after one hop, which takes longer than the window.
func (b *Block) Lookahead() int64 { return min(b.nics.ahead.length, b.nics.ahead.longest) }
