package core

import (
	"fabricast/fabric/model"
	"fabricast/internal/snapshot"
)

// Outbox holds what a block sends to others. For each receiver there are two boxes: the block fills
// one in this window, and the receiver reads the other, which was filled in the window before.
type Outbox struct {
	cuts  []uint32  // first router of each block, and behind them the number of routers
	Boxes []mailbox // by destination block, from block base on
	Base  int       // 0, but for blocks of other processes
	Round uint64
	// messages with contents for other processes, posted in this round
	Contents []ContentMail
}

// mailbox is the pair of boxes from one block to another, indexed by round modulo 2.
type mailbox [2]Box

type Box struct {
	Packets  []PacketMail
	Riders   []Rider // of the packets, in networks with doors
	Feedback []FeedbackMail
	Credits  []CreditMail
	Released []uint32 // messages of the receiving block that are done
	First    int64    // ps: earliest time at which any of it matters
	// number of the receiving block's messages that are no longer under way, less those that are
	// now (modulo 2^32), by size class, see lookahead
	Over [SizeClasses]uint32
}

type PacketMail struct {
	Packet Packet
	Span   uint32
	Router uint32
	VC     uint32
}

type CreditMail struct {
	At     int64
	Router uint32 // whose output it is for
	VC     uint32
	Flits  uint16
}

func NewOutbox(cuts []uint32, blocks int) Outbox {
	o := Outbox{cuts: cuts, Boxes: make([]mailbox, blocks)}
	for i := range o.Boxes {
		o.Boxes[i][0].First, o.Boxes[i][1].First = model.Forever, model.Forever
	}
	return o
}

// To returns the box for another block that is being filled, or that was filled last.
func (o *Outbox) To(block uint32) *Box { return &o.Boxes[block][o.Round&1] }

// Begin empties the boxes to be filled in a round.
func (o *Outbox) Begin(round uint64) {
	o.Round = round
	if len(o.Boxes) == 1 {
		return
	}
	for i := range o.Boxes {
		o.To(uint32(i)).Empty()
	}
}

// Empty makes a box ready to be filled.
func (x *Box) Empty() {
	*x = Box{
		Packets: x.Packets[:0], Riders: x.Riders[:0], Feedback: x.Feedback[:0],
		Credits: x.Credits[:0], Released: x.Released[:0], First: model.Forever,
	}
}

// Earliest returns the earliest time (ps) at which something sent last matters; model.Forever if
// nothing was.
func (o *Outbox) Earliest() (first int64) {
	first = model.Forever
	if len(o.Boxes) == 1 {
		return first
	}
	for i := range o.Boxes {
		first = min(first, o.To(uint32(i)).First)
	}
	return first
}

// SendPacket sends a packet to a VC of a router of another block. span is the time (ps) from its
// head to its tail.
func (o *Outbox) SendPacket(router, number uint32, p Packet, span uint32) {
	box := o.To(uint32(BlockAt(o.cuts, router)))
	box.Packets = append(box.Packets, PacketMail{p, span, router, number})
	box.First = min(box.First, p.Time)
}

// SendCredit sends credit to the block upstream: the space of a packet is free from the time `at`
// (ps) on.
func (o *Outbox) SendCredit(router, number uint32, at int64, flits uint16) {
	box := o.To(uint32(BlockAt(o.cuts, router)))
	box.Credits = append(box.Credits, CreditMail{at, router, number, flits & FlitMask})
	box.First = min(box.First, at)
}

// release returns a message record to the block that has sent the message.
func (o *Outbox) release(block, index uint32) {
	box := o.To(block)
	box.Released = append(box.Released, index)
}

// over reports to the sending block that a message of a size class is no longer under way.
func (o *Outbox) over(block uint32, class int) { o.To(block).Over[class]++ }

// under reports to the block that made a message of a size class that it is now under way.
func (o *Outbox) under(block uint32, class int) { o.To(block).Over[class]-- }

// ContentMail is a message whose contents go to another process.
type ContentMail struct {
	ID model.MsgID
	To int32
}

// Filled reports whether there is anything in a box.
func (x *Box) Filled() bool {
	return len(x.Packets)|len(x.Feedback)|len(x.Credits)|len(x.Released) != 0 || x.Over != [SizeClasses]uint32{}
}

// state goes over what the block has sent in the last round, which the others have not collected.
func (o *Outbox) state(v *snapshot.Visitor) {
	snapshot.Value(v, &o.Round)
	if len(o.Boxes) == 1 {
		return
	}
	for i := range o.Boxes {
		x := o.To(uint32(i))
		snapshot.List(v, &x.Packets)
		snapshot.List(v, &x.Riders)
		snapshot.List(v, &x.Feedback)
		snapshot.List(v, &x.Credits)
		snapshot.List(v, &x.Released)
		snapshot.Value(v, &x.First)
		snapshot.Value(v, &x.Over)
	}
}

// BlockAt returns the block that has a router, by the cuts between blocks.
func BlockAt(cuts []uint32, router uint32) int {
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

// Rider is what a packet carries for doors.
type Rider struct {
	Meta    uint64
	Epoch   uint16
	From    uint16 // port by which it has come to the router whose agent has it
	Control bool   // it is a reply of Hooks.Eject
	Held    bool   // by an agent
	_       [2]byte
}

// FeedbackMail is feedback for the injector of a NIC of another block.
type FeedbackMail struct {
	At        int64 // ps
	Value     uint64
	NIC, From uint32
}

// SendRider sends what the packet sent last carries for doors.
func (o *Outbox) SendRider(router uint32, x Rider) {
	box := o.To(uint32(BlockAt(o.cuts, router)))
	box.Riders = append(box.Riders, x)
}

// SendFeedback sends feedback to a NIC of a router of another block.
func (o *Outbox) SendFeedback(router uint32, f FeedbackMail) {
	box := o.To(uint32(BlockAt(o.cuts, router)))
	box.Feedback = append(box.Feedback, f)
	box.First = min(box.First, f.At)
}
