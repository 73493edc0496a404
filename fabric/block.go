package fabric

import (
	"fmt"
	"math"

	"fabricast/engine"
	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/inputqueued"
	"fabricast/fabric/internal/nic"
	"fabricast/fabric/internal/probe"
	"fabricast/fabric/internal/switched"
	"fabricast/fabric/model"
	"fabricast/internal/causes"
	"fabricast/internal/invariants"
	"fabricast/internal/offheap"
	"fabricast/internal/snapshot"
)

// Block is a range of consecutive routers with their hosts. It implements engine.Block for the
// engine, and Transport for the endpoint that runs on its hosts. Only one goroutine may use a block
// at a time.
type Block struct {
	net       *Network
	publisher model.ProgressPublisher // the endpoint, if it implements this
	nics      *nic.NICs               // its NICs, and data shared by its parts
	model     routerModel             // its routers, on the fast or the general path
	fast      *inputqueued.Routers    // on the fast path; otherwise nil
	general   *switched.Routers       // on the general path; otherwise nil
	sink      model.Sink              // nil unless the run is observed
	observer  *probe.Observer         // nil unless links, buffers or packets are observed

	arena offheap.Arena
	saver
}

// routerModel is one of the two models of a block's routers (package inputqueued or switched).
type routerModel interface {
	// RunWindow simulates all routers for the current window.
	RunWindow()
	// TakePackets appends packets from another block to their buffers. TakeCredits adds credit from
	// another block to its outputs, and TakeCredit that from a NIC's I/O bus.
	TakePackets(*core.Box)
	TakeCredits(*core.Box)
	TakeCredit(*core.CreditMail)
	// SetEndpoint installs the endpoint of the block's hosts.
	SetEndpoint(model.Endpoint)
	// SentBy returns the transmit counters of a port.
	SentBy(port uint32) core.LinkCount
	// Recut updates internal data after the block's routers have changed.
	Recut()
	// Remark records all timers of a router again, after the window length has changed.
	Remark(*core.Router)
	// StateAt visits the state of some routers in the arrays shared by all blocks, and PacketsAt
	// the packets stored there. DiscardAt releases that memory. StateOf visits the block's
	// remaining state.
	StateAt(*snapshot.Visitor, core.Extent)
	PacketsAt(*snapshot.Visitor, core.Extent)
	DiscardAt(core.Extent)
	StateOf(*snapshot.Visitor, core.Extent)
}

// Counters are published after publishEvery rounds, or earlier after publishVisits router
// activations, because one round of a large network may take a second.
const (
	publishEvery  = 32
	publishVisits = 2048
)

// Run simulates all routers of the block for one window.
func (b *Block) Run(window int64, round uint64) {
	b.nics.Mail.Begin(round)
	b.nics.Events.MoveTo(window, b.nics.MinHop)
	if b.sink != nil {
		b.sink.Window(b.nics.Index, b.nics.Events.Calendar.Start)
	}
	if b.observer != nil {
		direct := b.observer.BeginWindow()
		if b.fast != nil {
			b.fast.Direct, b.fast.Bursts = direct, direct
		}
	}
	b.model.RunWindow()
	b.nics.Events.EndWindow()
	b.nics.Counters.Progress.Store(b.nics.Events.Calendar.End)
	if round%publishEvery == 0 || b.nics.Counters.Visits-b.nics.Counters.PublishedAt >= publishVisits {
		b.publish()
	}
}

// publish publishes the block's counters to other goroutines.
func (b *Block) publish() {
	c := &b.nics.Counters
	c.PublishedAt = c.Visits
	c.PublishedPackets.Store(c.Packets)
	c.PublishedDelivered.Store(c.Delivered)
	c.PublishedHops.Store(c.Hops)
	if b.publisher != nil {
		b.publisher.PublishProgress()
	}
}

// GVT implements VirtualTime. It returns the start of the current window (ps), which is the same in
// all blocks.
func (b *Block) GVT() int64 { return b.nics.Events.Calendar.Start }

// Window returns the length of the block's windows (ps).
func (b *Block) Window() int64 { return b.nics.Events.Calendar.Length }

// SetWindow changes the length of the windows (ps). It must be called between two windows.
func (b *Block) SetWindow(length int64) {
	if b.nics.Events.Calendar.Length == length {
		return
	}
	b.nics.Events.Calendar.Cut(length, b.Now())
	remark(b)
}

// remark records all set timers of a block's routers in its calendar again.
func remark(b *Block) {
	for number := b.nics.First; number < b.nics.First+b.nics.Count; number++ {
		b.model.Remark(b.nics.Routers.At(number))
	}
}

// Work returns the number of router activations so far.
func (b *Block) Work() uint64 { return b.nics.Counters.Visits }

// Next implements engine.Part.
func (b *Block) Next() int64 {
	if b.general != nil {
		return min(b.nics.Next(), b.general.Publish.Next())
	}
	return b.nics.Next()
}

// Sent implements engine.Part. Other parts are blocks.
func (b *Block) Sent(to int) int64 {
	var at int64
	if to == engine.Anyone {
		at = b.nics.Mail.Earliest()
	} else {
		at = b.nics.Mail.To(uint32(to)).First
	}
	if at == model.Forever {
		return math.MaxInt64
	}
	return at / b.Window()
}

// Post hands a message to its source NIC.
func (b *Block) Post(id model.MsgID) {
	if m := b.nics.Messages.At(id); m.Payload != 0 {
		b.takeAlong(id, m)
	}
	if b.fast != nil {
		b.fast.Post(id)
	} else {
		b.nics.Post(id)
	}
}

// SetTimer makes the fabric call the endpoint's Wake for a host at the time `at` (ps).
func (b *Block) SetTimer(host int32, at int64) { b.nics.SetTimer(host, at) }

// Reading implements Reader.
func (b *Block) Reading(host int32) bool { return b.nics.Reading(host) }

// A Block also implements these interfaces, which endpoints discover by type assertions.
var (
	_ Reader      = (*Block)(nil)
	_ VirtualTime = (*Block)(nil)
)

// NewMessage returns a zeroed message.
func (b *Block) NewMessage() (model.MsgID, *model.Message) { return b.nics.Messages.Add() }

// Message returns a message of any block by its ID.
func (b *Block) Message(id model.MsgID) *model.Message { return b.nics.Messages.At(id) }

// Attach adds an Extra to a message of this block.
func (b *Block) Attach(id model.MsgID) *model.Extra { return b.nics.Messages.Attach(id) }

// Extra returns the Extra of a message of any block.
func (b *Block) Extra(id model.MsgID) *model.Extra { return b.nics.Messages.Extra(id) }

// Release returns a delivered message, or one that was not posted, for reuse.
func (b *Block) Release(id model.MsgID) { b.nics.Release(id) }

// Parts returns the latency of a delivered message by cause, if that is observed.
func (b *Block) Parts(id model.MsgID) *causes.Parts {
	p := b.nics.Messages.Division(id).Parts()
	return &p
}

// Collect processes the data that other blocks sent in the previous round. Blocks may call it
// concurrently.
func (b *Block) Collect(round uint64) {
	for _, other := range b.net.blocks {
		b.takeIn(&other.nics.Mail.Boxes[b.nics.Index-other.nics.Mail.Base][(round-1)&1])
	}
}

// takeIn processes the data sent by one other block.
func (b *Block) takeIn(box *core.Box) {
	if invariants.Enabled && box.First < b.Now() {
		panic(fmt.Sprintf("block %d has reached %d ps, and gets something for %d ps", b.nics.Index, b.Now(), box.First))
	}
	b.model.TakePackets(box)
	b.model.TakeCredits(box)
	if b.nics.Messages.Divides() {
		b.nics.Messages.TakeDivisions(box)
	}
	for _, index := range box.Released {
		b.nics.Messages.Reuse(index)
	}
	for class, n := range box.Over {
		if n > 0 {
			b.nics.Ahead.Forget(class, n)
		}
	}
}

// Lookahead returns the maximum length of the next windows (ps). A packet posted in this window
// affects another router only after one hop, which takes longer than the window.
func (b *Block) Lookahead() int64 { return min(b.nics.Ahead.Length, b.nics.Ahead.Longest) }
