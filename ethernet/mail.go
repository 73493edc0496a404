package ethernet

import (
	"math"

	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/internal/eventqueue"
)

// mailbox carries what one block sends to another. It has two boxes: the sender fills one in this
// window, while the receiver reads the other, which was filled in the previous window.
type mailbox struct{ boxes [2]box } // indexed by round modulo 2

type box struct {
	packets  []letter
	pauses   []eventqueue.Event
	messages []announced
	extras   []fabric.Extra // of those messages that have one, in order
	hops     []measured     // of those packets that have one, in order
	trails   []trail        // of all packets, if hops are reported
	first    int64          // when the first packet or pause arrives (ps)
}

// letter is a packet on its way to another block.
type letter struct {
	at     int64
	packet packet
}

// announced is a message that a flow will send to a NIC of another block.
type announced struct {
	key     flowKey
	message fabric.Message
}

func newMail(blocks int) []mailbox {
	mail := make([]mailbox, blocks)
	for i := range mail {
		mail[i].boxes[0].first, mail[i].boxes[1].first = fabric.Forever, fabric.Forever
	}
	return mail
}

// outgoing returns the box for another block that is being filled or was filled last.
func (b *Block) outgoing(block int32) *box { return &b.mail[block].boxes[b.round&1] }

// sendPacket passes a packet to the block of the switch where it arrives.
func (b *Block) sendPacket(to int32, id uint32, at int64) {
	k := &b.packets.list[id]
	x := b.outgoing(to)
	x.packets = append(x.packets, letter{at, *k})
	if k.hopsInfo != 0 {
		x.hops = append(x.hops, b.telemetry.list[k.hopsInfo])
	}
	if b.follows {
		x.trails = append(x.trails, *b.trailOf(id))
	}
	x.first = min(x.first, at)
	b.drop(id)
}

// sendPause passes a pause frame to the block of the port that is paused.
func (b *Block) sendPause(to, port int32, at int64, value uint32) {
	x := b.outgoing(to)
	x.pauses = append(x.pauses, eventqueue.Event{At: at, Order: orderOf(portPausedEvent, uint64(port)), ID: value})
	x.first = min(x.first, at)
}

// announce passes a message to the block of its destination, where it waits for its packets.
func (b *Block) announce(to int32, key flowKey, id fabric.MsgID) {
	m := b.Message(id)
	x := b.outgoing(to)
	x.messages = append(x.messages, announced{key, *m})
	if m.Flags&fabric.HasExtra != 0 {
		x.extras = append(x.extras, *b.Extra(id))
	}
	b.Release(id)
}

// empty empties the boxes to be filled in this round.
func (b *Block) empty() {
	for i := range b.mail {
		b.outgoing(int32(i)).empty()
	}
}

func (x *box) empty() {
	*x = box{
		packets: x.packets[:0], pauses: x.pauses[:0], messages: x.messages[:0], extras: x.extras[:0],
		hops: x.hops[:0], trails: x.trails[:0], first: fabric.Forever,
	}
}

// filled reports whether there is something in a box.
func (x *box) filled() bool { return len(x.packets)+len(x.pauses)+len(x.messages) > 0 }

// Collect implements engine.Block.
func (b *Block) Collect(round uint64) {
	for _, other := range b.net.blocks {
		x := &other.mail[b.index].boxes[(round-1)&1]
		b.collectMessages(x)
		hops := x.hops
		for i := range x.packets {
			id, k := b.packets.take()
			*k = x.packets[i].packet
			if k.hopsInfo != 0 {
				k.hopsInfo = b.telemetry.take()
				b.telemetry.list[k.hopsInfo], hops = hops[0], hops[1:]
			}
			if i < len(x.trails) { // none are reported of a run before it was restored
				b.about(id, &x.trails[i])
			}
			b.push(x.packets[i].at, enteredEvent, uint64(k.ingress), id)
		}
		for _, e := range x.pauses {
			b.queue.Push(e)
		}
	}
}

func (b *Block) collectMessages(x *box) {
	extras := x.extras
	for i := range x.messages {
		id, m := b.NewMessage()
		*m = x.messages[i].message
		if m.Flags&fabric.HasExtra != 0 {
			*b.Extra(id), extras = extras[0], extras[1:]
		}
		b.expect(x.messages[i].key, id)
	}
}

// Sent implements engine.Part.
func (b *Block) Sent(to int) int64 {
	first := int64(math.MaxInt64)
	for i := range b.mail {
		if to == engine.Anyone || b.net.blocks[i] == b.net.Blocks()[to] {
			first = min(first, b.outgoing(int32(i)).first)
		}
	}
	if first == math.MaxInt64 {
		return first
	}
	return first / b.length
}
