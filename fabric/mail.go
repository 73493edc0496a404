package fabric

import (
	"fabricast/internal/snapshot"
	"math"
)

// outbox holds what a block sends to others. For each receiver there are two boxes: the block fills
// one in this window, and the receiver reads the other, which was filled in the window before.
type outbox struct {
	cuts  []uint32  // first router of each block, and behind them the number of routers
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

func newOutbox(cuts []uint32, blocks int) outbox {
	o := outbox{cuts: cuts, boxes: make([]mailbox, blocks)}
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
	box := o.to(uint32(blockAt(o.cuts, router)))
	box.packets = append(box.packets, packetMail{p, span, router, lane})
	box.first = min(box.first, p.time)
}

// sendCredit sends credit to the block upstream: the space of a packet is free from the time `at`
// (ps) on.
func (o *outbox) sendCredit(router, lane uint32, at int64, flits uint16) {
	box := o.to(uint32(blockAt(o.cuts, router)))
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

// contentMail is a message whose contents go to another process.
type contentMail struct {
	id MsgID
	to int32
}

// filled reports whether there is anything in a box.
func (x *box) filled() bool {
	return len(x.packets)|len(x.feedback)|len(x.credits)|len(x.released) != 0 || x.over != [sizeClasses]uint32{}
}

// state goes over what the block has sent in the last round, which the others have not collected.
func (o *outbox) state(v *snapshot.Visitor) {
	snapshot.Value(v, &o.round)
	if len(o.boxes) == 1 {
		return
	}
	for i := range o.boxes {
		x := o.to(uint32(i))
		snapshot.List(v, &x.packets)
		snapshot.List(v, &x.riders)
		snapshot.List(v, &x.feedback)
		snapshot.List(v, &x.credits)
		snapshot.List(v, &x.released)
		snapshot.Value(v, &x.first)
		snapshot.Value(v, &x.over)
	}
}

// blockAt returns the block that has a router, by the cuts between blocks.
func blockAt(cuts []uint32, router uint32) int {
	lo, hi := 0, len(cuts)-1
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; cuts[mid] <= router {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// rider is what a packet carries for doors.
type rider struct {
	meta    uint64
	epoch   uint16
	from    uint16 // port by which it has come to the router whose agent has it
	control bool   // it is a reply of Hooks.Eject
	held    bool   // by an agent
	_       [2]byte
}

// feedbackMail is feedback for the injector of a NIC of another block.
type feedbackMail struct {
	at        int64 // ps
	value     uint64
	nic, from uint32
}

// sendRider sends what the packet sent last carries for doors.
func (o *outbox) sendRider(router uint32, x rider) {
	box := o.to(uint32(blockAt(o.cuts, router)))
	box.riders = append(box.riders, x)
}

// sendFeedback sends feedback to a NIC of a router of another block.
func (o *outbox) sendFeedback(router uint32, f feedbackMail) {
	box := o.to(uint32(blockAt(o.cuts, router)))
	box.feedback = append(box.feedback, f)
	box.first = min(box.first, f.at)
}
