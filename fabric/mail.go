package fabric

import "math"

// mailbox carries what one block has for another. There are two boxes: while
// the sender fills one in this window, the receiver reads the other, filled in
// the window before.
type mailbox struct {
	boxes [2]box // by round modulo 2
}

type box struct {
	packets  []packetMail
	credits  []creditMail
	released []uint32            // messages of the receiving block that are done
	first    int64               // ps: earliest time at which any of it matters
	over     [sizeClasses]uint32 // messages of the receiving block no longer under way, see lookahead
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

// outgoing is the box for another block that is being filled, or was filled last.
func (b *Block) outgoing(block int) *box { return &b.mail[block].boxes[b.round&1] }

// earliest is the first window in which it matters what was sent last.
func (b *Block) earliest() int64 {
	if len(b.mail) == 1 {
		return math.MaxInt64
	}
	first := Forever
	for i := range b.mail {
		first = min(first, b.outgoing(i).first)
	}
	if first == Forever {
		return math.MaxInt64
	}
	return first / b.calendar.length
}

func (b *Block) sendPacket(router, lane uint32, p packet, span uint32) {
	box := b.outgoing(b.net.blockOf(router))
	box.packets = append(box.packets, packetMail{p, span, router, lane})
	box.first = min(box.first, p.time)
}

// sendCredit tells the block upstream that the space of a packet is free from the time at on.
func (b *Block) sendCredit(router, lane uint32, at int64, flits uint16) {
	box := b.outgoing(b.net.blockOf(router))
	box.credits = append(box.credits, creditMail{at, router, lane, flits & flitMask})
	box.first = min(box.first, at)
}

// empty makes room for what is sent in this round.
func (b *Block) empty() {
	if len(b.mail) == 1 {
		return
	}
	for i := range b.mail {
		x := b.outgoing(i)
		*x = box{packets: x.packets[:0], credits: x.credits[:0], released: x.released[:0], first: Forever}
	}
}

// Collect takes in what other blocks sent in the round before. Blocks may
// collect at the same time.
func (b *Block) Collect(round uint64) {
	for _, other := range b.net.blocks {
		box := &other.mail[b.index].boxes[(round-1)&1]
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
			b.reuse(index)
		}
		for class, n := range box.over {
			if n > 0 {
				b.forget(class, n)
			}
		}
	}
}

// takeCredit lets a credit from another block look as if a packet had left the
// stand-in of the FIFO downstream.
func (b *Block) takeCredit(c *creditMail) {
	if g := b.general; g != nil {
		g.giveBack(b.routers.at(c.router), c.lane, c.at, c.flits)
		return
	}
	out := b.lanes.at(c.lane)
	b.leaveBehind(out, c.at, c.flits)
	if down := b.lanes.at(out.down); down.way&wanted != 0 && down.enough(c.flits) {
		b.rouse(c.router, c.lane, c.at)
	}
}
