package core

import (
	"iter"

	"fabricast/fabric/model"
	"fabricast/internal/snapshot"
)

// Outbox holds the data that a block sends to other blocks. For each receiver there are two boxes:
// the block fills one in this window, while the receiver reads the other, which was filled in the
// previous window.
type Outbox struct {
	cuts  []uint32  // first router of each block, followed by the number of routers
	Boxes []mailbox // by destination block, starting with block Base
	Base  int       // 0, except for blocks of other processes
	Round uint64
	// messages posted in this round whose contents go to other processes
	Contents []ContentMail
	late     Late
}

// mailbox is the pair of boxes from one block to another, indexed by round modulo 2.
type mailbox [2]Box

type Box struct {
	Packets  []PacketMail
	Riders   []Rider // riders of the packets, in networks with doors
	Feedback []FeedbackMail
	Credits  []CreditMail
	// notices about streams, see mail_streams.go
	Arrivals   []ArrivalMail
	Departures []DepartureMail
	Released   []uint32 // messages of the receiving block that have been released
	First      int64    // earliest time at which any of the data takes effect (ps)
	// by size class: number of the receiving block's messages that are no longer in flight, minus
	// those that newly are (modulo 2^32); see Lookahead
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
	Router uint32 // router of the output that gets the credit
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

// To returns the box for another block that is being filled or was filled last.
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

// Empty empties a box so that it can be filled.
func (x *Box) Empty() {
	*x = Box{
		Packets: x.Packets[:0], Riders: x.Riders[:0], Feedback: x.Feedback[:0],
		Credits: x.Credits[:0], Arrivals: x.Arrivals[:0], Departures: x.Departures[:0],
		Released: x.Released[:0], First: model.Forever,
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

// release returns the record of a message to the block that sent the message.
func (o *Outbox) release(block, index uint32) {
	box := o.To(block)
	box.Released = append(box.Released, index)
}

// over reports to the sending block that a message of a size class is no longer in flight.
func (o *Outbox) over(block uint32, class int) { o.To(block).Over[class]++ }

// under reports to the block that created a message of a size class that it is now in flight.
func (o *Outbox) under(block uint32, class int) { o.To(block).Over[class]-- }

// ContentMail is a message whose contents must be transferred to another process.
type ContentMail struct {
	ID model.MsgID
	To int32
}

// Filled reports whether a box contains any data.
func (x *Box) Filled() bool {
	return len(x.Packets)|len(x.Feedback)|len(x.Credits)|len(x.Arrivals)|len(x.Departures)|len(x.Released) != 0 ||
		x.Over != [SizeClasses]uint32{}
}

// LastPackets yields the messages whose last packets are in a box, on their way or lost.
func (x *Box) LastPackets() iter.Seq[model.MsgID] {
	return func(yield func(model.MsgID) bool) {
		for i := range x.Packets {
			if p := &x.Packets[i].Packet; p.Flits&LastPacket != 0 && !yield(p.Msg) {
				return
			}
		}
		for i := range x.Feedback {
			if f := &x.Feedback[i]; f.Lost != 0 && f.From&LastPacket != 0 && !yield(f.Lost) {
				return
			}
		}
	}
}

// state visits the data that the block sent in the last round and the others have not collected
// yet.
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
		snapshot.List(v, &x.Arrivals)
		snapshot.List(v, &x.Departures)
		snapshot.List(v, &x.Released)
		snapshot.Value(v, &x.First)
		snapshot.Value(v, &x.Over)
	}
}

// BlockAt returns the block of a router, given the first router of each block.
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

// Rider is the data for doors that a packet carries.
type Rider struct {
	Meta     uint64
	Epoch    uint16
	From     uint16 // port through which it entered the router whose agent has it
	Control  bool   // the packet is a reply of Hooks.Eject
	Held     bool   // an agent holds the packet
	Losses   uint8  // how often links have lost it in a row
	Hopeless uint8  // how often they have after the last change of links and routing
	Number   uint32 // of the packet among those of its NIC, if links lose packets
	_        uint32
}

// FeedbackMail is feedback for the injector of a NIC of another block.
type FeedbackMail struct {
	At        int64 // time at which the feedback takes effect (ps)
	Value     uint64
	NIC, From uint32
	// Lost is the message of a packet that has been lost, which the NIC sends again; 0: it is feedback
	Lost model.MsgID
	_    uint32
}

// SendRider sends the Rider of the last packet sent.
func (o *Outbox) SendRider(router uint32, x Rider) {
	box := o.To(uint32(BlockAt(o.cuts, router)))
	box.Riders = append(box.Riders, x)
}

// SendFeedback sends feedback to a NIC in another block. router is the NIC's router.
func (o *Outbox) SendFeedback(router uint32, f FeedbackMail) {
	box := o.To(uint32(BlockAt(o.cuts, router)))
	box.Feedback = append(box.Feedback, f)
	box.First = min(box.First, f.At)
}
