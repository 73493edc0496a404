package native

import (
	"encoding/binary"

	"fabricast/trace"
)

const (
	magic = "FABTRC2\n"
	// headSize is the size, in bytes, of the file header: the magic number and the size of the
	// index, which follows the header.
	headSize = len(magic) + 8
)

// Bits of the flags in the index.
const (
	flagOneSided = 1 << 0 // the trace has puts or gets
	flagTasks    = 1 << 1 // the trace has tasks, not records
)

// Bits of the flags of an encoded message.
const (
	messageReceives = 1 << 0
	messageOptions  = 1 << 1
)

// Bits of the flags of an encoded collective.
const (
	operationUneven = 1 << 0
	operationBlocks = 1 << 1
)

// encoder encodes the records or tasks of a rank and appends them to the buffer b.
type encoder struct {
	b     []byte
	names map[string]uint64
	last  uint64 // the request encoded last
}

func (e *encoder) unsigned(v uint64) { e.b = binary.AppendUvarint(e.b, v) }
func (e *encoder) signed(v int64)    { e.b = binary.AppendVarint(e.b, v) }

// request appends a request as the difference from the previous request.
func (e *encoder) request(id uint64) {
	e.signed(int64(id - e.last))
	e.last = id
}

// name appends the index of a name. If the name occurs for the first time, its text follows.
func (e *encoder) name(s string) {
	if n, known := e.names[s]; known {
		e.unsigned(n)
		return
	}
	if e.names == nil {
		e.names = map[string]uint64{}
	}
	n := uint64(len(e.names))
	e.names[s] = n
	e.unsigned(n)
	e.unsigned(uint64(len(s)))
	e.b = append(e.b, s...)
}

// record appends a record.
func (e *encoder) record(r *trace.Record) {
	e.b = append(e.b, byte(r.Kind))
	switch r.Kind {
	case trace.Compute, trace.Software:
		e.signed(r.Duration)
	case trace.Beside:
		e.signed(r.Duration)
		e.request(r.Message.Request)
	case trace.Send, trace.Receive, trace.Start, trace.Probe, trace.Put, trace.Get:
		e.message(&r.Message)
	case trace.Exchange:
		e.message(&r.Message)
		e.message(&r.Other)
	case trace.Wait:
		e.unsigned(uint64(len(r.Requests)))
		for _, id := range r.Requests {
			e.request(id)
		}
	case trace.Cancel, trace.Test:
		e.request(r.Message.Request)
	case trace.Collective:
		e.operation(&r.Call)
	case trace.Enter, trace.Leave, trace.Skipped:
		e.name(r.Name)
	}
}

func (e *encoder) message(m *trace.Message) {
	bits := byte(0)
	if m.Receive {
		bits |= messageReceives
	}
	if m.Options != (trace.MessageOptions{}) {
		bits |= messageOptions
	}
	e.b = append(e.b, bits)
	e.signed(int64(m.Peer))
	e.signed(int64(m.Tag))
	e.signed(int64(m.Group))
	e.signed(m.Size)
	e.request(m.Request)
	if o := &m.Options; bits&messageOptions != 0 {
		e.b = append(e.b, o.Context, o.Protocol, o.Copies)
		e.signed(int64(o.NIC))
		e.unsigned(uint64(o.Gap))
	}
}

func (e *encoder) operation(o *trace.Operation) {
	bits := byte(0)
	if o.Uneven {
		bits |= operationUneven
	}
	if o.Blocks != nil {
		bits |= operationBlocks
	}
	e.b = append(e.b, byte(o.Kind), bits)
	e.signed(int64(o.Group))
	e.signed(int64(o.Root))
	e.signed(o.Size)
	if bits&operationBlocks != 0 {
		e.unsigned(uint64(len(o.Blocks)))
		for _, n := range o.Blocks {
			e.signed(n)
		}
	}
}
