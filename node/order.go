package node

import (
	"fabricast/fabric"
	"fabricast/internal/snapshot"
)

// order restores the order of sending between two ranks, as MPI requires for matching, where the
// network may deliver out of order: with several NICs, or with routing that takes several paths for
// a pair. An early message waits in memory until those before it have arrived.
type order struct {
	schedule *schedule
	// by the sender's block: the number of the pair's next message, modulo 2^16
	sent  map[pair]uint16
	taken map[pair]uint16 // by the receiver's block: the number of the one that may be matched next
	early map[turn]fabric.MsgID
	// for copies of the maps, see state
	counts []numbered[pair, uint16]
	waits  []numbered[turn, fabric.MsgID]
}

func newOrder(s *schedule) order {
	return order{
		schedule: s,
		sent:     make(map[pair]uint16),
		taken:    make(map[pair]uint16),
		early:    make(map[turn]fabric.MsgID),
	}
}

// number returns the next sequence number of a pair.
func (o *order) number(from, to int32) uint16 {
	p := pair{from, to}
	n := o.sent[p]
	o.sent[p] = n + 1
	return n
}

// inTurn reports whether a message in memory may be matched now. If so, it schedules the pair's
// next message, if that one has waited; if not, it makes the message wait. keeper is the rank that
// keeps the messages of its host.
func (o *order) inTurn(keeper *rank, p pair, id fabric.MsgID, m *fabric.Message) bool {
	number := o.taken[p]
	if m.Order != number {
		m.Left = held
		o.early[turn{p, m.Order}] = id
		return false
	}
	o.taken[p] = number + 1
	after := turn{p, number + 1}
	if next, waits := o.early[after]; waits {
		delete(o.early, after)
		o.schedule.expect(keeper, uint32(next), arrival(m))
	}
	return true
}

// state goes over the numbers of messages between two ranks.
func (o *order) state(v *snapshot.Visitor) {
	stateOf(v, &o.counts, o.sent)
	stateOf(v, &o.counts, o.taken)
	stateOf(v, &o.waits, o.early)
}

// pair is a sending and a receiving rank.
type pair struct{ from, to int32 }

// turn is a message's sequence number within its pair.
type turn struct {
	pair
	number uint16
}

// held marks a message that is already in memory. It is stored in the transport's count of packets
// to come, which is unused once all have come.
const held = 1
