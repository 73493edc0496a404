package fabric

import (
	"fabricast/internal/invariants"
	"fabricast/internal/offheap"
	"fmt"
)

// Block is a range of consecutive routers with their hosts. It implements engine.Block for the
// engine, and Transport for the endpoint that runs on its hosts. Only one goroutine may use a block
// at a time.
type Block struct {
	net      *Network
	teller   Teller    // the endpoint, if it is one
	*fast              // its routers, but on the general path, and its NICs
	general  *general  // on the general path; else nil
	sink     Sink      // nil unless something is to be told while it runs
	observer *observer // nil unless that is what links, buffers or packets do

	arena offheap.Arena
	saver
}

// Counters are published after this many rounds, or sooner after this many router activations: in a
// large network one round may take a second.
const (
	tellEvery  = 32
	tellVisits = 2048
)

// Run simulates all routers of the block for one window.
func (b *Block) Run(window int64, round uint64) {
	b.mail.begin(round)
	b.events.moveTo(window, b.minHop)
	if b.sink != nil {
		b.sink.Window(b.index, b.events.calendar.start)
	}
	if b.observer != nil {
		b.direct = b.observer.beginWindow()
		b.streams = b.direct
	}
	if b.general != nil {
		b.active = b.events.calendar.take(b.active[:0])
		b.counters.visits += uint64(len(b.active))
		b.general.run()
	} else {
		b.visitAll()
	}
	b.events.endWindow()
	b.counters.progress.Store(b.events.calendar.end)
	if round%tellEvery == 0 || b.counters.visits-b.counters.toldAt >= tellVisits {
		b.tell()
	}
}

// tell publishes the block's counters to other goroutines.
func (b *Block) tell() {
	c := &b.counters
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
func (b *Block) GVT() int64 { return b.events.calendar.start }

// Window returns the length of the block's windows (ps).
func (b *Block) Window() int64 { return b.events.calendar.length }

// SetWindow changes the length of the windows (ps). It must be called between two windows.
func (b *Block) SetWindow(length int64) {
	if b.events.calendar.length == length {
		return
	}
	b.events.calendar.cut(length, b.Now())
	remark(b)
}

// remark records all set timers of a block's routers in its calendar again.
func remark(b *Block) {
	for number := b.first; number < b.first+b.count; number++ {
		if b.general != nil {
			b.general.wheel.remark(b.routers.at(number))
		}
		b.events.remark(b.routers.at(number))
	}
}

// Work returns the number of router activations so far.
func (b *Block) Work() uint64 { return b.counters.visits }

// Next returns the earliest window with an event in this block, or in a block to which this one has
// just sent something. It returns math.MaxInt64 if there is none.
func (b *Block) Next() int64 {
	if b.general != nil {
		return min(b.next(), b.general.publish.next())
	}
	return b.next()
}

// Post hands a message to its source NIC.
func (b *Block) Post(id MsgID) {
	if m := b.messages.at(id); m.Payload != 0 {
		b.takeAlong(id, m)
	}
	b.post(id)
}

// SetTimer makes the fabric call the endpoint's Wake for a host at the time `at` (ps).
func (b *Block) SetTimer(host int32, at int64) { b.setTimer(host, at) }

// NewMessage returns a zeroed message.
func (b *Block) NewMessage() (MsgID, *Message) { return b.messages.add() }

// Message returns a message of any block by its ID.
func (b *Block) Message(id MsgID) *Message { return b.messages.at(id) }

// Attach gives a message of this block an Extra.
func (b *Block) Attach(id MsgID) *Extra { return b.messages.attach(id) }

// Extra returns the Extra of a message of any block.
func (b *Block) Extra(id MsgID) *Extra { return b.messages.extra(id) }

// Release gives back a delivered message, or one that was not posted.
func (b *Block) Release(id MsgID) {
	owner, index := b.messages.owner(id)
	if owner == uint32(b.index) {
		b.messages.reuse(index)
		return
	}
	if !b.net.here(int(owner)) {
		*b.messages.at(id) = Message{} // a copy, of which a checkpoint would not know that it is over
	}
	b.mail.release(owner, index)
}

// Collect takes in what other blocks sent in the round before. Blocks may call it in parallel.
func (b *Block) Collect(round uint64) {
	for _, other := range b.net.blocks {
		b.takeIn(&other.mail.boxes[b.index-other.mail.base][(round-1)&1])
	}
}

// takeIn takes in what one other block has sent.
func (b *Block) takeIn(box *box) {
	if invariants.Enabled && box.first < b.Now() {
		panic(fmt.Sprintf("block %d has reached %d ps, and gets something for %d ps", b.index, b.Now(), box.first))
	}
	for i := range box.packets {
		p := &box.packets[i]
		if b.general != nil {
			b.general.pushNew(p.router, p.lane, p.packet, p.span)
		} else {
			b.push(p)
		}
	}
	for i := range box.credits {
		b.takeCredit(&box.credits[i])
	}
	for _, index := range box.released {
		b.messages.reuse(index)
	}
	for class, n := range box.over {
		if n > 0 {
			b.ahead.forget(class, n)
		}
	}
}

// takeCredit adds a credit from another block to what the output has that it is for.
func (b *Block) takeCredit(c *creditMail) {
	if g := b.general; g != nil {
		g.out.giveBack(b.routers.at(c.router), c.lane, c.at, c.flits)
		return
	}
	b.credit.take(c)
}

// Lookahead returns how long windows may be (ps) from the next one on. A packet posted in this
// window affects another router only after one hop, which takes longer than the window.
func (b *Block) Lookahead() int64 { return min(b.ahead.length, b.ahead.longest) }
