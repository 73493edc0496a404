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
	sent pairs
	// taken is used by the receiver's block: the sequence number of the message that may be matched
	// next. The messages that a pair holds back are linked by Message.Next, in the order of sending.
	taken pairs
	// counts and waits are used by State
	counts []core.Numbered[Pair, uint16]
	waits  []core.Numbered[Turn, fabric.MsgID]
}

func NewOrder(s *Schedule) Order { return Order{schedule: s} }

// Number returns the next sequence number of a pair of ranks.
func (o *Order) Number(from, to int32) uint16 {
	i := o.sent.at(Pair{from, to})
	n := o.sent.numbers[i]
	o.sent.numbers[i] = n + 1
	return n
}

// InTurn reports whether a message in memory may be matched now. If so, it schedules the pair's
// next message if that one has been waiting; otherwise the message has to wait. keeper is the rank
// whose record holds the arrivals of the host.
func (o *Order) InTurn(keeper *core.Rank, p Pair, id fabric.MsgID, m *fabric.Message) bool {
	i := o.taken.at(p)
	number := o.taken.numbers[i]
	if m.Order != number {
		o.hold(i, id, m)
		return false
	}
	o.taken.numbers[i] = number + 1
	if next := o.taken.first(i); next != 0 {
		if after := o.schedule.Transport.Message(next); after.Order == number+1 {
			o.taken.hold(i, fabric.MsgID(after.Next))
			o.schedule.Expect(keeper, uint32(next), core.Arrival(m))
		}
	}
	return true
}

// hold adds a message to those that the pair of an entry holds back.
func (o *Order) hold(i int, id fabric.MsgID, m *fabric.Message) {
	number, t := o.taken.numbers[i], o.schedule.Transport
	m.Left = fabric.KeptBack
	before, next := (*fabric.Message)(nil), o.taken.first(i)
	for next != 0 {
		n := t.Message(next)
		if n.Order-number > m.Order-number {
			break
		}
		before, next = n, fabric.MsgID(n.Next)
	}
	m.Next = uint32(next)
	if before == nil {
		o.taken.hold(i, id)
	} else {
		before.Next = uint32(id)
	}
}

// State saves or restores the sequence numbers of messages.
func (o *Order) State(v *snapshot.Visitor) {
	o.sent.state(v, &o.counts)
	o.taken.state(v, &o.counts)
	o.waits = o.waits[:0]
	if !v.Restores() {
		o.listHeld()
	}
	snapshot.List(v, &o.waits)
	if v.Restores() {
		o.restoreHeld()
	}
}

// listHeld lists the messages that are held back.
func (o *Order) listHeld() {
	for i, first := range o.taken.held {
		for id := first; id != 0; {
			m := o.schedule.Transport.Message(id)
			key := Turn{pair(o.taken.keys[i]), m.Order}
			o.waits = append(o.waits, core.Numbered[Turn, fabric.MsgID]{Key: key, Value: id})
			id = fabric.MsgID(m.Next)
		}
	}
	core.SortNumbered(o.waits)
}

// restoreHeld restores the first message that each pair holds back. The others follow it, as the messages say.
func (o *Order) restoreHeld() {
	nearest := map[Pair]uint16{}
	for _, e := range o.waits {
		i := o.taken.at(e.Key.Pair)
		ahead := e.Key.number - o.taken.numbers[i]
		if least, known := nearest[e.Key.Pair]; !known || ahead < least {
			nearest[e.Key.Pair] = ahead
			o.taken.hold(i, e.Value)
		}
	}
}

// Turn is a message's sequence number within its pair of ranks.
type Turn struct {
	Pair
	number uint16
}
