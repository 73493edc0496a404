package export

import (
	"bufio"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"

	"fabricast/record"
)

// Numbers of fields of Perfetto's messages (protos/perfetto/trace of its documentation).
const (
	traceField = 1 // packet

	packetTimestamp  = 8
	packetSequence   = 10
	packetTrackEvent = 11
	packetFlags      = 13
	packetDescriptor = 60

	descriptorUUID   = 1
	descriptorName   = 2
	descriptorParent = 5
	descriptorRank   = 12 // sibling_order_rank
	descriptorOrder  = 11 // child_ordering

	eventType       = 9
	eventTrack      = 11
	eventCategory   = 22
	eventName       = 23
	eventFlow       = 47
	eventEndingFlow = 48

	typeBegin   = 1
	typeEnd     = 2
	typeInstant = 3

	orderExplicit      = 3
	incrementalCleared = 1
	onlySequence       = 1
)

const rootTrack = 1

// perfetto writes a trace of track events, in nanoseconds: a track for each rank, a slice for each span, a
// flow for each message.
func perfetto(r *record.Reader, to []io.Writer) error {
	n, err := ranks(r)
	if err != nil {
		return err
	}
	p := &perfettoWriter{w: bufio.NewWriter(to[0])}
	p.track(rootTrack, 0, "ranks", 0)
	for rank := range n {
		p.track(trackOf(int32(rank)), rootTrack, fmt.Sprintf("rank %d", rank), rank)
	}
	err = spans(r, func(s *record.Span) error {
		p.event(s.Begin, s.Rank, typeBegin, name(s), s.State, 0, 0)
		return p.event(s.End, s.Rank, typeEnd, "", "", 0, 0)
	})
	if err == nil {
		err = messages(r, func(i int, m *record.Message) error {
			text := fmt.Sprintf("%d B from %d to %d", m.Bytes, m.Source, m.Destination)
			p.event(m.Send, m.Source, typeInstant, text, "message", eventFlow, uint64(i)+1)
			return p.event(m.Delivery, m.Destination, typeInstant, text, "message", eventEndingFlow, uint64(i)+1)
		})
	}
	if err != nil {
		return err
	}
	return p.w.Flush()
}

func trackOf(rank int32) uint64 { return uint64(rank) + 2 }

type perfettoWriter struct {
	w              *bufio.Writer
	packet, within []byte
}

// track describes a track, of which the number tells the place among its like.
func (p *perfettoWriter) track(uuid, parent uint64, name string, number int) {
	d := p.within[:0]
	d = varint(d, descriptorUUID, uuid)
	d = text(d, descriptorName, name)
	if parent == 0 {
		d = varint(d, descriptorOrder, orderExplicit)
	} else {
		d = varint(d, descriptorParent, parent)
		d = varint(d, descriptorRank, uint64(number))
	}
	p.within = d
	b := p.packet[:0]
	if parent == 0 {
		b = varint(b, packetFlags, incrementalCleared)
	}
	b = varint(b, packetSequence, onlySequence)
	p.packet = nested(b, packetDescriptor, d)
	_ = p.flush() // an error comes again at the end
}

// event writes one of a rank's track; flow is the field for the number of a flow, if it is part of one.
func (p *perfettoWriter) event(at int64, rank int32, kind uint64, name, category string, flow protowire.Number, number uint64) error {
	e := varint(p.within[:0], eventType, kind)
	e = varint(e, eventTrack, trackOf(rank))
	if name != "" {
		e = text(e, eventCategory, category)
		e = text(e, eventName, name)
	}
	if flow != 0 {
		e = protowire.AppendTag(e, flow, protowire.Fixed64Type)
		e = protowire.AppendFixed64(e, number)
	}
	p.within = e
	b := varint(p.packet[:0], packetTimestamp, uint64(nanos(at)))
	b = varint(b, packetSequence, onlySequence)
	p.packet = nested(b, packetTrackEvent, e)
	return p.flush()
}

func (p *perfettoWriter) flush() error {
	head := protowire.AppendVarint(protowire.AppendTag(nil, traceField, protowire.BytesType), uint64(len(p.packet)))
	if _, err := p.w.Write(head); err != nil {
		return err
	}
	_, err := p.w.Write(p.packet)
	return err
}

func varint(b []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

func text(b []byte, field protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
}

func nested(b []byte, field protowire.Number, m []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), m)
}
