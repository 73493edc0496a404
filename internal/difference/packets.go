package difference

import (
	"fmt"

	"fabricast/internal/humanize"
	"fabricast/record"
)

// Window returns the period (ps) in which packets of the first message that differs are in the network;
// ok is false if no message differs.
func (d *Difference) Window() (from, to int64, ok bool) { return d.from, d.to, d.to > 0 }

// Packets adds the first packet that leaves a router at another time or by another output, from folders
// of the same runs that hold logs of buffers in the window.
func (d *Difference) Packets(first, second *record.Reader) error {
	rest, err := pair[record.Passage](first, second, record.BufferLogTable)
	if err != nil {
		return err
	}
	names, err := portNames(first)
	if err != nil {
		return err
	}
	type way struct {
		router, port, source, destination int32
		bytes                             int64
	}
	key := func(p *record.Passage) way { return way{p.Router, p.Port, p.SourceHost, p.DestinationHost, p.Bytes} }
	var found *Event
	match(&rest, key, func(a, b *record.Passage) {
		if a == nil || b == nil || a.Out == b.Out && a.OutPort == b.OutPort {
			return
		}
		e := Event{What: "packet", At: [2]int64{a.Out, b.Out}}
		if found != nil && found.earliest() <= e.earliest() {
			return
		}
		e.Words = d.lost(a, b, &rest, names)
		found = &e
	})
	if found != nil {
		d.Events = append([]Event{*found}, d.Events...)
		d.conclude()
	}
	return nil
}

// port is an output of a router.
type port struct{ router, port int32 }

func portNames(r *record.Reader) (map[port]string, error) {
	names := map[port]string{}
	for l, err := range record.Rows[record.Link](r, record.LinksTable) {
		if err != nil {
			return nil, err
		}
		if l.Kind != record.Injection {
			names[port{l.Router, l.Port}] = l.Where()
		}
	}
	return names, nil
}

// lost tells the story of a packet: by which outputs it leaves, and which packet used the output before.
func (d *Difference) lost(a, b *record.Passage, rest *remainder[record.Passage], names map[port]string) string {
	text := fmt.Sprintf("a packet from host %d to host %d leaves by %s at %s",
		a.SourceHost, a.DestinationHost, names[port{a.Router, a.OutPort}], humanize.Time(a.Out))
	if a.OutPort != b.OutPort {
		return text + fmt.Sprintf(", in the second run by %s at %s", names[port{b.Router, b.OutPort}], humanize.Time(b.Out))
	}
	text += fmt.Sprintf(", in the second run at %s", humanize.Time(b.Out))
	later, run := a, 0
	if b.Out > a.Out {
		later, run = b, 1
	}
	var before *record.Passage
	for i := range rest.rows[run] {
		p := &rest.rows[run][i]
		if p.Router == later.Router && p.OutPort == later.OutPort && p.Out < later.Out && p.Out >= later.In &&
			(before == nil || p.Out > before.Out) {
			before = p
		}
	}
	if before != nil {
		text += fmt.Sprintf(", after one from host %d to host %d", before.SourceHost, before.DestinationHost)
	}
	return text
}
