package place

import (
	"cmp"
	"slices"

	"fabricast/fabric"
	"fabricast/record"
)

// Flow is what one rank sends to another.
type Flow struct {
	From, To int32
	Messages int64
	Bytes    int64 // on the wire, with the headers of packets
}

// Matrix returns what ranks send to each other in a run whose messages were recorded, in the order
// of senders and receivers. It counts the data of messages, but not the requests and answers of
// rendezvous.
func Matrix(r *record.Reader, packet fabric.Packet) ([]Flow, error) {
	type pair struct{ from, to int32 }
	at := map[pair]int{}
	var flows []Flow
	for m, err := range record.Rows[record.Message](r, record.MessagesTable) {
		if err != nil {
			return nil, err
		}
		if m.Source == m.Destination {
			continue
		}
		p := pair{m.Source, m.Destination}
		i, found := at[p]
		if !found {
			i = len(flows)
			at[p] = i
			flows = append(flows, Flow{From: p.from, To: p.to})
		}
		flows[i].Messages++
		flows[i].Bytes += packet.WireOf(m.Bytes)
	}
	slices.SortFunc(flows, func(a, b Flow) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return flows, nil
}
