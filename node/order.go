package node

import "fabricast/fabric"

// order keeps the messages between two ranks in the order of sending, as MPI demands of
// matching, where the network lets them overtake one another: with several NICs, and with
// routing that takes different ways for the packets of a pair. A message that comes early waits in
// memory until those before it have come.
type order struct {
	sent  map[pair]uint16 // by the sender's block: the number of the pair's next message, modulo 2^16
	taken map[pair]uint16 // by the receiver's block: the number of the one that may be matched next
	early map[turn]fabric.MsgID
}

// pair is two ranks, from one to the other.
type pair struct{ from, to int32 }

// turn is a message's place among those of its pair.
type turn struct {
	pair
	number uint16
}

// held marks a message that has been in memory before: the transport's count of packets to come
// is free once all have come.
const held = 1

func newOrder() order {
	return order{sent: make(map[pair]uint16), taken: make(map[pair]uint16), early: make(map[turn]fabric.MsgID)}
}

// number numbers the messages of a pair.
func (o *order) number(from, to int32) uint16 {
	p := pair{from, to}
	n := o.sent[p]
	o.sent[p] = n + 1
	return n
}

// inTurn tells whether a message that is in memory may be matched now. If so, and the next one
// of the pair has waited for it, that one comes now; if not, the message waits. The rank given
// keeps the messages that come to the host.
func (b *Block) inTurn(o *order, keeper *rank, p pair, id fabric.MsgID, m *fabric.Message) bool {
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
		b.expect(keeper, uint32(next), arrival(m))
	}
	return true
}
