package fabric

import (
	"fmt"
	"math"

	"fabricast/internal/invariants"
)

// outbox holds what a block sends to others. For each receiver there are two boxes: the block fills
// one in this window, and the receiver reads the other, which was filled in the window before.
type outbox struct {
	net   *Network
	boxes []mailbox // by destination block, from block base on
	base  int       // 0, but for blocks of other processes
	round uint64
	// messages with contents for other processes, posted in this round
	contents []contentMail
}

// mailbox is the pair of boxes from one block to another, indexed by round modulo 2.
type mailbox [2]box

type box struct {
	packets  []packetMail
	riders   []rider // of the packets, in networks with doors
	feedback []feedbackMail
	credits  []creditMail
	released []uint32 // messages of the receiving block that are done
	first    int64    // ps: earliest time at which any of it matters
	// number of the receiving block's messages that are no longer under way, less those that are
	// now (modulo 2^32), by size class, see lookahead
	over [sizeClasses]uint32
}

type packetMail struct {
	packet packet
	span   uint32
	router uint32
	lane   uint32
}

type creditMail struct {
	at     int64
	router uint32 // whose output it is for
	lane   uint32
	flits  uint16
}

func newOutbox(n *Network, blocks int) outbox {
	o := outbox{net: n, boxes: make([]mailbox, blocks)}
	for i := range o.boxes {
		o.boxes[i][0].first, o.boxes[i][1].first = Forever, Forever
	}
	return o
}

// to returns the box for another block that is being filled, or that was filled last.
func (o *outbox) to(block uint32) *box { return &o.boxes[block][o.round&1] }

// begin empties the boxes to be filled in a round.
func (o *outbox) begin(round uint64) {
	o.round = round
	if len(o.boxes) == 1 {
		return
	}
	for i := range o.boxes {
		o.to(uint32(i)).empty()
	}
}

// empty makes a box ready to be filled.
func (x *box) empty() {
	*x = box{
		packets: x.packets[:0], riders: x.riders[:0], feedback: x.feedback[:0],
		credits: x.credits[:0], released: x.released[:0], first: Forever,
	}
}

// earliest returns the first window, of the given length (ps), in which something sent last takes
// effect.
func (o *outbox) earliest(window int64) int64 {
	if len(o.boxes) == 1 {
		return math.MaxInt64
	}
	first := Forever
	for i := range o.boxes {
		first = min(first, o.to(uint32(i)).first)
	}
	if first == Forever {
		return math.MaxInt64
	}
	return first / window
}

// sendPacket sends a packet to a lane of a router of another block. span is the time (ps) from its
// head to its tail.
func (o *outbox) sendPacket(router, lane uint32, p packet, span uint32) {
	box := o.to(uint32(o.net.blockOf(router)))
	box.packets = append(box.packets, packetMail{p, span, router, lane})
	box.first = min(box.first, p.time)
}

// sendCredit sends credit to the block upstream: the space of a packet is free from the time `at`
// (ps) on.
func (o *outbox) sendCredit(router, lane uint32, at int64, flits uint16) {
	box := o.to(uint32(o.net.blockOf(router)))
	box.credits = append(box.credits, creditMail{at, router, lane, flits & flitMask})
	box.first = min(box.first, at)
}

// release returns a message record to the block that has sent the message.
func (o *outbox) release(block, index uint32) {
	box := o.to(block)
	box.released = append(box.released, index)
}

// over reports to the sending block that a message of a size class is no longer under way.
func (o *outbox) over(block uint32, class int) { o.to(block).over[class]++ }

// under reports to the block that made a message of a size class that it is now under way.
func (o *outbox) under(block uint32, class int) { o.to(block).over[class]-- }

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
			id := b.general.pushNew(p.router, p.lane, p.packet, p.span)
			if d := b.general.doors; d != nil {
				*d.riders.at(id) = box.riders[i]
			}
		} else {
			b.push(p)
		}
	}
	for i := range box.feedback {
		b.general.doors.takeMail(&box.feedback[i])
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

// takeCredit adds a credit from another block to the ghost FIFO that represents the FIFO
// downstream.
func (b *Block) takeCredit(c *creditMail) {
	if g := b.general; g != nil {
		g.out.giveBack(b.routers.at(c.router), c.lane, c.at, c.flits)
		return
	}
	out := b.lanes.at(c.lane)
	number := b.lanes.below(c.lane)
	down := b.lanes.at(number)
	b.lanes.leaveBehind(out, down, c.at, c.flits)
	if down.way&wanted != 0 && b.lanes.enough(down, number, c.flits) {
		b.credit.rouse(c.router, c.lane, c.at)
	}
}
