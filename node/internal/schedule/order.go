package schedule

import (
	"fabricast/fabric"
	"fabricast/internal/snapshot"
	"fabricast/node/internal/core"
)

// Order restores the order of sending between two ranks, as MPI requires for matching, where the
// network may deliver out of order: with several NICs, or with routing that uses several paths for
// a pair of hosts. A message out of order waits in memory until the earlier ones have arrived.
type Order struct {
	schedule *Schedule
	// sent is used by the sender's block: the sequence number of the pair's next message, modulo
	// 2^16
	sent map[Pair]uint16
	// used by the receiver's block: the sequence number of the message that may be matched next
	taken      map[Pair]uint16
	outOfOrder map[Turn]fabric.MsgID
	// counts and waits hold copies of the maps for State
	counts []core.Numbered[Pair, uint16]
	waits  []core.Numbered[Turn, fabric.MsgID]
}

func NewOrder(s *Schedule) Order {
	return Order{
		schedule:   s,
		sent:       make(map[Pair]uint16),
		taken:      make(map[Pair]uint16),
		outOfOrder: make(map[Turn]fabric.MsgID),
	}
}

// Number returns the next sequence number of a pair of ranks.
func (o *Order) Number(from, to int32) uint16 {
	p := Pair{from, to}
	n := o.sent[p]
	o.sent[p] = n + 1
	return n
}

// InTurn reports whether a message in memory may be matched now. If so, it schedules the pair's
// next message if that one has been waiting; otherwise the message has to wait. keeper is the rank
// whose record holds the arrivals of the host.
func (o *Order) InTurn(keeper *core.Rank, p Pair, id fabric.MsgID, m *fabric.Message) bool {
	number := o.taken[p]
	if m.Order != number {
		m.Left = Held
		o.outOfOrder[Turn{p, m.Order}] = id
		return false
	}
	o.taken[p] = number + 1
	after := Turn{p, number + 1}
	if next, waits := o.outOfOrder[after]; waits {
		delete(o.outOfOrder, after)
		o.schedule.Expect(keeper, uint32(next), core.Arrival(m))
	}
	return true
}

// State saves or restores the sequence numbers of messages.
func (o *Order) State(v *snapshot.Visitor) {
	core.StateOf(v, &o.counts, o.sent)
	core.StateOf(v, &o.counts, o.taken)
	core.StateOf(v, &o.waits, o.outOfOrder)
}

// Pair is the sending and the receiving rank of a message.
type Pair struct{ From, To int32 }

// Turn is a message's sequence number within its pair of ranks.
type Turn struct {
	Pair
	number uint16
}

// Held marks a message that is already in memory. It is stored in the transport's count of
// remaining packets, which is unused once all have arrived.
const Held = 1
