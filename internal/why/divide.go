package why

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"fabricast/fabric"
	"fabricast/internal/causes"
	"fabricast/record"
)

// Parts is the division of a segment's time (ps) by part of the latency of its messages.
type Parts causes.Parts

// MarshalJSON writes the parts that are not 0 as an object, in the order in which a message meets them.
func (p *Parts) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for part, time := range p {
		if time == 0 {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%d", causes.Part(part), time)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// PartShare is the time on the path in one part of the latencies of its messages.
type PartShare struct {
	Part  string  `json:"part"`
	Time  int64   `json:"ps"`
	Share float64 `json:"share"` // of the predicted time
	Waits bool    `json:"waits"` // a message waits for something that others use
}

// divider divides the segments of the path that messages spend in the network, by causes.parquet. It
// goes backward over the table, as the path does. A segment may consist of several messages, one
// after the other, such as a rendezvous. So each message found tells when the one before it arrived.
type divider struct {
	hosts  []int32 // by rank
	parts  causes.Parts
	sought map[int64][]*open // by number of a message
	ends   map[end][]*open   // one-sided operations, whose answers have no known numbers
	found  map[int64]bool    // numbers of the messages of segments
}

// open is a segment whose messages are sought, from its end to its beginning.
type open struct {
	*Segment
	until int64 // ps: what is after it is divided
	parts causes.Parts
}

// end is where and when a message arrives.
type end struct {
	source, destination int32 // hosts
	at                  int64
}

// Flight is a message that is on the path from its Post to its delivery.
type Flight struct {
	Source, Destination int32 // hosts
	Bytes, Time         int64 // size; ps
}

// divide divides the network's segments of a path, if the folder has a table for it.
func (p *Path) divide(folder *record.Reader, hosts []int32) error {
	p.Parts = []PartShare{}
	if !folder.Has(record.CausesTable) {
		return nil
	}
	d := &divider{hosts: hosts, sought: map[int64][]*open{}, ends: map[end][]*open{}, found: map[int64]bool{}}
	list := d.seek(p.Segments)
	if len(list) == 0 {
		return nil
	}
	for row, err := range record.RowsBackward[record.Division](folder, record.CausesTable) {
		if err != nil {
			return err
		}
		d.take(&row)
	}
	for _, o := range list {
		d.finish(o)
	}
	for part, time := range d.parts {
		if time > 0 {
			p.Parts = append(p.Parts, PartShare{
				Part: causes.Part(part).String(), Time: time, Share: float64(time) / float64(max(1, p.Predicted)),
				Waits: causes.Part(part).Waits(),
			})
		}
	}
	slices.SortStableFunc(p.Parts, func(a, b PartShare) int { return cmp.Compare(b.Time, a.Time) })
	return p.findRoots(folder, d.found)
}

// seek lists the segments that messages spend in the network, with the numbers that are known.
func (d *divider) seek(segments []Segment) (list []*open) {
	for i := range segments {
		s := &segments[i]
		m := s.Message
		if m == nil || m.Number == 0 || s.Cause.work() {
			continue
		}
		o := &open{Segment: s, until: s.End}
		list = append(list, o)
		from, to := d.hosts[m.Source], d.hosts[m.Destination]
		there := fabric.MessageNumber(from, to, m.Tag, 0, m.Send)
		switch s.Cause {
		case Request:
			d.sought[there] = append(d.sought[there], o)
		case Data:
			back := fabric.MessageNumber(to, from, m.Tag, 0, m.Send)
			d.sought[m.Number] = append(d.sought[m.Number], o)
			d.sought[back] = append(d.sought[back], o)
		case OneSided:
			d.await(o, end{to, from, s.End})
		default:
			d.sought[m.Number] = append(d.sought[m.Number], o)
		}
	}
	return list
}

func (d *divider) await(o *open, e end) { d.ends[e] = append(d.ends[e], o) }

// take divides the segments that a message is part of.
func (d *divider) take(row *record.Division) {
	for _, o := range d.sought[row.Message] {
		d.cover(o, row)
	}
	e := end{row.SourceHost, row.DestinationHost, row.Delivery}
	waiting := d.ends[e]
	delete(d.ends, e)
	for _, o := range waiting {
		if d.cover(o, row) {
			d.await(o, end{row.DestinationHost, row.SourceHost, row.Post})
		}
	}
}

// cover charges the part of a segment, before what is divided already, that a message covers. It
// returns false if it covers none.
func (d *divider) cover(o *open, row *record.Division) bool {
	first := o.until == o.End
	switch {
	case o.until <= o.Begin || row.Post >= o.until || row.Post < o.Begin && o.Cause != Network:
		return false
	case row.Delivery > o.until && (!first || o.Cause == Network || o.Cause == Request):
		return false // another message with the same number
	case row.Delivery < o.until && !first:
		return false
	}
	arrives := min(row.Delivery, o.until)
	d.found[row.Message] = true
	o.parts[causes.ReceiveWait] += o.until - arrives
	begin := max(o.Begin, row.Post)
	parts := row.Parts()
	clip(&parts, begin-row.Post, arrives-row.Post)
	o.parts.Add(&parts)
	if begin == row.Post && arrives == row.Delivery {
		o.Flights = append(o.Flights, Flight{row.SourceHost, row.DestinationHost, row.Bytes, arrives - begin})
	}
	o.until = begin
	return true
}

// clip leaves the time of the parts that lies between two times, counted from where the parts begin.
func clip(p *causes.Parts, from, until int64) {
	begin := int64(0)
	for part := range p {
		end := begin + p[part]
		p[part] = max(0, min(until, end)-max(from, begin))
		begin = end
	}
}

// finish charges the beginning of a segment that no message covers: a message waits in the node, or
// the answer to an operation is awaited.
func (d *divider) finish(o *open) {
	if o.until == o.End {
		return // the table has no such message
	}
	part := causes.SourceQueue
	if o.Cause == OneSided || o.Cause == Data {
		part = causes.Handshake
	}
	o.parts[part] += o.until - o.Begin
	d.parts.Add(&o.parts)
	parts := Parts(o.parts)
	o.Parts = &parts
}
