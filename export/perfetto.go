package export

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"

	"fabricast/internal/why"
	"fabricast/record"
)

var _ = register(10, Format{Name: "perfetto", Ending: ".perfetto-trace", Files: one, write: perfetto})

// Field numbers and values of Perfetto's protocol buffers (protos/perfetto/trace in its
// documentation).
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

// perfetto writes a trace of track events in nanoseconds: a track for each rank, a slice for each
// span, and a flow for each message.
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
			return p.event(
				m.Delivery, m.Destination, typeInstant, text, "message", eventEndingFlow,
				uint64(i)+1,
			)
		})
	}
	if err != nil {
		return err
	}
	switch path, err := why.Find(r); {
	case err == nil:
		p.criticalPath(path, n)
	case !why.Absent(err):
		return err
	}
	return p.w.Flush()
}

// criticalPath writes the critical path: a track below those of the n ranks, and a flow along each
// message from the rank that sends it to the rank that receives it. An error of the writer comes again
// at the end.
func (p *perfettoWriter) criticalPath(path *why.Path, n int) {
	const name = "critical path"
	track := int32(n) // after those of the ranks
	p.track(trackOf(track), rootTrack, name, n)
	for i := range path.Segments {
		s := &path.Segments[i]
		_ = p.event(s.Begin, track, typeBegin, fmt.Sprintf("rank %d: %s", s.Rank, s.Cause), name, 0, 0)
		_ = p.event(s.End, track, typeEnd, "", "", 0, 0)
		if s.Message == nil || s.Message.Source == s.Message.Destination {
			continue
		}
		from := s.Message.Source
		if from == s.Rank {
			from = s.Message.Destination
		}
		if s.Cause != why.Network && s.Cause != why.Local && s.Cause != why.Request && s.Cause != why.Data {
			continue
		}
		number := firstOfPath + uint64(i)
		_ = p.event(s.Begin, from, typeInstant, name, name, eventFlow, number)
		_ = p.event(s.End, s.Rank, typeInstant, name, name, eventEndingFlow, number)
	}
}

// firstOfPath is the number of the first flow of the critical path. Those of messages are smaller.
const firstOfPath = 1 << 62

func trackOf(rank int32) uint64 { return uint64(rank) + 2 }

type perfettoWriter struct {
	w                     *bufio.Writer
	whole, packet, within []byte
}

// track writes the description of a track. number is its position among the tracks of its parent.
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

// event writes an event on a rank's track. If the event begins or ends a flow, flow is the field
// for the flow's number; else it is 0.
func (p *perfettoWriter) event(
	at int64,
	rank int32,
	kind uint64,
	name, category string,
	flow uint64,
	number uint64,
) error {
	e := varint(p.within[:0], eventType, kind)
	e = varint(e, eventTrack, trackOf(rank))
	if name != "" {
		e = text(e, eventCategory, category)
		e = text(e, eventName, name)
	}
	if flow != 0 {
		e = binary.LittleEndian.AppendUint64(tag(e, flow, wireFixed64), number)
	}
	p.within = e
	b := varint(p.packet[:0], packetTimestamp, uint64(nanos(at)))
	b = varint(b, packetSequence, onlySequence)
	p.packet = nested(b, packetTrackEvent, e)
	return p.flush()
}

func (p *perfettoWriter) flush() error {
	p.whole = nested(p.whole[:0], traceField, p.packet)
	_, err := p.w.Write(p.whole)
	return err
}

// Wire types of protocol buffers (https://protobuf.dev/programming-guides/encoding).
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
)

func tag(b []byte, field, kind uint64) []byte { return binary.AppendUvarint(b, field<<3|kind) }

func varint(b []byte, field, v uint64) []byte {
	return binary.AppendUvarint(tag(b, field, wireVarint), v)
}

func text(b []byte, field uint64, s string) []byte {
	return append(binary.AppendUvarint(tag(b, field, wireBytes), uint64(len(s))), s...)
}

func nested(b []byte, field uint64, m []byte) []byte {
	return append(binary.AppendUvarint(tag(b, field, wireBytes), uint64(len(m))), m...)
}
