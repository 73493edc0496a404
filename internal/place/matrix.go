package place

import (
	"cmp"
	"slices"

	"fabricast/fabric"
	"fabricast/internal/units"
	"fabricast/record"
)

// Flow is what one rank sends to another.
type Flow struct {
	From, To int32
	Messages int64
	Bytes    int64 // on the wire, with the headers of packets
}

// periods is the number of periods of equal length into which the messages of a run are divided.
const periods = 16

// Matrix returns what ranks send to each other in a run whose messages were recorded, in the order
// of senders and receivers: in all, and in each period of the run, by the times of the sends. It counts the
// data of messages, but not the requests and answers of rendezvous.
func Matrix(r *record.Reader, packet fabric.Packet) (all []Flow, byPeriod [][]Flow, err error) {
	last := int64(0)
	for m, err := range record.Rows[record.Message](r, record.MessagesTable) {
		if err != nil {
			return nil, nil, err
		}
		last = max(last, m.Send)
	}
	total, parts := tally{}, make([]tally, periods)
	for i := range parts {
		parts[i] = tally{}
	}
	for m, err := range record.Rows[record.Message](r, record.MessagesTable) {
		if err != nil {
			return nil, nil, err
		}
		if m.Source == m.Destination {
			continue
		}
		bytes := packet.WireOf(m.Bytes)
		total.add(m.Source, m.Destination, bytes)
		parts[units.MulDiv(m.Send, periods, last+1)].add(m.Source, m.Destination, bytes)
	}
	for i := range parts {
		if flows := parts[i].sorted(); len(flows) > 0 {
			byPeriod = append(byPeriod, flows)
		}
	}
	return total.sorted(), byPeriod, nil
}

// tally adds up what pairs of ranks exchange.
type tally map[[2]int32]*Flow

func (t tally) add(from, to int32, bytes int64) {
	f := t[[2]int32{from, to}]
	if f == nil {
		f = &Flow{From: from, To: to}
		t[[2]int32{from, to}] = f
	}
	f.Messages++
	f.Bytes += bytes
}

// sorted returns the flows in the order of senders and receivers.
func (t tally) sorted() []Flow {
	list := make([]Flow, 0, len(t))
	for _, f := range t {
		list = append(list, *f)
	}
	slices.SortFunc(list, func(a, b Flow) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return list
}
