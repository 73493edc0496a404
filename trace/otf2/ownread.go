package otf2

import (
	"fmt"
	"math"
	"strings"

	"fabricast/trace"
)

// This file reads the extensions in archives written by this package.

// attributeSet holds the attributes of an event (see atWork and the following constants).
type attributeSet struct {
	set    uint32 // bit i: the event has attribute i
	values [atBlock0]uint64
	blocks []int64
}

// has reports whether the event has an attribute.
func (a *attributeSet) has(id int) bool { return a.set&(1<<id) != 0 }

func (a *attributeSet) clear() {
	if a.set != 0 {
		a.set, a.blocks = 0, nil
	}
}

// read parses a record of attributes. An attribute whose type differs from the type that this
// package writes is an error.
func (a *attributeSet) read(f *fields) {
	a.clear()
	for n := f.uint(); n > 0 && !f.wrong; n-- {
		id := f.uint()
		if kind := f.u8(); kind != typeUint64 && kind != typeOf(id) {
			f.wrong = true
			return
		}
		value := f.uint64()
		switch {
		case id < atBlock0:
			a.set |= 1 << id
			a.values[id] = value
		case a.has(atBlocks) && id == atBlock0+uint64(len(a.blocks)):
			a.blocks = append(a.blocks, int64(value))
		default:
			f.wrong = true
		}
	}
}

// options sets the message options o from the attributes.
func (a *attributeSet) options(o *trace.MessageOptions) {
	if a.has(atProtocol) {
		o.Protocol = uint8(a.values[atProtocol])
	}
	if a.has(atCopies) {
		o.Copies = uint8(a.values[atCopies])
	}
	if a.has(atNIC) {
		o.NIC = int32(a.values[atNIC] & math.MaxInt32)
	}
	if a.has(atGap) {
		o.Gap = uint32(a.values[atGap])
	}
}

// context returns the context of a message. The default, known, is the context of its communicator.
func (a *attributeSet) context(known uint8) uint8 {
	const most = 3
	if a.has(atContext) && a.values[atContext] <= most {
		return uint8(a.values[atContext])
	}
	return known
}

// pattern returns the receive or probe that the attributes describe: its source, tag, communicator
// and size.
func (s *stream) pattern(request uint64) (m trace.Message, err error) {
	v := &s.attributes.values
	c, found := s.source.communicators.get(global(&s.local.communicators, v[atComm]))
	ranks := uint64(len(s.source.locations))
	if !found || v[atSource] > ranks || v[atSize] > math.MaxInt64 {
		found := fmt.Sprintf(
			"source %d, size %d in communicator %d", int64(v[atSource])-1, v[atSize], v[atComm],
		)
		return m, s.events.fail("receive", found, "those of the archive")
	}
	return trace.Message{
		Receive: true,
		Peer:    int32(v[atSource]) - 1,
		Tag:     int32(v[atTag]),
		Group:   c.group,
		Size:    int64(v[atSize]),
		Request: request,
		Options: trace.MessageOptions{Context: s.attributes.context(c.context)},
	}, nil
}

// post handles the start of a nonblocking receive that is described by attributes.
func (s *stream) post(request uint64) error {
	m, err := s.pattern(request)
	if err != nil {
		return err
	}
	s.call.add(&m, posted)
	return nil
}

// unknown handles the completion of a receive whose message is unknown.
func (s *stream) unknown(request uint64) error {
	m, err := s.pattern(request)
	if err == nil {
		s.call.add(&m, atOnce)
	}
	return err
}

// parameter handles a parameter event.
func (s *stream) parameter(id, value uint64) error {
	switch id {
	case endedParameter:
		s.call.complete(value)
	case unknownParameter:
		return s.unknown(value)
	}
	return nil
}

// special sets the record that the entered call represents, from its attributes.
func (s *stream) special() {
	a, c := &s.attributes, &s.call
	if a.set == 0 {
		return
	}
	c.isSpecial = true
	switch {
	case a.has(atSoftware):
		c.special = trace.Record{Kind: trace.Software, Duration: positive(a.values[atSoftware])}
	case a.has(atBeside):
		c.special = trace.Record{
			Kind:     trace.Beside,
			Duration: positive(a.values[atBeside]),
			Message:  trace.Message{Request: a.values[atRequest]},
		}
	case a.has(atSkipped):
		c.special = trace.Record{Kind: trace.Skipped, Name: strings.TrimPrefix(c.name, skippedPrefix)}
	case a.has(atSource):
		m, err := s.pattern(0)
		c.special = trace.Record{Kind: trace.Probe, Message: m}
		c.isSpecial = err == nil
	default:
		c.isSpecial = false
	}
}

// positive converts v to a non-negative int64 of at most 2^62.
func positive(v uint64) int64 { return int64(min(v, 1<<62)) }

// operands sets the sizes of a collective from its attributes. ranks is the size of its group.
func (s *stream) operands(o *trace.Operation, ranks int) error {
	a := &s.attributes
	if a.has(atOperand) {
		o.Size = positive(a.values[atOperand])
	}
	if !a.has(atBlocks) {
		return nil
	}
	for _, n := range a.blocks {
		if n < 0 {
			return s.events.fail("blocks", fmt.Sprint(n), "a size")
		}
	}
	if len(a.blocks) != ranks || a.values[atBlocks] != uint64(ranks) {
		return s.events.fail("blocks", fmt.Sprint(len(a.blocks)), fmt.Sprintf("%d, one for each rank", ranks))
	}
	o.Blocks = a.blocks
	return nil
}
